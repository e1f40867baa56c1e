// SPDX-License-Identifier: Apache-2.0
// What a task flow stores about a task.
#pragma once

#include <sennit/detail/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {
class limit;
}

namespace sennit::detail {

struct flow_task;

// A task that waits for another one, in the list of that one. The edge belongs to the task that waits.
struct flow_edge {
  flow_edge* next;
  flow_task* to;
};

class flow_exclusion;

// What few tasks have.
struct flow_task_more {
  std::vector<flow_edge> edges;             // beyond those inside
  std::vector<flow_exclusion*> exclusions;  // that the task holds while it runs, by address
  std::vector<limit*> limits;
  flow_task* next = nullptr;  // that waits for the same exclusion
  std::int32_t priority = 0;
};

enum class flow_call : bool {
  run,   // and destroy the closure
  drop,  // only destroy it
};

// The place of one task after the other. docs/protocols/graphs.md, "Task flows".
struct alignas(64) flow_task {
  static constexpr std::size_t edges_inside = 4;
  static constexpr std::size_t room = 72;
  template <class F>
  static constexpr bool fits = sizeof(F) <= room && alignof(F) <= 8;

  static flow_edge* finished() noexcept { return &end_of_lists; }

  // Puts the closure into the place.
  template <class F, class G>
  void put(G&& f) {
    if constexpr (fits<F>) {
      ::new (static_cast<void*>(closure)) F(std::forward<G>(f));
    } else {
      ::new (static_cast<void*>(closure)) F*(new F(std::forward<G>(f)));
    }
    call = [](flow_task& self, flow_call how) {
      struct closure_end {
        F& closure;
        ~closure_end() {
          if constexpr (fits<F>) {
            closure.~F();
          } else {
            delete &closure;
          }
        }
      } const last{self.closure_as<F>()};
      if (how == flow_call::run) static_cast<void>(last.closure());
    };
  }

  // The tasks that wait for this one; finished() before the first task and after each.
  std::atomic<flow_edge*> successors{finished()};
  std::uint32_t waiting = 0;  // predecessors that have not finished
  bool begins_slowly =
      false;  // there are exclusions or limits; or it stands for the task of the highest priority
  std::uint8_t color = 255;    // the NUMA node of what the task writes; or as flow_colors.hpp says
  std::uint64_t number = 0;    // of the submission
  std::uint64_t gathered = 0;  // the latest task that was found to wait for this one
  void (*call)(flow_task&, flow_call) = nullptr;
  // A small closure is in the line of the cache with all that is above. The edges have a line of their own.
  alignas(8) std::byte closure[room];
  const char* name = nullptr;
  std::unique_ptr<flow_task_more> more;
  flow_edge edges[edges_inside];

 private:
  template <class F>
  F& closure_as() noexcept {
    if constexpr (fits<F>) {
      return *std::launder(reinterpret_cast<F*>(closure));
    } else {
      return **std::launder(reinterpret_cast<F**>(closure));
    }
  }
  SENNIT_EXPORT static flow_edge end_of_lists;
};

}  // namespace sennit::detail

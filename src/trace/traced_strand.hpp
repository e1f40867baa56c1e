// SPDX-License-Identifier: Apache-2.0
// What the parts of the tracer share: what it knows of a strand, and what it notes in frames.
#pragma once

#include "trace/brief_ones.hpp"
#include "trace/tracer.hpp"
#include "worker/unobserved_part.hpp"

#include <sennit/detail/fork/frame.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace sennit::detail {

// What is noted in a frame's whereabouts: of a fork, its body's number and whether it is a part of a loop; of a child, when it
// was spawned, where and in which group.
struct fork_notes {
  bool part_of_loop = false;
  std::uint32_t depth = 0;

  const void* packed() const noexcept {
    return reinterpret_cast<const void*>(std::uintptr_t{depth} << 2 | (part_of_loop ? 3 : 1));
  }
  static fork_notes of(const whereabouts& where) noexcept {
    const auto word = reinterpret_cast<std::uintptr_t>(where.plan);
    return {.part_of_loop = (word & 2) != 0, .depth = static_cast<std::uint32_t>(word >> 2)};
  }
};

inline constexpr unsigned group_bits = 20;

// Two groups that are open at once have the same number once in half a million times.
inline std::uint64_t group_number(const void* group) noexcept {
  return ((reinterpret_cast<std::uintptr_t>(group) * 0x9e3779b97f4a7c15U) >> (64 - group_bits)) | 1;
}
inline const void* spawned_in(std::uint64_t body, const void* group) noexcept {
  return reinterpret_cast<const void*>(body << group_bits | group_number(group));
}
inline std::uint64_t body_of(const void* spawned) noexcept {
  return reinterpret_cast<std::uintptr_t>(spawned) >> group_bits;
}
inline std::uint64_t group_of(const void* spawned) noexcept {
  return reinterpret_cast<std::uintptr_t>(spawned) & ((std::uint64_t{1} << group_bits) - 1);
}

// What the tracer knows of a strand: its bodies, from the innermost outwards.
struct tracer::strand {
  traced_body* innermost = nullptr;
  traced_body* popped = nullptr;  // a fork whose right branch has not begun
  traced_body* waits = nullptr;   // for groups
  traced_body* leaf = nullptr;    // that has ended, and took `left_ns`
  unobserved_part unobserved;
  std::uint64_t alone_since_ns = 0;  // in a stretch of which the tracer does not hear
  std::uint64_t gate_met_ns = 0;     // in that stretch: when a construct came to the tracer last
  std::uint64_t alike_ns = 0;        // for how long of it the strand is taken to have done what it did before
  std::uint32_t brief_ones = 0;      // constructs one after the other that were too brief to be told
  detail::brief_ones untold;         // of which body
  std::uint64_t wait_depth = 0;
  bool long_children = false;  // since the last wait that was told
  traced_body* spare = nullptr;

  strand() = default;
  strand(const strand&) = delete;
  strand& operator=(const strand&) = delete;
  ~strand() {
    for (traced_body* list : {innermost, popped, waits, leaf, spare}) {
      while (list != nullptr) delete std::exchange(list, list->outer);
    }
  }
  traced_body* take() noexcept {
    if (spare == nullptr) return new (std::nothrow) traced_body;
    traced_body* const taken = std::exchange(spare, spare->outer);
    *taken = {};
    return taken;
  }
  // So that take() finds so many, if there is memory for them.
  void keep_spare(std::size_t bodies) noexcept {
    for (const traced_body* s = spare; s != nullptr && bodies > 0; s = s->outer) --bodies;
    for (; bodies > 0; --bodies) {
      auto* const made = new (std::nothrow) traced_body;
      if (made == nullptr) return;
      give_back(*made);
    }
  }
  void give_back(traced_body& body) noexcept { body.outer = std::exchange(spare, &body); }
  // The strand is left alone, and has met a gate. If it has met none for longer than the clock leaves them open, it did something
  // else meanwhile than what is brief.
  void meets_gate(std::uint64_t now_ns) noexcept {
    constexpr std::uint64_t longest_alike_ns = 8'000'000;
    alike_ns += std::min(now_ns - gate_met_ns, longest_alike_ns);
    gate_met_ns = now_ns;
  }
  // Whether a fork here is a part of a loop.
  bool in_cuts() const noexcept {
    return innermost != nullptr && innermost->told &&
           (innermost->what == traced_body::kind::loop || innermost->what == traced_body::kind::cut);
  }
  std::uint64_t id() const noexcept { return innermost != nullptr ? innermost->id : 0; }

  static strand* of(trace_cursor& cursor) noexcept { return static_cast<strand*>(cursor.note); }
};

}  // namespace sennit::detail

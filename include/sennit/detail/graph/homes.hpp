// SPDX-License-Identifier: Apache-2.0
// Where a graph's nodes are computed when the graph follows a schedule: each worker has a box of nodes that are ready.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/growing.hpp>
#include <sennit/detail/graph/node.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

namespace sennit {
enum class fidelity;
}
namespace sennit::graph {
class schedule;
}

namespace sennit::detail {

class worker;

inline constexpr std::uint32_t no_home = ~std::uint32_t{0};

// A node's box, and its position in the order of that box.
struct home_place {
  std::uint32_t home = no_home;
  std::uint32_t position = 0;
};

// Whose the boxes are. In a run by itself, box n is that of worker n. In an observed region it is that of role n.
struct workers_of_homes {
  worker* first = nullptr;         // the region's; null: the calling worker
  std::uint32_t first_number = 0;  // of the worker whose box comes first
};

// A box is served by one strand at a time. Whoever puts a node into a box that nobody serves, and that has a node to
// take, has to send somebody: docs/protocols/graphs.md, "Homes".
class SENNIT_EXPORT node_homes {
 public:
  // Throws std::runtime_error if the fidelity is strict, and the schedule has more workers than the runtime. Where the
  // calling strand is observed, no node has a home.
  node_homes(const graph::schedule& followed, fidelity how, const workers_of_homes& of = {});
  node_homes(const node_homes&) = delete;
  node_homes& operator=(const node_homes&) = delete;

  bool strict() const noexcept { return strict_; }
  unsigned count() const noexcept { return static_cast<unsigned>(boxes_.size()); }
  // The worker that a box is for, and the box of the worker that runs the call.
  worker& worker_of(std::uint32_t home) const noexcept;
  std::uint32_t here() const noexcept;

  // A node has been made. Called before others know of the node. Throws std::bad_alloc.
  void made(node_number n, std::string_view key);
  // A node that made others has been explored: they are `made` more. Returns true if the order may now go on past nodes
  // that do not exist.
  bool explored(std::int64_t made) noexcept { return ordered() && count_unexplored(made - 1); }
  // Another node is to be explored, which no node needs.
  void created() noexcept {
    if (ordered()) count_unexplored(1);
  }

  home_place place_of(node_number n) noexcept;
  // Puts the node into its box. Returns true if the caller has to serve the box, or to send somebody for that. Throws
  // std::bad_alloc. Precondition: the node has a home.
  bool put(home_place at, node_number n);
  // Returns true if nobody serves the box and it has a node to take; then the caller has to serve it.
  bool begin_to_serve(std::uint32_t home) noexcept;
  // The next node of a box that the caller serves; `nobody` if there is none, and then the caller serves it no more.
  node_number take(std::uint32_t home) noexcept;
  // Some of the nodes that have waited since then or longer, of one box of another worker if there is one. Throws
  // std::bad_alloc.
  std::vector<node_number> take_late(std::uint64_t since_ns);

  bool any_waiting() const noexcept { return waiting_.load(std::memory_order_relaxed) != 0; }
  // From now on nodes are computed in any order.
  void give_up_order() noexcept { ordered_.store(false, std::memory_order_relaxed); }

 private:
  struct waiting_node {
    std::uint32_t position;
    node_number node;
    std::uint64_t since_ns;
  };
  struct alignas(64) box {
    std::mutex lock;
    std::vector<waiting_node> nodes;  // a heap with the first position on top
    bool served = false;
    std::uint32_t next = 0;   // the first position that may still come
    std::vector<bool> taken;  // by position; empty without an order
    std::vector<bool> exists;
  };
  static bool later(const waiting_node& a, const waiting_node& b) noexcept { return a.position > b.position; }
  bool ordered() const noexcept { return ordered_.load(std::memory_order_relaxed); }
  bool may_take(box& of) noexcept;
  bool count_unexplored(std::int64_t more) noexcept;
  void note_taken(box& of, const waiting_node& n) noexcept;

  const graph::schedule& followed_;
  const bool strict_;
  std::atomic<bool> ordered_;
  worker* const caller_;
  const std::uint32_t first_number_;
  std::vector<box> boxes_;
  growing<std::uint64_t> places_;  // by node; 0: no home
  std::mutex exploring_;
  std::int64_t unexplored_ = 1;  // under exploring_
  std::atomic<std::int64_t> waiting_{0};
};

// Whether the calls of a run say that nodes have homes.
template <class Calls>
concept has_homes = requires(const Calls& calls) { calls.homes; };

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// A work pool whose ready nodes have priorities. docs/protocols/graphs.md, "Priorities".
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/pool_session.hpp>
#include <sennit/detail/graph/priority_heap.hpp>
#include <sennit/detail/graph/work_pool_state.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

namespace sennit::detail {

// The ready nodes of a run, which all strands share.
class prioritized_nodes : public posted_work {
 public:
  prioritized_nodes() noexcept : posted_work(color_kind::nodes) {}

  // Throws std::bad_alloc.
  void add(node_number n, int priority) {
    const std::lock_guard guard(lock_);
    heap_.add(n, priority);
    note_size();
  }
  // The node of the highest priority; `nobody` if there is none.
  node_number take() noexcept {
    const std::lock_guard guard(lock_);
    if (heap_.empty()) return nobody;
    const node_number first = heap_.take();
    note_size();
    return first;
  }
  // A hint: others may take some meanwhile.
  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

 private:
  // Under the lock. Nodes are for workers of any color.
  void note_size() noexcept {
    size_.store(heap_.size(), std::memory_order_relaxed);
    waiting_.store(heap_.empty() ? 0 : all_colors, std::memory_order_relaxed);
  }

  std::mutex lock_;
  priority_heap<node_number> heap_;
  std::atomic<std::size_t> size_{0};
};

// Work: as in a work pool. Local queues have the nodes that are to be explored.
template <class Work>
class prioritized_pool : public work_pool_state {
 public:
  class session : public pool_session<prioritized_pool, graph_item> {
   public:
    using pool_session<prioritized_pool, graph_item>::todo;
    explicit session(prioritized_pool& whole) noexcept : pool_session<prioritized_pool, graph_item>(whole) {
      idle_colors_ = &work_pool_state::idle_colors(color_kind::nodes);
      is_observed_ = work_pool_state::own_color(color_kind::nodes) == all_colors;
    }

    // What is to be explored comes first, so that more ready nodes are known.
    bool more() { return !whole_.stopped() && (todo.claim() || more_slowly()); }
    static void did_one() noexcept {}
    void consider_others(bool busy = false) noexcept {
      if (todo.publish()) [[unlikely]]
        this->share(busy ? 1 : 2);
      // A strand without anything else takes one node itself.
      const std::size_t own = busy || !todo.empty() ? 0 : 1;
      if (!is_observed_ && whole_.nodes_.size() > own && idle_colors_->load(std::memory_order_relaxed) != 0)
          [[unlikely]]
        wake(whole_.nodes_.size() - own);
    }
    void post(node_number n, int priority) { whole_.nodes_.add(n, priority); }

   private:
    using pool_session<prioritized_pool, graph_item>::whole_;

    bool more_slowly() {
      if (this->claim_slowly() || this->take_back()) return true;
      const node_number n = whole_.nodes_.take();
      if (n == nobody) return false;
      todo.add(graph_item::compute(n));
      return todo.next();
    }
    // Lets waiting workers come, for so many nodes at most. Without memory, they come when they look for work.
    SENNIT_COLD void wake(std::size_t most) noexcept {
      for (; most > 0; --most) {
        worker* const idle = claim_idle(color_kind::nodes, all_colors);
        if (idle == nullptr) return;
        auto* const strand = new (std::nothrow) queue_part(whole_, whole_.run_part(), {});
        if (strand == nullptr) return;
        whole_.donate(*strand, all_colors, *idle);
      }
    }

    const std::atomic<color_set>* idle_colors_ = nullptr;
    bool is_observed_ = false;
  };

  prioritized_pool() noexcept : work_pool_state(SENNIT_EXCEPTIONS, &run_part_of<prioritized_pool>) {}

  void run(Work& work, const std::vector<graph_item>& first) {
    work_ = &work;
    nodes_.begin(*this);
    attend([&](session& own) { own.todo.add_all(first.data(), first.size()); });
    await_all();
    nodes_.end();
  }

  // One more strand, which is counted already, begins with f(session).
  template <class F>
  void begin_strand(const F& f) noexcept {
    call_or_fail([&] {
      session own(*this);
      f(own);
    });
  }

 private:
  friend class work_pool_state;
  template <class, class>
  friend class pool_session;

  template <class Begin>
  void attend(const Begin& begin) noexcept {
    call_or_fail([&] {
      session own(*this);
      begin(own);
      work_->work(own);
    });
  }

  Work* work_ = nullptr;
  prioritized_nodes nodes_;
};

}  // namespace sennit::detail

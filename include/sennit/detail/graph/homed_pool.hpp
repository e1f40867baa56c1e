// A work pool whose nodes have homes. docs/protocols/graphs.md, "Homes".
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/graph/homes.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/work_pool.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>
#include <vector>

namespace sennit::detail {

// Work, Queue: as in a work pool.
template <class Work, class Queue>
class homed_pool : public work_pool_state {
  class part;

 public:
  // One strand's part in the work.
  class session {
   public:
    // `serves`: the box that the strand has been sent to serve.
    session(homed_pool& whole, Queue first, std::uint32_t serves) noexcept
        : todo(std::move(first)), whole_(whole), serves_(serves), sent_(serves != no_home) {
      begun_ = work_pool_state::now_ns();
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    bool more() {
      consider_others();
      if (whole_.stopped()) return false;
      // The queue gives what is unexplored first, so a node from a box would wait there.
      if constexpr (requires { todo.has_unexplored(); }) {
        if (todo.has_unexplored()) return true;
      }
      return take_own() || !todo.empty() || retake() || help();
    }
    void did_one() noexcept { ++done_; }
    void consider_others(bool busy = false) {
      if (!any_gate_shut()) [[likely]]
        return;
      const std::size_t least = busy ? 1 : 2;
      if (todo.size() < least && !whole_.homes_.strict() && whole_.homes_.any_waiting())
        take_late(work_pool_state::now_ns());
      share(least);
    }
    // Returns false if the item is for any worker.
    bool post(graph_item item) {
      if (!item.is_ready()) return false;
      const home_place at = whole_.homes_.place_of(item.node());
      if (at.home == no_home) return false;
      if (whole_.homes_.put(at, item.node())) attend_to(at.home);
      return true;
    }
    // All boxes that have a node to take.
    SENNIT_COLD void attend_to_all() {
      for (std::uint32_t h = 0; h < whole_.homes_.count(); ++h) {
        if (whole_.homes_.begin_to_serve(h)) attend_to(h);
      }
    }

    Queue todo;

   private:
    friend class homed_pool;

    // Serves the box, or sends somebody. Nobody else serves it.
    void attend_to(std::uint32_t home) noexcept {
      if (serves_ == no_home && home == whole_.homes_.here()) {
        serves_ = home;
      } else if (!whole_.send(home)) {
        whole_.fail_for_memory();
      }
    }

    bool take_own() {
      const std::uint32_t here = whole_.homes_.here();
      // Not the worker of the box: it has taken a strand that was sent to another, or the strand has waited. It computes
      // one node at most.
      if (serves_ != no_home && serves_ != here && !sent_) move_on();
      sent_ = false;
      if (serves_ == no_home) {
        if (here == no_home || !whole_.homes_.begin_to_serve(here)) return false;
        serves_ = here;
      }
      const node_number n = whole_.homes_.take(serves_);
      if (n == nobody) {
        serves_ = no_home;
        return false;
      }
      todo.add(graph_item::compute(n));
      return true;
    }
    SENNIT_COLD void move_on() noexcept {
      if (!whole_.send(std::exchange(serves_, no_home))) whole_.fail_for_memory();
    }

    // In a relaxed replay: takes nodes that others are late with. Stays while there are such that may become late.
    SENNIT_COLD bool help() {
      if (whole_.homes_.strict()) return false;
      const std::uint64_t since = work_pool_state::now_ns();
      for (unsigned attempt = 0; whole_.homes_.any_waiting() && !whole_.stopped(); ++attempt) {
        take_late(since);
        if (!todo.empty() || take_own()) break;
        work_pool_state::pause_for_others(attempt);
      }
      begun_ += work_pool_state::now_ns() - since;
      return !todo.empty();
    }
    // `busy_until`: from when on the strand has had nothing to do.
    void take_late(std::uint64_t busy_until) {
      constexpr std::uint64_t patience = 2;  // nodes
      constexpr std::uint64_t unknown_ns = 50'000;
      const std::uint64_t patience_ns = done_ == 0 ? unknown_ns : patience * (busy_until - begun_) / done_;
      for (const node_number n : whole_.homes_.take_late(work_pool_state::now_ns() - patience_ns))
        todo.add(graph_item::compute(n));
    }

    SENNIT_COLD void share(std::size_t least) noexcept {
      if (whole_.cancelled() || todo.size() < least || !whole_.others_wait()) return;
      if (offered_ != nullptr && retake()) return;
      part* const given = new (std::nothrow) part(whole_, no_home);
      if (given == nullptr) return;
      if (!todo.give(given->todo)) {
        delete given;
        return;
      }
      offered_ = given;
      if (!whole_.offer(*given, all_colors)) put_back();
    }
    SENNIT_COLD bool retake() noexcept {
      if (offered_ == nullptr) return false;
      if (!whole_.take_back()) {
        offered_ = nullptr;
        return false;
      }
      put_back();
      return true;
    }
    void put_back() noexcept {
      part* const own = std::exchange(offered_, nullptr);
#if SENNIT_EXCEPTIONS
      try {
        todo.put_back(std::move(own->todo));
      } catch (...) {
        whole_.fail(std::current_exception());
      }
#else
      todo.put_back(std::move(own->todo));
#endif
      delete own;
    }

    homed_pool& whole_;
    part* offered_ = nullptr;
    std::uint32_t serves_;
    bool sent_;  // to serve a box, and has not begun
    // As in a work pool: what an item takes on average.
    std::uint64_t begun_ = 0;
    std::uint64_t done_ = 0;
  };

  explicit homed_pool(node_homes& homes) noexcept : work_pool_state(SENNIT_EXCEPTIONS), homes_(homes) {}

  void run(Work& work, Queue first) {
    work_ = &work;
    attend(std::move(first), no_home, false);
    await_all();
    // The graph needs another order.
    while (homes_.any_waiting() && !stopped()) {
      homes_.give_up_order();
      begin_again();
      attend({}, no_home, true);
      await_all();
    }
  }

 private:
  // A strand that serves a box, or a part of a local queue.
  class part : public frame_with_state {
   public:
    part(homed_pool& whole, std::uint32_t serves) noexcept
        : frame_with_state(&run_elsewhere), whole_(whole), serves_(serves) {}
    Queue todo;

   private:
    static fiber* run_elsewhere(frame& base) noexcept {
      auto& self = static_cast<part&>(base);
      homed_pool& whole = self.whole_;
      whole.attend(std::move(self.todo), self.serves_, false);
      fiber* const waiter = whole.leave(self);
      delete &self;
      return waiter;
    }
    homed_pool& whole_;
    const std::uint32_t serves_;
  };

  bool send(std::uint32_t home) noexcept {
    part* const given = new (std::nothrow) part(*this, home);
    if (given == nullptr) return false;
    donate_for(*given, homes_.worker_of(home), homes_.strict());
    return true;
  }
  SENNIT_COLD void fail_for_memory() noexcept {
#if SENNIT_EXCEPTIONS
    fail(std::make_exception_ptr(std::bad_alloc()));
#else
    std::abort();
#endif
  }

  // `all`: and all boxes.
  void attend(Queue first, std::uint32_t serves, bool all) noexcept {
#if SENNIT_EXCEPTIONS
    try {
      work_through(std::move(first), serves, all);
    } catch (...) {
      fail(std::current_exception());
    }
#else
    work_through(std::move(first), serves, all);
#endif
  }
  void work_through(Queue first, std::uint32_t serves, bool all) {
    session own(*this, std::move(first), serves);
    // However the work ends, the strand then offers no part.
    struct withdrawal {
      session& own;
      ~withdrawal() {
        own.todo.clear();
        while (own.retake()) own.todo.clear();
      }
    } const at_last{own};
    if (all) own.attend_to_all();
    work_->work(own);
  }

  Work* work_ = nullptr;
  node_homes& homes_;
};

}  // namespace sennit::detail

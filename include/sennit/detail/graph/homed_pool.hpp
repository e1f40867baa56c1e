// SPDX-License-Identifier: Apache-2.0
// A work pool whose nodes have homes. docs/protocols/graphs.md, "Homes".
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/graph/homes.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/pool_session.hpp>
#include <sennit/detail/graph/work_pool_state.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>
#include <vector>

namespace sennit::detail {

// Work: as in a work pool.
template <class Work>
class homed_pool : public work_pool_state {
 public:
  class session : public pool_session<homed_pool, graph_item> {
   public:
    using pool_session<homed_pool, graph_item>::todo;
    explicit session(homed_pool& whole, std::uint32_t serves) noexcept
        : pool_session<homed_pool, graph_item>(whole), serves_(serves), sent_(serves != no_home) {}

    bool more() {
      if (whole_.stopped()) return false;
      return take_own() || todo.claim() || more_slowly();
    }
    void did_one() noexcept { ++done_; }
    void consider_others(bool busy = false) {
      if (!todo.publish()) [[likely]]
        return;
      const std::size_t least = busy ? 1 : 2;
      if (todo.size() < least && !whole_.homes_.strict() && whole_.homes_.any_waiting()) {
        take_late(work_pool_state::now_ns());
        static_cast<void>(todo.publish());
      }
      this->share(least);
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
    SENNIT_COLD void attend_to_all() noexcept {
      for (std::uint32_t h = 0; h < whole_.homes_.count(); ++h) {
        if (whole_.homes_.begin_to_serve(h)) attend_to(h);
      }
    }

   private:
    friend class homed_pool;
    using pool_session<homed_pool, graph_item>::whole_;

    // Serves the box, or sends somebody. Nobody else serves it.
    void attend_to(std::uint32_t home) noexcept {
      if (serves_ == no_home && home == whole_.homes_.here()) {
        serves_ = home;
      } else {
        whole_.send(home);
      }
    }

    bool take_own() {
      const std::uint32_t here = whole_.homes_.here();
      // Not the worker of the box: it has taken a strand that was sent to another, or the strand has waited. It
      // computes one node at most.
      if (serves_ != no_home && serves_ != here && !sent_) whole_.send(std::exchange(serves_, no_home));
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
      return todo.next();
    }

    bool more_slowly() { return this->claim_slowly() || this->take_back() || help(); }

    // In a relaxed replay: takes nodes that others are late with. Stays while there are such that may become late.
    SENNIT_COLD bool help() {
      if (whole_.homes_.strict()) return false;
      const std::uint64_t since = work_pool_state::now_ns();
      bool found = false;
      for (unsigned attempt = 0; whole_.homes_.any_waiting() && !whole_.stopped(); ++attempt) {
        take_late(since);
        found = todo.next() || take_own();
        if (found) break;
        work_pool_state::pause_for_others(attempt);
      }
      this->since_ns = work_pool_state::now_ns();
      begun_ += this->since_ns - since;
      return found;
    }
    // `busy_until`: from when on the strand has had nothing to do.
    void take_late(std::uint64_t busy_until) {
      constexpr std::uint64_t patience = 2;  // nodes
      constexpr std::uint64_t unknown_ns = 50'000;
      const std::uint64_t patience_ns = done_ == 0 ? unknown_ns : patience * (busy_until - begun_) / done_;
      for (const node_number n : whole_.homes_.take_late(work_pool_state::now_ns() - patience_ns))
        todo.add(graph_item::compute(n));
    }

    std::uint32_t serves_;  // the box
    bool sent_;             // to serve a box, and has not begun
    // As in a work pool: what an item takes on average.
    std::uint64_t begun_ = work_pool_state::now_ns();
    std::uint64_t done_ = 0;
  };

  explicit homed_pool(node_homes& homes) noexcept
      : work_pool_state(SENNIT_EXCEPTIONS, &run_part_of<homed_pool>), homes_(homes) {}

  void run(Work& work, const std::vector<graph_item>& first) {
    work_ = &work;
    attend([&](session& own) { own.todo.add_all(first.data(), first.size()); });
    await_all();
    // The graph needs another order.
    while (homes_.any_waiting() && !stopped()) {
      homes_.give_up_order();
      begin_again();
      attend([](session& own) { own.attend_to_all(); });
      await_all();
    }
  }
  // Nothing waits for others: all nodes begin when the schedule says so.
  static void run_again() noexcept {}

  // One more strand, which is counted already, begins with f(session).
  template <class F>
  void begin_strand(const F& f) noexcept {
    call_or_fail([&] {
      session own(*this, no_home);
      f(own);
    });
  }

 private:
  friend class work_pool_state;
  template <class, class>
  friend class pool_session;

  // A strand that serves a box.
  class server : public frame_with_state {
   public:
    server(homed_pool& whole, std::uint32_t serves) noexcept
        : frame_with_state(&run_server), whole_(whole), serves_(serves) {}

   private:
    static fiber* run_server(frame& base) noexcept {
      auto& self = static_cast<server&>(base);
      homed_pool& whole = self.whole_;
      if (!whole.stopped()) whole.attend(self.serves_, [](session&) {});
      fiber* const waiter = whole.leave(self);
      delete &self;
      return waiter;
    }
    homed_pool& whole_;
    const std::uint32_t serves_;
  };
  void send(std::uint32_t home) noexcept {
    if (auto* const sent = new (std::nothrow) server(*this, home)) {
      donate_for(*sent, homes_.worker_of(home), homes_.strict());
    } else {
#if SENNIT_EXCEPTIONS
      fail(std::make_exception_ptr(std::bad_alloc()));
#else
      std::abort();
#endif
    }
  }

  template <class Begin>
  void attend(const Begin& begin) noexcept {
    attend(no_home, begin);
  }
  template <class Begin>
  void attend(std::uint32_t serves, const Begin& begin) noexcept {
    call_or_fail([&] {
      session own(*this, serves);
      begin(own);
      work_->work(own);
    });
  }

  Work* work_ = nullptr;
  node_homes& homes_;
};

}  // namespace sennit::detail

// Work in small items that strands keep to themselves, and share only when other workers have none.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

namespace sennit::detail {

class worker;

// What the strands at work on one thing have in common. docs/protocols/graphs.md, "Work pools".
class SENNIT_EXPORT work_pool_state {
 public:
  // `can_throw`: the strand that begins the work can be told of a cancellation.
  explicit work_pool_state(bool can_throw) noexcept : can_throw_(can_throw) {}
  work_pool_state(const work_pool_state&) = delete;
  work_pool_state& operator=(const work_pool_state&) = delete;

  // The first one keeps: the work is to end, and that is why. From any strand of the work pool.
  void fail(std::exception_ptr why) noexcept;
  bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
  // After it has stopped: throws what ended it, or cancelled.
  [[noreturn]] SENNIT_COLD void throw_failure();

 protected:
  ~work_pool_state() = default;

  // Whether the work has stopped; as it does once the region is cancelled.
  SENNIT_COLD bool cancelled() noexcept;
  // Whether there is nothing to be stolen here although some worker may want that. The strand may be on
  // another worker afterwards.
  SENNIT_COLD bool others_wait() noexcept;
  // The frame, with work of these colors, is for whoever comes. False: there is no room for it.
  SENNIT_COLD bool offer(frame_with_state& part, color_set colors) noexcept;
  // A worker of one of these colors that waits for work; null if there is none. It is not found again before
  // it has had some.
  SENNIT_COLD static worker* claim_idle(color_set colors) noexcept;
  static color_set color_of(const worker& w) noexcept;
  // Colors of workers that wait for work, as far as is known.
  static const std::atomic<color_set>& idle_colors() noexcept;
  static std::uint64_t now_ns() noexcept;
  // Waits a little, the longer the more often it was in vain.
  SENNIT_COLD static void pause_for_others(unsigned attempt) noexcept;
  // The frame is for that worker; others may have it only while that one is busy.
  SENNIT_COLD void donate(frame_with_state& part, color_set colors, worker& to) noexcept;
  // The strand's only frame. True if it is still there: the strand has it back.
  SENNIT_COLD bool take_back() noexcept;
  // The strand that claimed the frame has come to its end.
  SENNIT_COLD fiber* leave(frame& part) noexcept;
  // The strand that began the work: returns when all parts have ended.
  SENNIT_COLD void await_all() noexcept;

 private:
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }

  const bool can_throw_;
  alignas(64) std::atomic<std::intptr_t> at_work_{1};
  std::atomic<bool> stopped_{false};
  completion done_;
  std::mutex merging_;
  view* views_ = nullptr;  // what parts have added to reducers; under merging_
  std::exception_ptr failure_;
};

struct no_posts {};

// Work: a class with `void work(session&)`, which takes items until there are none. Queue: what a strand
// still has to do, as in detail/graph/local_queue.hpp. Posts: where items wait for workers of their colors, if they have
// any.
template <class Work, class Queue, class Posts = no_posts>
class work_pool : public work_pool_state {
  class part;

 public:
  static constexpr bool colored = !std::is_same_v<Posts, no_posts>;

  // A strand's part in the work.
  class session {
   public:
    session(work_pool& whole, Queue first) noexcept : todo(std::move(first)), whole_(whole) {
      if constexpr (colored) {
        own_color_ = own_color();
        idle_colors_ = &work_pool_state::idle_colors();
        begun_ = now_ns();
      }
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    // Whether there is something in the local queue.
    SENNIT_INLINE bool more() {
      consider_others();
      if constexpr (colored) receive();
      return !todo.empty() || more_elsewhere();
    }
    // To be called after each item of a work pool with colors, which counts them.
    SENNIT_INLINE void did_one() noexcept {
      if constexpr (colored) ++done_;
    }
    // To be called now and then. `busy`: the strand has something to do that is not in the local queue.
    SENNIT_INLINE void consider_others(bool busy = false) noexcept {
      if (any_gate_shut()) [[unlikely]]
        share(busy ? 1 : 2);
      if constexpr (colored) {
        if ((whole_.posts_.waiting() & idle_colors_->load(std::memory_order_relaxed)) != 0) [[unlikely]]
          donate_posts();
      }
    }
    // Of another color than the worker's: it is posted. False: it is for this strand.
    template <class Item>
    SENNIT_INLINE bool post(const Item& item) {
      if ((item.colors & own_color_) != 0 || item.colors == 0) return false;
      whole_.posts_.post(item);
      return true;
    }

    Queue todo;

   private:
    friend class work_pool;

    SENNIT_COLD void share(std::size_t least) noexcept {
      if (whole_.cancelled() || todo.size() < least || !whole_.others_wait()) return;
      if (offered_ != nullptr && retake()) return;
      // Without memory the items stay here.
      part* const given = new (std::nothrow) part(whole_);
      if (given == nullptr) return;
      if (!todo.give(given->todo)) {
        delete given;
        return;
      }
      offered_ = given;
      if (!whole_.offer(*given, given->todo.colors())) put_back();
    }

    // What was offered and nobody took; else what waits for another color, if its workers leave it waiting.
    SENNIT_COLD bool more_elsewhere() {
      if (retake()) return true;
      if constexpr (colored) {
        const std::uint64_t since = now_ns();
        // A donated part may have come without items.
        const double patience = whole_.patience_ * static_cast<double>(since - begun_) /
                                static_cast<double>(std::max(done_, std::uint64_t{1}));
        for (unsigned attempt = 0; whole_.posts_.waiting() != 0 && !whole_.stopped(); ++attempt) {
          receive();
          if (todo.empty() && static_cast<double>(now_ns() - since) >= patience) {
            auto items = whole_.posts_.take(all_colors);
            todo.add_all(items);
          }
          if (!todo.empty()) {
            begun_ += now_ns() - since;
            return true;
          }
          consider_others();
          pause_for_others(attempt);
        }
      }
      return false;
    }

    // What others found for this worker's color.
    SENNIT_INLINE void receive() {
      if ((whole_.posts_.waiting() & own_color_) == 0) [[likely]]
        return;
      auto items = whole_.posts_.take(own_color_);
      todo.add_all(items);
    }

    // Workers that wait are given what waits for their colors; the thieves of Maglalang, Krishnamoorthy and
    // Agrawal, 2016, have to find it.
    SENNIT_COLD void donate_posts() noexcept {
      for (;;) {
        part* const given = new (std::nothrow) part(whole_);
        if (given == nullptr) return;
        const color_set wanted = whole_.posts_.waiting() & idle_colors_->load(std::memory_order_relaxed);
        worker* const idle = wanted != 0 ? claim_idle(wanted) : nullptr;
        if (idle == nullptr) {
          delete given;
          return;
        }
        auto items = whole_.posts_.take(color_of(*idle));
        given->todo.add_all(items);
        whole_.donate(*given, given->todo.colors(), *idle);
      }
    }

    // What was offered and nobody took.
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

    work_pool& whole_;
    part* offered_ = nullptr;
    color_set own_color_ = all_colors;
    const std::atomic<color_set>* idle_colors_ = nullptr;
    // For what an item takes: since when, without waits, and how many there were.
    std::uint64_t begun_ = 0;
    std::uint64_t done_ = 0;
  };

  // `patience`: for as long as so many items take, a strand without work leaves to other colors what is
  // theirs.
  explicit work_pool(double patience = 0) noexcept
      : work_pool_state(SENNIT_EXCEPTIONS), patience_(patience) {}

  // Does all that is in the local queue and what comes of it.
  void run(Work& work, Queue first) {
    work_ = &work;
    attend(std::move(first));
    await_all();
  }

 private:
  // A part of a local queue that another strand may take.
  class part : public frame_with_state {
   public:
    explicit part(work_pool& whole) noexcept : frame_with_state(&run_elsewhere), whole_(whole) {}
    Queue todo;

   private:
    static fiber* run_elsewhere(frame& base) noexcept {
      auto& self = static_cast<part&>(base);
      work_pool& whole = self.whole_;
      whole.attend(std::move(self.todo));
      fiber* const waiter = whole.leave(self);
      delete &self;
      return waiter;
    }
    work_pool& whole_;
  };

  void attend(Queue first) noexcept {
#if SENNIT_EXCEPTIONS
    try {
      work_through(std::move(first));
    } catch (...) {
      fail(std::current_exception());
    }
#else
    work_through(std::move(first));
#endif
  }

  void work_through(Queue first) {
    session own(*this, std::move(first));
    // Whatever it ends with, the strand has no part on offer then.
    struct withdrawal {
      session& own;
      ~withdrawal() {
        own.todo.clear();
        while (own.retake()) own.todo.clear();
      }
    } const at_last{own};
    work_->work(own);
  }

  Work* work_ = nullptr;
  const double patience_;
  [[no_unique_address]] Posts posts_;
};

}  // namespace sennit::detail

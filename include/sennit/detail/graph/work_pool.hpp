// Work in small items that strands keep to themselves, and share only while other workers have no work.
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

// The common state of the strands of one work pool. docs/protocols/graphs.md, "Work pools".
class SENNIT_EXPORT work_pool_state {
 public:
  // `can_throw`: the strand that begins the work may throw cancelled.
  explicit work_pool_state(bool can_throw) noexcept : can_throw_(can_throw) {}
  work_pool_state(const work_pool_state&) = delete;
  work_pool_state& operator=(const work_pool_state&) = delete;

  // Ends the work with this exception, unless another exception has ended it. Any strand of the work pool
  // may call it.
  void fail(std::exception_ptr why) noexcept;
  bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
  // Precondition: the work has stopped. Throws the exception that ended it, or cancelled.
  [[noreturn]] SENNIT_COLD void throw_failure();

 protected:
  ~work_pool_state() = default;

  // Whether the work has stopped. It stops also when the region is cancelled.
  SENNIT_COLD bool cancelled() noexcept;
  // Whether nothing can be stolen here although some worker may want work. Afterwards the strand may be on
  // another worker.
  SENNIT_COLD bool others_wait() noexcept;
  // Lets any worker take the frame, which has work of these colors. Returns false if the deque has no room
  // for it.
  SENNIT_COLD bool offer(frame_with_state& part, color_set colors) noexcept;
  // A worker of one of these colors that waits for work; null if there is none. The worker is not returned
  // again before it has had work.
  SENNIT_COLD static worker* claim_idle(color_set colors) noexcept;
  static color_set color_of(const worker& w) noexcept;
  // Colors of workers that wait for work, as far as is known.
  static const std::atomic<color_set>& idle_colors() noexcept;
  static std::uint64_t now_ns() noexcept;
  // Waits a little, and longer for a larger number of failed attempts.
  SENNIT_COLD static void pause_for_others(unsigned attempt) noexcept;
  // Donates the frame to that worker. Other workers may take it only while that worker is busy.
  SENNIT_COLD void donate(frame_with_state& part, color_set colors, worker& to) noexcept;
  // Donates the frame to that worker. `kept`: others may take it only if that worker cannot.
  SENNIT_COLD void donate_for(frame_with_state& part, worker& to, bool kept) noexcept;
  // After await_all(): the strand that began the work begins again.
  SENNIT_COLD void begin_again() noexcept;
  // Takes back the strand's only frame. Returns true if no thief has taken it.
  SENNIT_COLD bool take_back() noexcept;
  // Called when the strand that claimed the frame has ended.
  SENNIT_COLD fiber* leave(frame& part) noexcept;
  // Called by the strand that began the work: returns when all parts have ended.
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

// Work: a class with `void work(session&)`, which takes items until there are none. Queue: the items of a
// strand, as in detail/graph/local_queue.hpp. Posts: where items wait for workers of their colors, if items
// have colors.
template <class Work, class Queue, class Posts = no_posts>
class work_pool : public work_pool_state {
  class part;

 public:
  static constexpr bool colored = !std::is_same_v<Posts, no_posts>;

  // One strand's part in the work.
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

    // Whether the local queue has items.
    SENNIT_INLINE bool more() {
      consider_others();
      if constexpr (colored) receive();
      return !todo.empty() || more_elsewhere();
    }
    // Call it after each item of a work pool with colors, which counts items.
    SENNIT_INLINE void did_one() noexcept {
      if constexpr (colored) ++done_;
    }
    // Call it now and then. `busy`: the strand has something to do that is not in the local queue.
    SENNIT_INLINE void consider_others(bool busy = false) noexcept {
      if (any_gate_shut()) [[unlikely]]
        share(busy ? 1 : 2);
      if constexpr (colored) {
        if ((whole_.posts_.waiting() & idle_colors_->load(std::memory_order_relaxed)) != 0) [[unlikely]]
          donate_posts();
      }
    }
    // Posts an item of another color than the worker's. Returns false if the item is for this strand.
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

    // Takes back what was offered and not stolen. Else takes what waits for another color, if the workers of
    // that color leave it there.
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

    // Takes the items that other strands posted for this worker's color.
    SENNIT_INLINE void receive() {
      if ((whole_.posts_.waiting() & own_color_) == 0) [[likely]]
        return;
      auto items = whole_.posts_.take(own_color_);
      todo.add_all(items);
    }

    // Donates posted items to waiting workers of their colors. (In Maglalang, Krishnamoorthy and Agrawal,
    // 2016, thieves have to find them.)
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

    // Takes back what was offered and not stolen.
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
    // The average time of an item comes from these: when the strand began, without waits, and the number of
    // items.
    std::uint64_t begun_ = 0;
    std::uint64_t done_ = 0;
  };

  // `patience`: a strand without work leaves items of other colors to their workers for the time that this
  // number of its own items takes.
  explicit work_pool(double patience = 0) noexcept
      : work_pool_state(SENNIT_EXCEPTIONS), patience_(patience) {}

  // Does the items in the local queue, and the items that these add.
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
    // However the work ends, the strand then offers no part.
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

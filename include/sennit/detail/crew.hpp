// Work in small items that strands keep to themselves, and share only when other workers have none.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/completion.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/frame.hpp>
#include <sennit/detail/words.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

namespace sennit::detail {

// What the strands at work on one thing have in common. docs/protocols/graphs.md, "Crews".
class crew_state {
 public:
  crew_state() = default;
  crew_state(const crew_state&) = delete;
  crew_state& operator=(const crew_state&) = delete;

  // The first one keeps: the work is to end, and that is why. From any strand of the crew.
  void fail(std::exception_ptr why) noexcept;
  bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
  // After it has stopped: throws what ended it, or cancelled.
  [[noreturn]] SENNIT_COLD void throw_failure();

 protected:
  ~crew_state() = default;

  // Whether there is nothing to be stolen here although some worker may want that. *asked: colors that were asked for, 0
  // if none in particular. The strand may be on another worker afterwards. Once the region is cancelled the work stops.
  SENNIT_COLD bool others_wait(std::uint64_t* asked) noexcept;
  // The frame, with work of these colors, is for whoever comes. False: there is no room for it.
  SENNIT_COLD bool offer(frame& part, std::uint64_t colors) noexcept;
  // The strand's only frame. True if it is still there: the strand has it back.
  SENNIT_COLD bool take_back() noexcept;
  // The strand that claimed the frame has come to its end.
  SENNIT_COLD fiber* leave(frame& part) noexcept;
  // The strand that began the work: returns when all parts have ended.
  SENNIT_COLD void await_all() noexcept;

 private:
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }

  alignas(64) std::atomic<std::intptr_t> at_work_{1};
  std::atomic<bool> stopped_{false};
  completion done_;
  std::mutex merging_;
  view* views_ = nullptr;  // what parts have added to reducers; under merging_
  std::exception_ptr failure_;
};

// Work: a class with `void work(session&)`, which takes items until there are none. Agenda: what a strand still has to do,
// as in detail/agenda.hpp.
template <class Work, class Agenda>
class crew : public crew_state {
 public:
  // A strand's part in the work.
  class session {
   public:
    session(crew& whole, Agenda first) : todo(Agenda::here(std::move(first))), whole_(whole) {}
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    // Whether there is something on the agenda.
    SENNIT_INLINE bool more() noexcept {
      consider_others();
      return !todo.empty() || retake();
    }
    // To be called now and then. `busy`: the strand has something to do that is not on the agenda.
    SENNIT_INLINE void consider_others(bool busy = false) noexcept {
      if (any_gate_shut()) [[unlikely]]
        share(busy ? 1 : 2);
    }

    Agenda todo;

   private:
    friend class crew;

    SENNIT_COLD void share(std::size_t least) noexcept {
      std::uint64_t asked = 0;
      if (todo.size() < least || whole_.stopped() || !whole_.others_wait(&asked)) return;
      if (offered_ != nullptr && retake()) return;
      // Without memory the items stay here.
      part* const given = new (std::nothrow) part(whole_);
      if (given == nullptr) return;
      if (!todo.give(given->todo, asked)) {
        delete given;
        return;
      }
      offered_ = given;
      if (!whole_.offer(*given, given->todo.colors())) put_back();
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

    crew& whole_;
    typename crew::part* offered_ = nullptr;
  };

  // Does all that is on the agenda and what comes of it.
  void run(Work& work, Agenda first) {
    work_ = &work;
    attend(std::move(first));
    await_all();
  }

 private:
  // A part of an agenda that another strand may take.
  class part : public frame {
   public:
    explicit part(crew& whole) noexcept : frame(&run_elsewhere), whole_(whole) {}
    Agenda todo;

   private:
    static fiber* run_elsewhere(frame& base) noexcept {
      auto& self = static_cast<part&>(base);
      crew& whole = self.whole_;
      whole.attend(std::move(self.todo));
      fiber* const waiter = whole.leave(self);
      delete &self;
      return waiter;
    }
    crew& whole_;
  };

  void attend(Agenda first) noexcept {
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

  void work_through(Agenda first) {
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
};

}  // namespace sennit::detail

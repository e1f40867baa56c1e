// SPDX-License-Identifier: Apache-2.0
// task_scheduler_observer: what is called when threads come to work in an arena.
#pragma once

#include <sennit/tbb/setting.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace tbb {
namespace on_sennit {

class task_arena;
class task_scheduler_observer;

// The observers of the program.
class observer_list {
 public:
  struct entry {
    task_scheduler_observer* observer;
    const arena_record* arena;  // null: of constructs outside arenas
    int calls = 0;              // under way, under the lock
  };

  static observer_list& all() {
    static observer_list of_program;
    return of_program;
  }
  void add(task_scheduler_observer& observer, const arena_record* arena) {
    const std::lock_guard guard(lock_);
    entries_.push_back(std::make_shared<entry>(entry{&observer, arena}));
    observers.fetch_add(1);
  }
  // Returns once no call of the observer is under way.
  void remove(task_scheduler_observer& observer) {
    std::shared_ptr<entry> removed;
    {
      const std::lock_guard guard(lock_);
      const auto at = std::find_if(entries_.begin(), entries_.end(),
                                   [&](const auto& e) { return e->observer == &observer; });
      if (at == entries_.end()) return;
      removed = *at;
      entries_.erase(at);
      observers.fetch_sub(1);
    }
    for (;;) {
      const std::lock_guard guard(lock_);
      if (removed->calls == 0) return;
    }
  }

  void entered(const arena_record* arena, bool worker);
  void left(const arena_record* arena, bool worker);

 private:
  // `chosen` chooses each once only.
  template <class Chosen, class Call>
  void for_chosen(const Chosen& chosen, const Call& call) {
    while (const std::shared_ptr<entry> e = begin_call(chosen)) {
      const underway until_its_end(lock_, *e);
      call(*e->observer);
    }
  }
  // Null: there are no more.
  template <class Chosen>
  std::shared_ptr<entry> begin_call(const Chosen& chosen) {
    const std::lock_guard guard(lock_);
    for (const auto& e : entries_) {
      if (!chosen(e)) continue;
      ++e->calls;
      return e;
    }
    return nullptr;
  }
  struct underway {
    underway(std::mutex& of, entry& called) : lock(of), e(called) {}
    underway(const underway&) = delete;
    underway& operator=(const underway&) = delete;
    ~underway() {
      const std::lock_guard guard(lock);
      --e.calls;
    }

    std::mutex& lock;
    entry& e;
  };
  // Those that know of the calling thread.
  [[gnu::noinline]] static std::vector<std::weak_ptr<entry>>& known_here() {
    static thread_local std::vector<std::weak_ptr<entry>> known;
    return known;
  }
  static bool is(const std::weak_ptr<entry>& known, const std::shared_ptr<entry>& e) {
    return !known.owner_before(e) && !e.owner_before(known);
  }

  std::mutex lock_;
  std::vector<std::shared_ptr<entry>> entries_;
};

// Its calls come before the first task that a thread runs in the arena since the thread has come there, or since it has been
// observed. A thread of the program leaves at the end of its outermost construct; the runtime's own threads stay.
class task_scheduler_observer {
 public:
  task_scheduler_observer() = default;
  explicit task_scheduler_observer(task_arena& arena);
  task_scheduler_observer(const task_scheduler_observer&) = delete;
  task_scheduler_observer& operator=(const task_scheduler_observer&) = delete;
  virtual ~task_scheduler_observer() { observe(false); }

  virtual void on_scheduler_entry(bool /*worker*/) {}
  virtual void on_scheduler_exit(bool /*worker*/) {}

  void observe(bool state = true) {
    if (observing_.exchange(state) == state) return;
    if (state) {
      observer_list::all().add(*this, arena_ != nullptr ? arena_ : setting_here().arena);
    } else {
      observer_list::all().remove(*this);
    }
  }
  bool is_observing() const { return observing_.load(); }

 private:
  const arena_record* arena_ = nullptr;
  std::atomic<bool> observing_{false};
};

inline void observer_list::entered(const arena_record* arena, bool worker) {
  auto& known = known_here();
  std::erase_if(known, [](const auto& k) { return k.expired(); });
  for_chosen(
      [&](const auto& e) {
        if (e->arena != arena ||
            std::any_of(known.begin(), known.end(), [&](const auto& k) { return is(k, e); }))
          return false;
        known.push_back(e);
        return true;
      },
      [&](task_scheduler_observer& o) { o.on_scheduler_entry(worker); });
}

inline void observer_list::left(const arena_record* arena, bool worker) {
  auto& known = known_here();
  for_chosen(
      [&](const auto& e) {
        return e->arena == arena && std::erase_if(known, [&](const auto& k) { return is(k, e); }) != 0;
      },
      [&](task_scheduler_observer& o) { o.on_scheduler_exit(worker); });
}

// The threads of the program are those that begin constructs outside all others.
inline constinit thread_local int constructs_of_thread = 0;
[[gnu::noinline]] inline int& constructs_here() {
  int* here = &constructs_of_thread;
  asm volatile("" : "+r"(here) : : "memory");
  return *here;
}
[[gnu::noinline]] inline void tell_observers(const setting& in) {
  observer_list::all().entered(in.arena, constructs_here() == 0);
}

// Around a construct, or a stay in an arena. `outside`: the setting before it.
class tells_exit {
 public:
  explicit tells_exit(const setting& outside, const arena_record* of = nullptr)
      : of_(of), thread_of_program_(outside.outside()), tells_(thread_of_program_ || of != nullptr) {
    if (thread_of_program_) ++constructs_here();
  }
  tells_exit(const tells_exit&) = delete;
  tells_exit& operator=(const tells_exit&) = delete;
  ~tells_exit() {
    if (tells_ && observers.load(std::memory_order_relaxed) != 0)
      observer_list::all().left(of_, constructs_here() == 0);
    if (thread_of_program_) --constructs_here();
  }

 private:
  const arena_record* const of_;
  const bool thread_of_program_;
  const bool tells_;
};

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::task_scheduler_observer;
}  // namespace v1
}  // namespace tbb

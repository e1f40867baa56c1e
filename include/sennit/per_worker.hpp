// SPDX-License-Identifier: Apache-2.0
// per_worker: storage in which each thread has its own part.
#pragma once

#include <sennit/detail/algorithm/combine.hpp>
#include <sennit/detail/config.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

// A pointer for each thread that asks for one, null at first. The pointers never move. Threads are numbered
// from 0 across the process. When a thread ends, a later thread may take over its number, and with the
// number its pointer.
class SENNIT_EXPORT thread_slots {
 public:
  using slot = std::atomic<void*>;

  thread_slots() = default;
  thread_slots(const thread_slots&) = delete;
  thread_slots& operator=(const thread_slots&) = delete;
  ~thread_slots();

  // The pointer of the calling thread. Throws std::bad_alloc, and std::runtime_error beyond `most_threads`.
  slot& own();
  // Visits pointers in the order of the numbers. Precondition: no other thread uses the object.
  template <class F>
  void for_each(F&& f) const {
    for (unsigned k = 0; k < pieces; ++k) {
      slot* const piece = pieces_[k].load(std::memory_order_relaxed);
      for (unsigned i = 0; piece != nullptr && i < least << k; ++i) f(piece[i]);
    }
  }

  static constexpr unsigned most_threads = 1U << 16;  // at the same time

 private:
  // Each piece is as long as all pieces before it together, and `least`.
  static constexpr unsigned least = 32;
  static constexpr unsigned pieces = 12;
  static_assert((least << pieces) - least >= most_threads);
  slot* piece(unsigned k);
  SENNIT_COLD slot* make_piece(unsigned k);

  std::atomic<slot*> pieces_[pieces]{};
};

}  // namespace detail

// A T for each thread that asks for one: scratch space, counters, caches, generators. A T is made when its
// thread first asks. Every thread can have one: a worker of any runtime, a guest, a thread that replaces a
// blocked one, and a thread in no region. So the number of workers need not be known in advance.
//
//   per_worker<T> x;         each T begins as T()
//   per_worker<T> x(make);   each T begins as make(), which several threads may call at once
//   per_worker<T> x(value);  each T begins as a copy of `value`
//
// Which iterations or branches use the same T differs from run to run. So a computed value must not depend
// on that, except for the order in which values are combined: combine() needs a commutative operation. For
// the serial order use sennit::reducer.
//
// oneTBB calls it enumerable_thread_specific and combinable. No two parts share a cache line, and no part
// moves. When a thread ends, its part goes to the next thread that asks for the first time. So there are
// never more parts than there were threads at once.
//
// Example:
//   #include <sennit/parallel_for.hpp>
//
//   #include <cstddef>
//   #include <functional>
//   #include <vector>
//
//   struct workspace {
//     std::vector<double> row;
//     double sum = 0;
//   };
//
//   double total(std::size_t rows, std::size_t width, void (*compute)(std::size_t row, std::vector<double>& out)) {
//     sennit::per_worker<workspace> spaces([=] { return workspace{std::vector<double>(width)}; });
//     sennit::parallel_for(std::size_t{0}, rows, [&](std::size_t i) {
//       workspace& mine = spaces.local();
//       compute(i, mine.row);
//       for (double x : mine.row) mine.sum += x;
//     });
//     double sum = 0;
//     spaces.for_each([&](const workspace& w) { sum += w.sum; });
//     return sum;
//   }
template <class T>
class per_worker {
  static_assert(
      std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T>,
      "per_worker: T is a reference, an array or constant; give a type of objects that can be changed");

 public:
  per_worker()
    requires std::default_initializable<T>
      : make_([] { return T(); }) {}
  // `make` returns a T. Several threads may call it at once, so its operator() is const.
  template <class Make>
    requires(std::is_invocable_r_v<T, std::decay_t<Make>&> && !std::same_as<std::decay_t<Make>, T> &&
             !std::same_as<std::decay_t<Make>, per_worker>)
  explicit per_worker(Make&& make) : make_(shared(std::forward<Make>(make))) {}
  explicit per_worker(T like)
    requires std::copy_constructible<T>
      : make_([like = std::move(like)] { return like; }) {}
  per_worker(const per_worker&) = delete;
  per_worker& operator=(const per_worker&) = delete;
  // Precondition of this and of all following members but local(): the parallel code that uses the object
  // has ended.
  ~per_worker() { clear(); }

  // The calling thread's T. The reference is valid until the caller's next construct. After a construct the
  // strand may run on another thread, and this thread may run other code that uses the same T. So call
  // local() again after each construct.
  //
  // Throws what making a T throws, std::bad_alloc, and std::runtime_error beyond 65,536 threads at once. If
  // it throws, there is no T yet, and the next call tries again. Thread-safety: any thread may call it at
  // any time. Cost: a call and a few loads; at the first call on a thread, an allocation.
  T& local() {
    if (void* const mine = slots_.own().load(std::memory_order_relaxed)) [[likely]]
      return static_cast<part*>(mine)->value;
    return made();
  }

  // Calls f(T&) for each T that has been made, one after the other, in the order of the threads' numbers. A
  // thread gets the lowest free number when it first asks. Programs should not depend on the order for
  // anything else.
  template <class F>
    requires std::invocable<F&, T&>
  void for_each(F&& f) {
    slots_.for_each([&](detail::thread_slots::slot& s) {
      if (void* const made = s.load(std::memory_order_relaxed))
        std::invoke(f, static_cast<part*>(made)->value);
    });
  }

  // Combines all Ts in the same order into a new T. If there is none, returns the value with which a thread
  // would begin. combine(T, const T&) returns the combined value, or combine(T&, const T&) appends the right
  // value to the left one.
  template <class Combine>
    requires(std::copy_constructible<T> && std::movable<T> && detail::combines<Combine, T, const T&>)
  T combine(Combine&& combine) {
    std::unique_ptr<T> all;
    for_each([&](const T& x) {
      if (all == nullptr) {
        all = std::make_unique<T>(x);
      } else {
        detail::combine_into(combine, *all, x);
      }
    });
    return all == nullptr ? make_() : std::move(*all);
  }

  // Destroys all Ts. Threads begin with new ones.
  void clear() noexcept {
    slots_.for_each([](detail::thread_slots::slot& s) {
      delete static_cast<part*>(s.exchange(nullptr, std::memory_order_relaxed));
    });
  }

 private:
  struct alignas(128) part {
    explicit part(const std::function<T()>& make) : value(make()) {}
    T value;
  };

  template <class Make>
  static std::function<T()> shared(Make&& make) {
    constexpr bool callable = std::invocable<const std::decay_t<Make>&>;
    static_assert(callable,
                  "per_worker: several threads may call the function that makes a T at once, so it cannot be "
                  "mutable; keep what it changes in an atomic outside");
    if constexpr (callable) return [make = std::forward<Make>(make)]() -> T { return make(); };
  }

  SENNIT_COLD T& made() {
    auto fresh = std::make_unique<part>(make_);
    // Read again: if making the T took a construct, the strand may be on another thread, which may have a T.
    auto& own = slots_.own();
    if (void* const other = own.load(std::memory_order_relaxed)) return static_cast<part*>(other)->value;
    T& value = fresh->value;
    // Relaxed: a thread reads another thread's T only after the code that made the T has ended.
    own.store(fresh.release(), std::memory_order_relaxed);
    return value;
  }

  const std::function<T()> make_;
  detail::thread_slots slots_;
};

template <class Make>
  requires std::invocable<Make&>
per_worker(Make) -> per_worker<std::invoke_result_t<Make&>>;
template <class T>
  requires(!std::invocable<T&>)
per_worker(T) -> per_worker<T>;

}  // namespace sennit

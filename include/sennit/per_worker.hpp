// per_worker: storage that each thread at work has its own part of.
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

// A pointer for each thread that asks, null at first. The pointers never move. Threads are numbered from 0
// on, across the process; a thread that ends leaves its number, and what belongs to that, to one that asks
// later.
class SENNIT_EXPORT thread_slots {
 public:
  using slot = std::atomic<void*>;

  thread_slots() = default;
  thread_slots(const thread_slots&) = delete;
  thread_slots& operator=(const thread_slots&) = delete;
  ~thread_slots();

  // That of the calling thread. Throws std::bad_alloc, and std::runtime_error beyond `most_threads`.
  slot& own();
  // In the order of the numbers. Precondition: nobody else is at it.
  template <class F>
  void for_each(F&& f) const {
    for (unsigned k = 0; k < pieces; ++k) {
      slot* const piece = pieces_[k].load(std::memory_order_relaxed);
      for (unsigned i = 0; piece != nullptr && i < least << k; ++i) f(piece[i]);
    }
  }

  static constexpr unsigned most_threads = 1U << 16;  // at once

 private:
  // Each piece is as long as all before it, and 32.
  static constexpr unsigned least = 32;
  static constexpr unsigned pieces = 12;
  static_assert((least << pieces) - least >= most_threads);
  slot* piece(unsigned k);
  SENNIT_COLD slot* make_piece(unsigned k);

  std::atomic<slot*> pieces_[pieces]{};
};

}  // namespace detail

// A T for each thread that asks: scratch space, counters, caches, generators. It is made when the thread
// first asks, and there is always one, whoever asks: a worker of any runtime, a guest, a thread that stands
// in for a blocked one, and a thread in no region. So there is no number of workers to know beforehand.
//
//   per_worker<T> x;         each begins as T()
//   per_worker<T> x(make);   as make(), which several threads may call at once
//   per_worker<T> x(value);  as a copy of `value`
//
// Which iterations or branches meet in one T differs from run to run. So what is computed must not depend on
// that, unless in its order: combine() wants an operation that is commutative. A sennit::reducer keeps the
// serial order.
//
// It is what oneTBB calls enumerable_thread_specific and combinable. No part shares a cache line with
// another, and none moves. A thread that has ended leaves its part to the next thread that asks for the first
// time, so there are never more parts than there were threads at once.
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
  // `make` returns a T; it may be called by several threads at once, so its operator() is const.
  template <class Make>
    requires(std::is_invocable_r_v<T, std::decay_t<Make>&> && !std::same_as<std::decay_t<Make>, T> &&
             !std::same_as<std::decay_t<Make>, per_worker>)
  explicit per_worker(Make&& make) : make_(shared(std::forward<Make>(make))) {}
  explicit per_worker(T like)
    requires std::copy_constructible<T>
      : make_([like = std::move(like)] { return like; }) {}
  per_worker(const per_worker&) = delete;
  per_worker& operator=(const per_worker&) = delete;
  // Precondition, as of all that follow but local(): the parallel code that uses it has ended.
  ~per_worker() { clear(); }

  // The calling thread's T. It is the caller's own until its next construct: there the strand may go on as
  // another thread's, and this thread may run other code that asks, too. Ask anew after it, and keep no
  // reference across it.
  //
  // Throws what making a T throws, std::bad_alloc, and std::runtime_error beyond 65,536 threads at once; then
  // there is none yet, and the next call tries again. Any thread may call it at any time. Cost: a call and a
  // few loads; the first time on a thread, an allocation.
  T& local() {
    if (void* const mine = slots_.own().load(std::memory_order_relaxed)) [[likely]]
      return static_cast<part*>(mine)->value;
    return made();
  }

  // Calls f(T&) for each T that has been made, one after the other, in the order of the threads' numbers.
  // These are small, and the lowest that is free goes to the thread that asks first; nothing more should be
  // made of the order.
  template <class F>
    requires std::invocable<F&, T&>
  void for_each(F&& f) {
    slots_.for_each([&](detail::thread_slots::slot& s) {
      if (void* const made = s.load(std::memory_order_relaxed))
        std::invoke(f, static_cast<part*>(made)->value);
    });
  }

  // All that have been made, combined in that order into a new T; where there is none, what a thread would
  // begin with. combine(T, const T&) returns the value of both, or combine(T&, const T&) appends the right
  // one to the left one.
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

  // Ends each T: threads begin anew.
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
    // Asked anew: if making it took a construct, the strand may be on another thread, which may have one.
    auto& own = slots_.own();
    if (void* const other = own.load(std::memory_order_relaxed)) return static_cast<part*>(other)->value;
    T& value = fresh->value;
    // Relaxed: who looks at another thread's knows that the code that made it has ended.
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

// SPDX-License-Identifier: Apache-2.0
// parallel_for: loops whose iterations may run in parallel. For ranges without random access: algorithm/for_each.hpp.
#pragma once

#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/chunks.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/refusal.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

namespace sennit {

// Chunks of n iterations: at least 1 and at most 2^62. A smaller or larger number is replaced by the nearest
// allowed one, so that a computed grain, such as n / 1000, needs no check.
template <std::integral I>
constexpr loop_options grain(I iterations) noexcept {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  if (std::cmp_less(iterations, 1)) return {.grain = 1};
  return {.grain = std::cmp_less(most, iterations) ? most : static_cast<std::uint64_t>(iterations)};
}
// Equal contiguous parts, one for each worker, that are not split any further: for iterations that take the
// same time.
//
// Which worker runs which part is not promised. A worker that comes late finds that another worker has taken
// its part. So the next loop over the same data may run its parts on other workers. Three other means bring
// iterations to the workers near their data:
//
//   no option     the parts that waiting workers get as the loop begins lie in the order of the workers
//   a partition   such as a sennit::split, says how large each of these parts is
//   replay()      of a distribution, such as sennit::block_distribution(), or of a recorded schedule, gives each iteration
//                 to the same worker in every loop
//
// Example:
//   #include <sennit/distribution.hpp>
//   #include <sennit/replay.hpp>
//   #include <sennit/worker.hpp>
//
//   #include <vector>
//
//   void step_by_step(std::vector<double>& x, unsigned steps) {  // x[i] stays with its worker
//     sennit::replay(sennit::block_distribution(x.size(), sennit::worker_count(), steps), sennit::strict_unordered, [&] {
//       for (unsigned s = 0; s < steps; ++s) sennit::parallel_for(x, [](double& e) { e *= 2; });
//     });
//   }
//   void once(std::vector<double>& x) { sennit::parallel_for(x, [](double& e) { e *= 2; }, sennit::static_partition); }
inline constexpr loop_options static_partition{.fixed_parts = true};

namespace detail {

// parallel_for, and its serial elision. The constraints distinguish the forms by the arguments before the
// body. The body itself is checked inside the function, where a message can say what is wrong with the body.
template <class Engine>
struct looping {
  template <std::integral N, class F, for_options Options = loop_options>
    requires(integer_bounds<N, N> && !std::is_arithmetic_v<std::remove_cvref_t<F>>)
  SENNIT_INLINE void operator()(N n, F&& body, const Options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_for");
    from_index(N{0}, n, body, how);
  }

  template <std::integral First, std::integral Last, class F, for_options Options = loop_options>
    requires(integer_bounds<First, Last> && !std::is_arithmetic_v<std::remove_cvref_t<F>>)
  SENNIT_INLINE void
  operator()(First first, Last last, F&& body, const Options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_for");
    from_index(first, last, body, how);
  }

  template <std::integral First, std::integral Last, std::integral Step, class F,
            for_options Options = loop_options>
    requires(integer_bounds<First, Last> && integer_bounds<Step, Step> &&
             !std::is_arithmetic_v<std::remove_cvref_t<F>>)
  SENNIT_INLINE void
  operator()(First first, Last last, Step step, F&& body, const Options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_for");
    using I = index<First, Last>;
    if constexpr (check_stepped_body<F, I>()) {
      Engine::for_positions(count(first, last, step),
                            stepped_chunks<I, F>{static_cast<I>(first), static_cast<position>(step), body},
                            how);
    }
  }

  template <std::random_access_iterator It, std::sized_sentinel_for<It> End, class F,
            for_options Options = loop_options>
  SENNIT_INLINE void operator()(It first, End last, F&& body, const Options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_for");
    const auto n = last - first;
    from_iterator(first, n > 0 ? static_cast<position>(n) : 0, body, how);
  }

  template <std::random_access_iterator It, std::integral N, class F, for_options Options = loop_options>
  SENNIT_INLINE void operator()(It first, N n, F&& body, const Options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_for");
    from_iterator(first, n > 0 ? static_cast<position>(n) : 0, body, how);
  }

  template <std::ranges::range R, class F, for_options Options = loop_options>
  SENNIT_INLINE void operator()(R&& range, F&& body, const Options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_for");
    if constexpr (check_range<R>()) {
      from_iterator(std::ranges::begin(range), static_cast<position>(std::ranges::size(range)), body, how);
    }
  }
  template <class T, class F, for_options Options = loop_options>
  SENNIT_INLINE void
  operator()(std::initializer_list<T> list, F&& body, const Options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_for");
    from_iterator(list.begin(), list.size(), body, how);
  }

  template <class... Arguments>
  void operator()(const Arguments&...) const {
    refuse_loop<Arguments...>();
  }

 private:
  template <class First, class Last, class F, class Options>
  SENNIT_INLINE static void from_index(First first, Last last, F& body, const Options& how) {
    using I = index<First, Last>;
    if constexpr (check_index_body<F, I>())
      Engine::for_positions(count(first, last), index_chunks<I, F>{static_cast<I>(first), body}, how);
  }
  template <class It, class F, class Options>
  SENNIT_INLINE static void from_iterator(It first, position n, F& body, const Options& how) {
    if constexpr (check_element_body<F, It>())
      Engine::for_positions(n, element_chunks<It, F>{first, body}, how);
  }
};

}  // namespace detail

// Calls a body for each integer or element of a sequence:
//
//   parallel_for(n, body, how = {})                  body(i) for the integers of [0, n)
//   parallel_for(first, last, body, how = {})        ... of [first, last)
//   parallel_for(first, last, step, body, how = {})  ... first, first + step, ... before last
//   parallel_for(iterator, end, body, how = {})      body(*iterator) for the iterators of [iterator, end)
//   parallel_for(iterator, n, body, how = {})        ... for n of them
//   parallel_for(range, body, how = {})              the same for a range with random access and a size
//
// A body that takes two arguments is called as body(from, to), with two integers or two iterators, for
// chunks that cover the sequence without overlap. Such a body cannot be used with a step. A body may be a
// pointer to a member of the elements.
//
// Bounds of different types mean the interval between their values, whatever their signs. The index has the
// common type of the bounds, as in a plain loop. One case differs: the common type is unsigned and has 32
// bits, and a bound is signed. The index is then a std::int64_t. If a bound is unsigned and has 64 bits, a
// negative index arrives modulo 2^64, so that a body which takes a signed type gets the right value. A step
// below zero counts down while the index is above `last`. The loop never reaches an index that its type
// cannot hold. Throws std::invalid_argument for a step of zero.
//
// `how` is a loop_options, such as grain(100), a partition, such as a split, or an affinity.
//
// Several threads call the body at once, so the body is called as a constant: a body that changes itself
// does not compile. A loop over a std::vector<bool> does not compile, because its elements share words. To
// read one, pass std::as_const() of the vector.
//
// Throws the exception of the lowest iteration that threw; with a step below zero, of the iteration that a
// serial loop calls first. Later iterations may have run. Throws sennit::cancelled in a cancelled region.
// Thread-safety: any thread may call it. Cost: that of the plain loop, and one reading of the clock for each
// chunk, which takes about a microsecond to run. Memory is allocated only for parts that other workers take.
//
// Example:
//   void add_scaled(long n, double a, const double* x, double* y) {
//     sennit::parallel_for(n, [=](long i) { y[i] += a * x[i]; });
//   }
//   void clear_even(long n, double* x) {
//     sennit::parallel_for(0, n, 2, [=](long i) { x[i] = 0; });
//   }
inline constexpr detail::looping<detail::in_parallel> parallel_for{};

}  // namespace sennit

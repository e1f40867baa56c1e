// parallel_reduce: the combined values of a loop's iterations.
#pragma once

#include <sennit/detail/code_of.hpp>
#include <sennit/detail/combine.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/engine.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop.hpp>
#include <sennit/detail/sequence.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace sennit {

// The option of parallel_reduce for a result that depends on neither workers nor timing, bit for bit.
struct deterministic_t {
  explicit deterministic_t() = default;
};
inline constexpr deterministic_t deterministic{};

namespace detail {

template <class O>
concept reduce_options = std::same_as<O, loop_options> || std::same_as<O, deterministic_t>;

// What a map makes of a value of the sequence.
template <class F, class V>
concept reduce_map = std::invocable<F&, V> && !std::is_void_v<std::invoke_result_t<F&, V>>;

// A concept of its own, for compilers to name: parallel_reduce(x, 0.0, std::plus<>(), deterministic).
template <class F>
concept operation_before_options = !reduce_options<std::remove_cvref_t<F>>;

template <class F, class T, class V>
concept reduce_operation = operation_before_options<F> && combines<F, T, V> && combines<F, T>;

// Each strand starts its part with the first value or, where that is no T, with a copy of the identity.
template <class T, class V>
concept reduce_result = std::movable<T> && (std::convertible_to<V, T> || std::copy_constructible<T>);

template <class T, class V>
concept starts_with_value = std::convertible_to<V, T> && !drops_fractions<V, T>;

template <class F, class T, class V = T>
concept gives_fractions = std::invocable<F&, T, V> && drops_fractions<std::invoke_result_t<F&, T, V>, T>;

// The values of parts of a sequence, each part folded from left to right. For run_loop().
template <class Sequence, class T, class Map, class Combine>
class part_folder {
 public:
  using value = std::optional<T>;
  static constexpr bool whole_chunks = false;
  static constexpr bool starts_with_first =
      starts_with_value<T, std::invoke_result_t<Map&, typename Sequence::value>>;

  SENNIT_INLINE part_folder(const Sequence& sequence, T& identity, Map& map, Combine& combine)
      : sequence_(sequence), map_(map), combine_(combine), identity_(identity) {}

  // Of [from, to), which is not empty.
  SENNIT_INLINE T fold(position from, position to) const {
    value part;
    run(part, from, to, no_gate());
    return *std::move(part);
  }

  // Appends [from, to), which is not empty, to `left`, as far as the gate is open, and returns how far that was.
  template <class Gate>
  SENNIT_INLINE position extend(T& left, position from, position to, Gate gate) const {
    auto&& map = nearby(map_);
    auto&& combine = nearby(combine_);
    const auto begin = sequence_.at(from);
    const auto end = sequence_.at(to);
    auto i = begin;
    do {
      combine_into(combine, left, detail::invoke(map, Sequence::read(i)));
      ++i;
    } while (goes_on(i, begin, end, gate));
    return from + static_cast<position>(i - begin);
  }

  SENNIT_INLINE T combined(T&& left, T&& right) const {
    append(left, std::move(right));
    return std::move(left);
  }
  SENNIT_INLINE void append(T& left, T&& right) const {
    auto&& combine = nearby(combine_);
    combine_into(combine, left, std::move(right));
  }

  // All parts: the identity has its place to the left of them, unless it is in each.
  SENNIT_INLINE T finished(T&& identity, T&& parts) const {
    if constexpr (starts_with_first) {
      return combined(std::move(identity), std::move(parts));
    } else {
      return std::move(parts);
    }
  }

  SENNIT_INLINE value make() const { return std::nullopt; }
  template <class Gate>
  SENNIT_INLINE position run(value& part, position from, position to, Gate gate) const {
    if (!part) {
      begin(part, from);
      if (starts_with_first && ++from == to) return to;
    }
    if constexpr (fits_registers) {
      T left = *std::move(part);
      const position at = extend(left, from, to, gate);
      *part = std::move(left);
      return at;
    } else {
      return extend(*part, from, to, gate);
    }
  }
  SENNIT_INLINE void run_one(value& part, position at) const {
    if (part) {
      (void)extend(*part, at, at + 1, no_gate());
    } else {
      run(part, at, at + 1, no_gate());
    }
  }
  std::uintptr_t code() const noexcept { return code_of(map_) ^ code_of(combine_); }
  void merge(value& left, value&& right) const {
    if (!right) return;
    if (left) {
      append(*left, *std::move(right));
    } else {
      left = std::move(right);
    }
  }

 private:
  SENNIT_INLINE void begin(value& part, position from) const {
    if constexpr (starts_with_first) {
      auto&& map = nearby(map_);
      part.emplace(detail::invoke(map, Sequence::read(sequence_.at(from))));
    } else {
      part.emplace(identity_.value);
    }
  }

  // Such a value stays there for a chunk, whatever its elements alias; any other one had better not move.
  static constexpr bool fits_registers =
      std::is_trivially_destructible_v<T> && sizeof(T) <= 8 * sizeof(void*);

  struct reference {
    SENNIT_INLINE explicit reference(T& identity) noexcept : value(identity) {}
    T& value;
  };
  struct nothing {
    SENNIT_INLINE explicit nothing(T&) noexcept {}
  };

  Sequence sequence_;
  held<Map> map_;
  held<Combine> combine_;
  [[no_unique_address]] std::conditional_t<starts_with_first, nothing, reference> identity_;
};

// The tree of a deterministic reduction: halves, down to leaves whose size depends on n only. A thousand
// leaves are enough for hundreds of workers; where n is large the forks between them cost nothing against the
// leaves.
template <class Engine, class T, class Folder>
class reduction_tree {
 public:
  reduction_tree(const Folder& parts, position n)
      : parts_(parts), leaf_((n + most_leaves - 1) / most_leaves) {}

  T fold(position from, position to) const {
    if (to - from <= leaf_) return parts_.fold(from, to);
    const position middle = from + (to - from) / 2;
    auto [left, right] =
        Engine::join([=, this] { return fold(from, middle); }, [=, this] { return fold(middle, to); });
    return parts_.combined(std::move(left), std::move(right));
  }

 private:
  static constexpr position most_leaves = 1024;

  const Folder& parts_;
  position leaf_;
};

template <class Engine, class Sequence, class T, class Map, class Combine, class Options>
SENNIT_INLINE T reduce(const Sequence& sequence, T identity, Map& map, Combine& combine, const Options& how) {
  using mapped = std::invoke_result_t<Map&, typename Sequence::value>;
  static_assert(!gives_fractions<Combine, T, mapped> && !gives_fractions<Combine, T>,
                "parallel_reduce: the identity is an integer, so the fraction of each result would be lost; "
                "give the identity the type of the result, as in 0.0");
  if (sequence.size == 0) return identity;
  using folder = part_folder<Sequence, T, Map, Combine>;
  // Not const: GCC keeps constant objects in memory.
  folder parts(sequence, identity, map, combine);
  if constexpr (std::same_as<Options, deterministic_t>) {
    return parts.finished(std::move(identity),
                          reduction_tree<Engine, T, folder>(parts, sequence.size).fold(0, sequence.size));
  } else {
    return parts.finished(std::move(identity), *Engine::fold(sequence.size, parts, how));
  }
}

// parallel_reduce, and its serial elision. See below.
template <class Engine>
struct reduction {
  template <class First, class Last, class T, class Map, class Combine = std::plus<>,
            reduce_options Options = loop_options>
    requires bounds<First, Last> && reduce_map<Map, typename sequence_for<First, Last>::value> &&
             reduce_operation<Combine, T,
                              std::invoke_result_t<Map&, typename sequence_for<First, Last>::value>> &&
             reduce_result<T, std::invoke_result_t<Map&, typename sequence_for<First, Last>::value>>
  T operator()(First first, Last last, T identity, Map&& map, Combine&& combine = {},
               const Options& how = Options()) const {
    return reduce<Engine>(sequence_of(first, last), std::move(identity), map, combine, how);
  }

  template <class First, class Last, class T, class Combine = std::plus<>,
            reduce_options Options = loop_options>
    requires bounds<First, Last> && (!reduce_map<Combine, typename sequence_for<First, Last>::value>) &&
             reduce_operation<Combine, T, typename sequence_for<First, Last>::value> &&
             reduce_result<T, typename sequence_for<First, Last>::value>
  T operator()(First first, Last last, T identity, Combine&& combine = {},
               const Options& how = Options()) const {
    std::identity map;
    return reduce<Engine>(sequence_of(first, last), std::move(identity), map, combine, how);
  }

  template <countable_range R, class T, class Map, class Combine = std::plus<>,
            reduce_options Options = loop_options>
    requires reduce_map<Map, std::ranges::range_reference_t<R>> &&
             reduce_operation<Combine, T, std::invoke_result_t<Map&, std::ranges::range_reference_t<R>>> &&
             reduce_result<T, std::invoke_result_t<Map&, std::ranges::range_reference_t<R>>>
  T operator()(R&& range, T identity, Map&& map, Combine&& combine = {},
               const Options& how = Options()) const {
    return reduce<Engine>(sequence_of(range), std::move(identity), map, combine, how);
  }

  template <countable_range R, class T, class Combine = std::plus<>, reduce_options Options = loop_options>
    requires(!reduce_map<Combine, std::ranges::range_reference_t<R>>) &&
            reduce_operation<Combine, T, std::ranges::range_reference_t<R>> &&
            reduce_result<T, std::ranges::range_reference_t<R>>
  T operator()(R&& range, T identity, Combine&& combine = {}, const Options& how = Options()) const {
    std::identity map;
    return reduce<Engine>(sequence_of(range), std::move(identity), map, combine, how);
  }
};

}  // namespace detail

// combine(... combine(combine(identity, map(first)), map(first + 1)) ..., map(last - 1)), in any bracketing.
//
//   parallel_reduce(first, last, identity, map, combine = std::plus<>(), how = {})  two integers or iterators
//   parallel_reduce(first, last, identity, combine = std::plus<>(), how = {})       the values as they are
//   parallel_reduce(range, identity, map, combine = std::plus<>(), how = {})        random-access, sized
//   parallel_reduce(range, identity, combine = std::plus<>(), how = {})
//
// combine takes (T, T) and (T, mapped value) and gives a T; or it takes (T&, T) and (T&, mapped value),
// appends the right one to the left one and gives nothing, so that a large value stays where it is. It is
// associative; it need not be commutative: the order is that of the sequence. T is the type of `identity`,
// which is moved, not copied, and counts once, at the left; an empty sequence gives it back. Only where a
// mapped value does not convert to T, or as a floating-point number not to an integer without loss, does each
// strand start with a copy of it, and then it must be an identity: combine(identity, x) == x. A combine that
// gives floating-point numbers where T is an integer does not compile: `parallel_reduce(x, 0)` over doubles
// has to be `parallel_reduce(x, 0.0)`.
//
// `how` is a loop_options, such as grain(100), or `deterministic`: the bracketing is then a tree that depends
// on the number of values only, so that rounding is the same with any number of workers and in
// sennit::serial. (With -ffast-math compilers reorder the additions inside a leaf as they see fit.)
//
// map and combine are called by several threads at once, map once for each value. Throws what the lowest
// iteration that throws threw, by map or by combine inside one strand's part; else what combining the parts
// threw. Throws sennit::cancelled in a cancelled region. Cost: as parallel_for, and a combination for each
// part of the loop that another worker took.
//
// Example:
//   #include <array>
//   #include <cstddef>
//   #include <vector>
//
//   double norm(const std::vector<double>& x) {
//     return sennit::parallel_reduce(x, 0.0, [](double v) { return v * v; });
//   }
//   double same_everywhere(const std::vector<double>& x) {
//     return sennit::parallel_reduce(x, 0.0, std::plus<>(), sennit::deterministic);
//   }
//   long sum_of_squares(long n) {
//     return sennit::parallel_reduce(0, n, 0L, [](long i) { return i * i; });
//   }
//
//   using histogram = std::array<long, 256>;
//   struct count {
//     void operator()(histogram& left, unsigned char byte) const { ++left[byte]; }
//     void operator()(histogram& left, const histogram& right) const {
//       for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
//     }
//   };
//   histogram histogram_of(const std::vector<unsigned char>& bytes) {
//     return sennit::parallel_reduce(bytes, histogram(), count());
//   }
inline constexpr detail::reduction<detail::in_parallel> parallel_reduce{};

}  // namespace sennit

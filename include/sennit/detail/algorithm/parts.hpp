// SPDX-License-Identifier: Apache-2.0
// The values of parts of a sequence, each computed in order, numbers by fours: the basis of reductions and folds.
#pragma once

#include <sennit/detail/algorithm/combine.hpp>
#include <sennit/detail/algorithm/operations.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/code_of.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/held.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace sennit {

// An option of parallel_reduce and parallel_fold. The result then depends neither on workers nor on timing,
// bit for bit.
struct deterministic_t {
  explicit deterministic_t() = default;
};
inline constexpr deterministic_t deterministic{};

namespace detail {

template <class O>
concept reduce_options = std::same_as<O, loop_options> || std::same_as<O, deterministic_t>;

// A value converted to the type of the result, or the value itself if it has that type.
template <class T, class V>
using converted = std::conditional_t<std::same_as<std::remove_cvref_t<V>, T>, V&&, T>;
template <class T, class V>
SENNIT_INLINE converted<T, V> convert(V&& v) {
  return static_cast<converted<T, V>>(v);
}

// The base of bodies for run_loop(). `Derived` says how a part begins and how it continues:
//
//   T begin(position from)
//       the value of the first element, or of none
//   static constexpr position begins_after
//       the number of elements that begin() uses
//   position extend(T& left, position from, position to, Gate)
//       adds elements, at least one. Returns where it stopped: at `to`, or where it found the gate shut
template <class Derived, class T, class Combine>
class parts {
 public:
  using value = std::optional<T>;
  static constexpr bool whole_chunks = false;

  SENNIT_INLINE explicit parts(Combine& combine) : combine_(combine) {}

  // The value of [from, to), which is not empty.
  SENNIT_INLINE T fold(position from, position to) const {
    value part;
    run(part, from, to, no_gate());
    return *std::move(part);
  }

  SENNIT_INLINE T combined(T&& left, T&& right) const {
    append(left, std::move(right));
    return std::move(left);
  }
  SENNIT_INLINE void append(T& left, T&& right) const {
    auto&& combine = nearby(combine_);
    combine_into(combine, left, std::move(right));
  }

  SENNIT_INLINE value make() const { return std::nullopt; }
  template <class Gate>
  SENNIT_INLINE position run(value& part, position from, position to, Gate gate) const {
    if (!part) {
      part.emplace(self().begin(from));
      from += Derived::begins_after;
      if (from == to) return to;
    }
    if constexpr (fits_registers) {
      T left = *std::move(part);
      const position at = self().extend(left, from, to, gate);
      *part = std::move(left);
      return at;
    } else {
      return self().extend(*part, from, to, gate);
    }
  }
  SENNIT_INLINE void run_one(value& part, position at) const {
    if (part) {
      (void)self().extend(*part, at, at + 1, no_gate());
    } else {
      run(part, at, at + 1, no_gate());
    }
  }
  void merge(value& left, value&& right) const {
    if (!right) return;
    if (left) {
      append(*left, *std::move(right));
    } else {
      left = std::move(right);
    }
  }

 protected:
  held<Combine> combine_;

 private:
  // A value of such a type stays in a register for a chunk, whatever its elements alias. A value of another
  // type should not be moved.
  static constexpr bool fits_registers =
      std::is_trivially_destructible_v<T> && sizeof(T) <= 8 * sizeof(void*);

  SENNIT_INLINE const Derived& self() const { return static_cast<const Derived&>(*this); }
};

// A part begins with the value of its first element.
template <class Sequence, class T, class Map, class Combine>
class reduced_parts : public parts<reduced_parts<Sequence, T, Map, Combine>, T, Combine> {
 public:
  static constexpr position begins_after = 1;

  SENNIT_INLINE reduced_parts(const Sequence& sequence, Map& map, Combine& combine)
      : reduced_parts::parts(combine), sequence_(sequence), map_(map) {}

  SENNIT_INLINE T begin(position from) const {
    auto&& map = nearby(map_);
    return static_cast<T>(detail::invoke(map, Sequence::read(sequence_.at(from))));
  }
  template <class Gate>
  SENNIT_INLINE position extend(T& left, position from, position to, Gate gate) const {
    auto&& map = nearby(map_);
    auto&& combine = nearby(this->combine_);
    const auto begin = sequence_.at(from);
    const auto end = sequence_.at(to);
    auto i = begin;
    if constexpr (in_fours && std::same_as<Gate, no_gate>) {
      const auto next = [&]() -> T {
        const T element = static_cast<T>(detail::invoke(map, Sequence::read(i)));
        ++i;
        return element;
      };
      const auto two = [&] {
        T both = next();
        combine_into(combine, both, next());
        return both;
      };
      for (position fours = (to - from) / 4; fours != 0; --fours) {
        T four = two();
        combine_into(combine, four, two());
        combine_into(combine, left, std::move(four));
      }
      if (end - i == 0) return to;
    }
    do {
      combine_into(combine, left, convert<T>(detail::invoke(map, Sequence::read(i))));
      ++i;
    } while (goes_on(i, begin, end, gate));
    return from + static_cast<position>(i - begin);
  }
  std::uintptr_t code() const noexcept { return code_of(map_) ^ code_of(this->combine_); }

 private:
  // Numbers are combined by twos, and these with the value so far, as std::reduce does it: the processor does not wait for
  // each of them. But where a gate is looked at, an iteration may take any time, and the gate is looked at after each.
  static constexpr bool in_fours = std::is_arithmetic_v<T> && known_to_associate<Combine>;

  Sequence sequence_;
  held<Map> map_;
};

// The leftmost part begins with the first value. Each other part begins with the identity of the
// combination, or with a copy of the first value, which must be an identity then.
template <class Sequence, class T, class Fold, class Combine>
class folded_parts : public parts<folded_parts<Sequence, T, Fold, Combine>, T, Combine> {
 public:
  static constexpr position begins_after = 0;

  SENNIT_INLINE folded_parts(const Sequence& sequence, T& first, Fold& fold, Combine& combine)
      : folded_parts::parts(combine), sequence_(sequence), first_(first), fold_(fold) {}

  SENNIT_INLINE T begin(position from) const {
    if constexpr (knows_identity<Combine, T>) {
      if (from != 0) return identity_of<T>(this->combine_);
      return std::move(first_);
    } else {
      return first_;
    }
  }
  template <class Gate>
  SENNIT_INLINE position extend(T& left, position from, position to, Gate gate) const {
    auto&& fold = nearby(fold_);
    const auto begin = sequence_.at(from);
    const auto end = sequence_.at(to);
    auto i = begin;
    do {
      combine_into(fold, left, Sequence::read(i));
      ++i;
    } while (goes_on(i, begin, end, gate));
    return from + static_cast<position>(i - begin);
  }
  std::uintptr_t code() const noexcept { return code_of(fold_); }

 private:
  Sequence sequence_;
  T& first_;
  held<Fold> fold_;
};

// The tree of a deterministic reduction: halves, down to leaves whose size depends on n only. A thousand
// leaves are enough for hundreds of workers. If n is large, the cost of the forks is negligible beside that
// of the leaves.
template <class Engine, class T, class Parts>
class reduction_tree {
 public:
  reduction_tree(const Parts& parts, position n, position leaves = most_leaves)
      : parts_(parts), leaf_((n + leaves - 1) / leaves) {}

  T fold(position from, position to) const {
    if (to - from <= leaf_) return parts_.fold(from, to);
    const position middle = from + (to - from) / 2;
    auto [left, right] =
        Engine::join([=, this] { return fold(from, middle); }, [=, this] { return fold(middle, to); });
    return parts_.combined(std::move(left), std::move(right));
  }

 private:
  static constexpr position most_leaves = 1024;

  const Parts& parts_;
  position leaf_;
};

// Precondition: n > 0.
template <class Engine, class T, class Parts, class Options>
SENNIT_INLINE T value_of_parts(Parts& parts, position n, const Options& how) {
  if constexpr (std::same_as<Options, deterministic_t>) {
    return reduction_tree<Engine, T, Parts>(parts, n).fold(0, n);
  } else {
    return *Engine::fold(n, parts, how);
  }
}

}  // namespace detail
}  // namespace sennit

// SPDX-License-Identifier: Apache-2.0
// The lazy sequences: a source, and what each stage makes of the sequence before it.
#pragma once

#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/each/element.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

struct elsewhere {};

// The elements of a range with random access, or integers. `owner` keeps a range that nothing else does.
template <class Engine, class Sequence, class Owner = elsewhere>
class source {
 public:
  using lazy = void;
  using engine = Engine;
  using element = typename Sequence::value;
  static constexpr bool indexed = true;

  explicit source(const Sequence& sequence, Owner owner = {})
      : sequence_(sequence), owner_(std::move(owner)) {}

  void prepare(const loop_options&) {}
  position size() const { return sequence_.size; }
  element at(position p) const { return Sequence::read(sequence_.at(p)); }
  template <class Take>
  SENNIT_INLINE bool push(position from, position to, Take&& take) const {
    const auto end = sequence_.at(to);
    for (auto i = sequence_.at(from); i != end; ++i) {
      if (give(take, Sequence::read(i))) return true;
    }
    return false;
  }

 private:
  Sequence sequence_;
  [[no_unique_address]] Owner owner_;
};

// Base of what hands most on to the sequence before it.
template <class Base>
class stage_over {
 public:
  using lazy = void;
  using engine = typename Base::engine;

  explicit stage_over(Base base) : base_(std::move(base)) {}
  void prepare(const loop_options& how) { base_.prepare(how); }
  position size() const { return base_.size(); }

 protected:
  Base base_;
};

template <class Base, class F>
class mapped : public stage_over<Base> {
 public:
  using element = std::invoke_result_t<const F&, element_of<Base>>;
  static constexpr bool indexed = Base::indexed;

  mapped(Base base, F f) : stage_over<Base>(std::move(base)), f_(std::move(f)) {}
  element at(position p) const { return detail::invoke(f_, this->base_.at(p)); }
  template <class Take>
  SENNIT_INLINE bool push(position from, position to, Take&& take) const {
    return this->base_.push(from, to, [&](auto&& value) {
      return give(take, detail::invoke(f_, std::forward<decltype(value)>(value)));
    });
  }

 private:
  F f_;
};

template <class Base, class F>
class filtered : public stage_over<Base> {
 public:
  using element = element_of<Base>;
  static constexpr bool indexed = false;

  filtered(Base base, F keeps) : stage_over<Base>(std::move(base)), keeps_(std::move(keeps)) {}
  template <class Take>
  SENNIT_INLINE bool push(position from, position to, Take&& take) const {
    return this->base_.push(from, to, [&](auto&& value) {
      return detail::invoke(keeps_, std::as_const(value)) && give(take, std::forward<decltype(value)>(value));
    });
  }

 private:
  F keeps_;
};

// The elements of elements, which are ranges.
template <class Base>
class flattened : public stage_over<Base> {
 public:
  using element = std::ranges::range_reference_t<element_of<Base>>;
  static constexpr bool indexed = false;

  using stage_over<Base>::stage_over;
  template <class Take>
  SENNIT_INLINE bool push(position from, position to, Take&& take) const {
    return this->base_.push(from, to, [&](auto&& range) {
      for (auto&& value : range) {
        if (give(take, std::forward<decltype(value)>(value))) return true;
      }
      return false;
    });
  }
};

// Each element with its number.
template <class Base>
class enumerated : public stage_over<Base> {
 public:
  using element = std::pair<std::size_t, element_of<Base>>;
  static constexpr bool indexed = true;

  using stage_over<Base>::stage_over;
  element at(position p) const { return element(p, this->base_.at(p)); }
  template <class Take>
  SENNIT_INLINE bool push(position from, position to, Take&& take) const {
    return this->base_.push(from, to, [&](auto&& value) {
      return give(take, element(from++, std::forward<decltype(value)>(value)));
    });
  }
};

// The elements of two sequences in pairs, as long as both have some.
template <class Base, class Other>
class paired : public stage_over<Base> {
 public:
  using element = std::pair<element_of<Base>, element_of<Other>>;
  static constexpr bool indexed = true;

  paired(Base base, Other other) : stage_over<Base>(std::move(base)), other_(std::move(other)) {}
  void prepare(const loop_options& how) {
    this->base_.prepare(how);
    other_.prepare(how);
  }
  position size() const { return std::min(this->base_.size(), other_.size()); }
  element at(position p) const { return element(this->base_.at(p), other_.at(p)); }
  template <class Take>
  SENNIT_INLINE bool push(position from, position to, Take&& take) const {
    return this->base_.push(from, to, [&](auto&& value) {
      return give(take, element(std::forward<decltype(value)>(value), other_.at(from++)));
    });
  }

 private:
  Other other_;
};

// The elements of [first, first + n), as far as there are some.
template <class Base>
class cut : public stage_over<Base> {
 public:
  using element = element_of<Base>;
  static constexpr bool indexed = true;

  cut(Base base, position first, position n) : stage_over<Base>(std::move(base)), first_(first), n_(n) {}
  position size() const {
    const position all = this->base_.size();
    return std::min(n_, all - std::min(first_, all));
  }
  element at(position p) const { return this->base_.at(first_ + p); }
  template <class Take>
  SENNIT_INLINE bool push(position from, position to, Take&& take) const {
    return this->base_.push(first_ + from, first_ + to, std::forward<Take>(take));
  }

 private:
  position first_;
  position n_;
};

template <class Base>
struct neighbor {
  element_of<Base> operator()(position p) const { return base->at(p); }
  const Base* base;
};
template <class Base>
using neighbors =
    decltype(std::views::iota(position{}, position{}) | std::views::transform(neighbor<Base>{}));
template <class Base>
struct kept_element<std::ranges::transform_view<std::ranges::iota_view<position, position>, neighbor<Base>>> {
  using type = std::vector<kept_of<Base>>;
};

// Neighbors: from each `step`-th element on, `length` of them. The last ones may be fewer where `whole` is false.
template <class Base>
class windows : public stage_over<Base> {
 public:
  using element = neighbors<Base>;
  static constexpr bool indexed = true;

  windows(Base base, position length, position step, bool whole)
      : stage_over<Base>(std::move(base)), length_(length), step_(step), whole_(whole) {}
  position size() const {
    const position all = this->base_.size();
    if (whole_) return all < length_ ? 0 : (all - length_) / step_ + 1;
    return all / step_ + (all % step_ != 0 ? 1 : 0);
  }
  element at(position p) const {
    const position first = p * step_;
    const position last = first + std::min(length_, this->base_.size() - first);
    return std::views::iota(first, last) | std::views::transform(neighbor<Base>{&this->base_});
  }
  template <class Take>
  SENNIT_INLINE bool push(position from, position to, Take&& take) const {
    for (; from != to; ++from) {
      if (give(take, at(from))) return true;
    }
    return false;
  }

 private:
  position length_;
  position step_;
  bool whole_;
};

}  // namespace sennit::detail

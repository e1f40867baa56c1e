// SPDX-License-Identifier: Apache-2.0
// Two sequences as one whose values are pairs.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <cstddef>

namespace sennit::detail {

template <class Left, class Right>
struct zipped {
  struct cursor {
    typename Left::cursor left;
    typename Right::cursor right;

    SENNIT_INLINE cursor& operator++() {
      ++left;
      ++right;
      return *this;
    }
    SENNIT_INLINE friend std::ptrdiff_t operator-(const cursor& a, const cursor& b) {
      return a.left - b.left;
    }
    SENNIT_INLINE friend bool operator<(const cursor& a, const cursor& b) { return a.left < b.left; }
  };
  struct value {
    typename Left::value left;
    typename Right::value right;
  };
  using element = value;

  SENNIT_INLINE cursor at(position p) const { return {left.at(p), right.at(p)}; }
  SENNIT_INLINE static value read(const cursor& i) { return {Left::read(i.left), Right::read(i.right)}; }

  Left left;
  Right right;
  position size;
};

}  // namespace sennit::detail

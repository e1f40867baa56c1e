// SPDX-License-Identifier: Apache-2.0
// What puts copies of elements in their place where a comparison or a key throws.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

namespace sennit::detail {

// Copies n elements to where they are to be, if it ends before n is 0. Precondition: copying them throws nothing.
template <class From, class To>
struct rescue {
  From from;
  To to;
  std::size_t n;
  rescue(From source, To target, std::size_t count) : from(source), to(target), n(count) {}
  rescue(const rescue&) = delete;
  rescue& operator=(const rescue&) = delete;
  ~rescue() {
    if constexpr (std::equality_comparable_with<From, To>) {
      if (from == to) return;
    }
    std::copy_n(from, n, to);
  }
};

}  // namespace sennit::detail

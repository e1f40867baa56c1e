// SPDX-License-Identifier: Apache-2.0
// Where elements are in memory, and whether the output of an algorithm overlaps its input.
#pragma once

#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/misuse.hpp>

#include <functional>
#include <iterator>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>

#if SENNIT_CHECKED
namespace sennit::detail {

// The bytes [low, high), traversed upward or downward; empty if they are not known.
struct footprint {
  const char* low = nullptr;
  const char* high = nullptr;
  bool downwards = false;
};

template <class It>
inline constexpr bool is_reverse = false;
template <class It>
inline constexpr bool is_reverse<std::reverse_iterator<It>> = true;

template <class It>
footprint footprint_of(const elements<It>& all) {
  if constexpr (std::contiguous_iterator<It>) {
    const auto* const first = std::to_address(all.first);
    return {reinterpret_cast<const char*>(first), reinterpret_cast<const char*>(first + all.size), false};
  } else if constexpr (is_reverse<It>) {
    footprint base = footprint_of(elements<decltype(all.first.base())>{all.at(all.size).base(), all.size});
    base.downwards = !base.downwards;
    return base;
  } else if constexpr (requires { all.first.base(); } &&
                       !std::is_lvalue_reference_v<std::iter_reference_t<It>>) {
    // The iterator computes its elements from those of another iterator. If an iterator gives a part of
    // another iterator's element, the part is at another address.
    using base = std::remove_cvref_t<decltype(all.first.base())>;
    if constexpr (std::random_access_iterator<base>) {
      return footprint_of(elements<base>{all.first.base(), all.size});
    } else {
      return {};
    }
  } else {
    return {};
  }
}

// Checks that each element of the destination is the element of the source at the same position, or no
// element of the source. Otherwise an element may be written before it is read.
template <class In, class Out>
void expect_apart(const elements<In>& in, const elements<Out>& out, const char* algorithm,
                  std::source_location where) {
  if (in.size == 0 || out.size == 0) return;
  const footprint read = footprint_of(in);
  const footprint written = footprint_of(out);
  const std::less<const char*> before;
  if (!before(read.low, written.high) || !before(written.low, read.high)) return;
  if (read.low == written.low && read.high == written.high && read.downwards == written.downwards) return;
  misuse(std::string(algorithm) +
             ": the destination overlaps the input without being the same, so elements are written before "
             "they are read; write into another container, or give exactly the input as the destination",
         where);
}

}  // namespace sennit::detail
#endif

// Where elements lie in memory, and whether what an algorithm writes lies over what it reads.
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

// [low, high), gone through upwards or downwards; empty where that is not known.
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
    // Of an iterator that gives what it makes of another one's element. One that gives a part of it lies
    // elsewhere.
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

// That each element of the destination is that of the source at the same place, or none. Others may be
// written before they are read.
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

// SPDX-License-Identifier: Apache-2.0
// How the strands at work on a loop hold its body.
#pragma once

#include <sennit/detail/config.hpp>

#include <type_traits>

namespace sennit::detail {

// A copy of a small closure can live in registers; with a reference to the original, each iteration that
// writes memory might change what it has captured.
template <class F>
consteval bool is_light() {
  using closure = std::remove_cvref_t<F>;
  if constexpr (std::is_object_v<closure>) {
    // Copying may be deleted although it is trivial.
    return std::is_trivially_copyable_v<closure> && std::is_copy_constructible_v<closure> &&
           sizeof(closure) <= 12 * sizeof(void*);
  } else {
    return false;
  }
}
template <class F>
inline constexpr bool light = is_light<F>();
template <class F>
using held = std::conditional_t<light<F>, std::remove_cvref_t<F>, std::remove_reference_t<F>&>;
template <class F>
SENNIT_INLINE decltype(auto) nearby(F& f) noexcept {
  if constexpr (light<F>) {
    return F(f);
  } else {
    return (f);
  }
}

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// std::invoke that is always inlined. Otherwise compilers call it, and through it small functions, in loops
// where the calls are expensive.
#pragma once

#include <sennit/detail/config.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace sennit::detail {

template <class F, class... Arguments>
SENNIT_INLINE decltype(auto) invoke(F& f, Arguments&&... arguments) {
  if constexpr (std::is_member_pointer_v<std::remove_cv_t<F>>) {
    return std::invoke(f, std::forward<Arguments>(arguments)...);
  } else {
    return f(std::forward<Arguments>(arguments)...);
  }
}

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// The address of the code of a callable object whose type does not determine the code.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

namespace sennit::detail {

// Returns zero if the type determines the code, or if the code cannot be known.
template <class F>
std::uintptr_t code_of(const F& f) noexcept {
  if constexpr (std::is_function_v<F>) {
    return reinterpret_cast<std::uintptr_t>(&f);
  } else if constexpr (std::is_pointer_v<F> || std::is_member_pointer_v<F>) {
    static_assert(sizeof(F) >= sizeof(std::uintptr_t));
    std::uintptr_t code = 0;
    std::memcpy(&code, &f, sizeof code);
    return code;
  } else {
    return 0;
  }
}

template <class R, class... Arguments>
std::uintptr_t code_of(const std::function<R(Arguments...)>& f) noexcept {
#if defined(__cpp_rtti)
  if (R(*const* held)(Arguments...) = f.template target<R (*)(Arguments...)>()) return code_of(*held);
  return f.target_type().hash_code();
#else
  (void)f;
  return 0;
#endif
}

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// The functions of the C library that the checked variant replaces, to observe what a program does.
#pragma once

#include <dlfcn.h>

namespace sennit::detail {

// The function that a call would reach if this library had no function of that name.
template <class Function>
Function* replaced_function(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace sennit::detail

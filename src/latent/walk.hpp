// SPDX-License-Identifier: Apache-2.0
// The way outward to the frames with a latent call.
#pragma once

#include "beat/frame_expression.hpp"

#include <cstdint>

namespace sennit::detail {

// A call that goes on, and behind which another one is to come.
struct latent_site {
  std::uintptr_t* slot = nullptr;    // has the return address; null: there is none
  std::uintptr_t paired = 0;         // the counterpart of that
  frame_registers registers;         // as the call's return will find them
  std::uintptr_t end = 0;            // of the caller's frame
  std::uintptr_t arguments_end = 0;  // of the arguments that it may have got on the stack
};

// The outermost one of the calling strand whose frame is between the addresses: the stack grows down.
latent_site oldest_latent_site(const void* above, std::uintptr_t below) noexcept;

}  // namespace sennit::detail

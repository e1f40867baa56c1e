// SPDX-License-Identifier: Apache-2.0
// A small number for each thread of the process that asks for one.
#pragma once

namespace sennit::detail {

// The lowest that no other thread had when the calling one first asked. It is the thread's until that ends.
// Throws std::runtime_error beyond `most_thread_numbers` threads at once.
unsigned thread_number();
inline constexpr unsigned most_thread_numbers = 1U << 16;

}  // namespace sennit::detail

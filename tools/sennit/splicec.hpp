// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace command {

// Executes the translator, a separate program in the same directory, in place of this process. If that
// fails, throws std::runtime_error.
[[noreturn]] void become_splicec(int argc, const char* const* argv);

}  // namespace command

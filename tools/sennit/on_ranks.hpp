// SPDX-License-Identifier: Apache-2.0
// `sennit run KERNEL --ranks`: the command knows no MPI, so that it runs where there is none.
#pragma once

#include <string_view>

namespace command {

// Whether there is a program on ranks for the kernel.
bool is_on_ranks(std::string_view kernel);
// Whether these are the arguments of such a run, which has arguments of its own.
bool runs_on_ranks(int argc, const char* const* argv);

// Executes the kernel's program on ranks, a separate one, in place of this process. If that fails, throws std::runtime_error.
[[noreturn]] void become_program_on_ranks(int argc, const char* const* argv);

}  // namespace command

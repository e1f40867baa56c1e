// SPDX-License-Identifier: Apache-2.0
// What the library does if a program breaks a rule and no caller can handle the error.
#pragma once

#include <sennit/detail/config.hpp>

#include <source_location>
#include <string>

namespace sennit::detail {

// Prints "sennit: FILE:LINE: message" to stderr and ends the program. `where`: the construct in the user's
// program.
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void misuse(const std::string& message, std::source_location where);
// The same if no line is known. The checked variant uses the line of the innermost construct of the calling
// strand.
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void misuse(const std::string& message);
// Prints the message in the same way, and returns: for what may be correct.
SENNIT_COLD void warn(const std::string& message);

}  // namespace sennit::detail

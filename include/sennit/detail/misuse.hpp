// How the library answers a program that breaks a rule which no caller can handle.
#pragma once

#include <sennit/detail/config.hpp>

#include <source_location>
#include <string>

namespace sennit::detail {

// Prints "sennit: FILE:LINE: message" to stderr and ends the program. `where`: the construct in the user's
// program.
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void misuse(const std::string& message, std::source_location where);
// The same where no line is known; in the checked variant that of the innermost construct that the calling
// strand is in.
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void misuse(const std::string& message);
// Prints it in the same way, and returns: for what may be right after all.
SENNIT_COLD void warn(const std::string& message);

}  // namespace sennit::detail

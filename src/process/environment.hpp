// SPDX-License-Identifier: Apache-2.0
// The environment variables that set options of the library.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sennit::detail {

// The value of a variable; none if the variable is not set or empty.
std::optional<std::string_view> variable(const char* name);
// Reads an unsigned integer.
std::optional<unsigned long long> parse_number(std::string_view text);
// Reads an integer with the unit ns, us, ms or s; at most an hour.
std::optional<std::chrono::nanoseconds> parse_period(std::string_view text);
// Throws std::invalid_argument: `what` "is" the value, "but must be" what is allowed.
[[noreturn]] void refuse(const std::string& what, std::string_view value, const std::string& allowed);

// The variables in the environment with the library's prefix, known or not, and their values.
std::vector<std::pair<std::string_view, std::string_view>> variables_set();
bool is_known_variable(std::string_view name);
// The variable that was probably meant by an unknown name.
std::string advice_for(std::string_view unknown);
// Prints the names of unknown variables on stderr, once in a process.
void name_unknown_variables() noexcept;

}  // namespace sennit::detail

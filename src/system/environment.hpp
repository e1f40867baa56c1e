// The variables by which a user tells the library what to do.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sennit::detail {

// The value of a variable; none if it is not set or empty.
std::optional<std::string_view> variable(const char* name);
// A whole number, without a sign.
std::optional<unsigned long long> parse_number(std::string_view text);
// A whole number of ns, us, ms or s, at most an hour.
std::optional<std::chrono::nanoseconds> parse_period(std::string_view text);
// Throws std::invalid_argument: what "is" the value, "but must be" what is allowed.
[[noreturn]] void refuse(const std::string& what, std::string_view value, const std::string& allowed);

// The variables of the environment that are meant for the library, known or not, and their values.
std::vector<std::pair<std::string_view, std::string_view>> variables_set();
bool is_known_variable(std::string_view name);
// Which one is probably meant by a name that is not known.
std::string advice_for(std::string_view unknown);
// Says on stderr, once in a process, which of them the library does not know.
void name_unknown_variables() noexcept;

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// Reads the small text files that describe the system in Linux.
//
// It does not use iostreams: their first use costs a program more time and memory than everything that is
// read here.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace sennit::text {

// The whole file without its last line break; nothing if the file cannot be read.
std::optional<std::string> read_text(const std::string& path);

// The parts between separators, including empty parts; at least one part.
std::vector<std::string_view> split(std::string_view text, char separator);

bool contains(const std::vector<std::string_view>& parts, std::string_view part);

// The number that makes up the whole text.
template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The numbers of a list such as "0-3,8"; nothing if the text is no such list.
std::optional<std::vector<unsigned>> parse_list(std::string_view text);

}  // namespace sennit::text

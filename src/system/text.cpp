// SPDX-License-Identifier: Apache-2.0
#include "system/text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace sennit::text {

std::optional<std::string> read_text(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  // Reads to the end, because these files report a size of 0.
  std::string text;
  char block[4096];
  ssize_t got = 0;
  do {
    got = read(file, block, sizeof block);
    if (got > 0) text.append(block, static_cast<std::size_t>(got));
  } while (got > 0 || (got < 0 && errno == EINTR));
  close(file);
  if (got < 0) return std::nullopt;
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

bool contains(const std::vector<std::string_view>& parts, std::string_view part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::optional<std::vector<unsigned>> parse_list(std::string_view text) {
  constexpr unsigned most =
      1U << 20;  // more than any kernel counts, so that a typing error does not fill the memory
  std::vector<unsigned> numbers;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse<unsigned>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse<unsigned>(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= most) return std::nullopt;
    for (unsigned number = *first; number <= *last; ++number) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace sennit::text

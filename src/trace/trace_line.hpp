// SPDX-License-Identifier: Apache-2.0
// A line of a trace file: one event in JSON.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sennit::detail {

// What does not fit is cut off a text, so that the line stays JSON.
class trace_line {
 public:
  static constexpr std::size_t most_bytes = 1024;

  std::string_view text() const noexcept { return {bytes_.data(), size_}; }

  trace_line& raw(std::string_view text) noexcept {
    const std::size_t fits = std::min(text.size(), bytes_.size() - size_);
    std::copy_n(text.data(), fits, bytes_.data() + size_);
    size_ += fits;
    return *this;
  }
  template <std::unsigned_integral I>
  trace_line& number(I value) noexcept {
    size_ = static_cast<std::size_t>(
        std::to_chars(bytes_.data() + size_, bytes_.data() + bytes_.size(), value).ptr - bytes_.data());
    return *this;
  }
  // In microseconds.
  trace_line& time(std::uint64_t ns) noexcept {
    number(ns / 1000);
    const auto rest = static_cast<unsigned>(ns % 1000);
    const char digits[] = {'.', digit(rest / 100), digit(rest / 10 % 10), digit(rest % 10)};
    return raw({digits, sizeof digits});
  }
  // As a string of JSON, of at most so many bytes. What is not UTF-8 becomes U+FFFD.
  trace_line& quoted(std::string_view text, std::size_t most = 256) noexcept {
    raw("\"");
    const std::size_t end = std::min(size_ + most, bytes_.size());
    while (!text.empty() && size_ + most_of_one <= end) {
      const std::size_t bytes = utf8_bytes(text);
      if (bytes == 0) {
        raw("\\ufffd");
      } else if (bytes == 1) {
        escaped(text.front());
      } else {
        raw(text.substr(0, bytes));
      }
      text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    return raw("\"");
  }

 private:
  static constexpr std::size_t most_of_one = 6;  // bytes of a character, as it is written

  // How many bytes the first character has; 0: it is not UTF-8.
  static std::size_t utf8_bytes(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t bytes = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (bytes == 0 || bytes > text.size()) return 0;
    for (std::size_t i = 1; i < bytes; ++i)
      if ((byte(i) & 0xc0U) != 0x80) return 0;
    // Neither longer than need be, nor half of a pair, nor beyond the last character.
    const unsigned second = byte(1);
    const bool refused = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                         (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
    return refused ? 0 : bytes;
  }
  static char digit(unsigned value) noexcept { return static_cast<char>('0' + value); }
  void escaped(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      raw("\\").raw({&c, 1});
    } else if (byte < 0x20) {
      constexpr std::string_view digits = "0123456789abcdef";
      raw("\\u00").raw(digits.substr(byte >> 4, 1)).raw(digits.substr(byte & 15, 1));
    } else {
      raw({&c, 1});
    }
  }

  std::array<char, most_bytes> bytes_;
  std::size_t size_ = 0;
};

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// Files of numbers: their beginning and end, and the errors for wrong files.
#pragma once

#include "schedule/file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sennit::detail {

// What is common to all files of one kind.
struct number_file {
  file_kind kind;
  std::uint64_t version;
  const char* saved_by;
  const char* again;         // how to get a usable file
  std::uint64_t oldest = 0;  // the first version that can still be read; 0: only `version`
};

// A small number for small differences of either sign.
constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t code) { return (code >> 1) ^ (0 - (code & 1)); }

class number_writer {
 public:
  // Writes the beginning of a file of that kind.
  explicit number_writer(const number_file& of);
  void byte(unsigned value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void number(std::uint64_t value) {
    for (; value > 127; value >>= 7) byte(128 | (value & 127));
    byte(static_cast<unsigned>(value));
  }
  // The bytes with the checksum.
  std::vector<std::byte> finish();

 private:
  std::vector<std::byte> bytes_;
};

class number_reader {
 public:
  // Refuses bytes of another kind, of another version, or with a wrong checksum. Errors call the bytes by
  // `name`.
  number_reader(const number_file& of, std::span<const std::byte> bytes, const std::string& name);

  [[noreturn]] void refuse(const std::string& why) const;

  std::uint64_t version() const { return version_; }
  std::size_t left() const { return rest_.size(); }
  unsigned byte() {
    if (rest_.empty()) refuse("ends too early");
    const auto value = std::to_integer<unsigned>(rest_.front());
    rest_ = rest_.subspan(1);
    return value;
  }
  std::uint64_t number();
  std::uint32_t small_number();
  void expect_end() const {
    if (left() > 0) refuse("goes on after its end");
  }

 private:
  [[noreturn]] void refuse(const std::string& why, const std::string& remedy) const;

  const number_file& of_;
  std::uint64_t version_ = 0;
  std::span<const std::byte> rest_;
  const std::string& name_;
};

}  // namespace sennit::detail

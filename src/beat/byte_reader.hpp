// SPDX-License-Identifier: Apache-2.0
// Reads the encodings of DWARF (version 5, 7.6) from memory that belongs to a loaded module.
#pragma once

#include <cstdint>
#include <cstring>

namespace sennit::detail {

// A read beyond the end gives 0, and the reader is at its end from then on.
class byte_reader {
 public:
  byte_reader() = default;
  byte_reader(const unsigned char* begin, const unsigned char* end) noexcept : at_(begin), end_(end) {}

  bool at_end() const noexcept { return at_ >= end_; }
  // Whether a read went beyond the end.
  bool failed() const noexcept { return failed_; }
  const unsigned char* at() const noexcept { return at_; }
  const unsigned char* end() const noexcept { return end_; }

  template <class T>
  T fixed() noexcept {
    T value{};
    if (!has(sizeof(T))) return value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  std::uint64_t unsigned_leb128() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<unsigned char>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }

  std::int64_t signed_leb128() noexcept {
    std::uint64_t value = 0;
    unsigned shift = 0;
    unsigned char byte = 0;
    do {
      byte = fixed<unsigned char>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
      shift += 7;
    } while ((byte & 0x80) != 0);
    if (shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }

  // The next `bytes`, which are passed over.
  byte_reader block(std::uint64_t bytes) noexcept {
    if (!has(bytes)) return {};
    const byte_reader part(at_, at_ + bytes);
    at_ += bytes;
    return part;
  }

 private:
  bool has(std::uint64_t bytes) noexcept {
    if (bytes <= static_cast<std::uint64_t>(end_ - at_)) return true;
    at_ = end_;
    failed_ = true;
    return false;
  }

  const unsigned char* at_ = nullptr;
  const unsigned char* end_ = nullptr;
  bool failed_ = false;
};

}  // namespace sennit::detail

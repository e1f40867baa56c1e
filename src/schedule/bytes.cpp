// SPDX-License-Identifier: Apache-2.0
#include "schedule/bytes.hpp"

#include <sennit/detail/failure.hpp>

#include <boost/crc.hpp>

#include <cstring>
#include <limits>
#include <stdexcept>

namespace sennit::detail {
namespace {

constexpr std::size_t checksum_size = 4;

std::uint32_t checksum(std::span<const std::byte> bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace

number_writer::number_writer(const number_file& of) {
  for (const char letter : of.kind.begin) byte(static_cast<unsigned char>(letter));
  number(of.version);
}

std::vector<std::byte> number_writer::finish() {
  std::uint32_t sum = checksum(bytes_);
  for (std::size_t i = 0; i < checksum_size; ++i, sum >>= 8) byte(sum & 255);
  return std::move(bytes_);
}

number_reader::number_reader(const number_file& of, std::span<const std::byte> bytes, const std::string& name)
    : of_(of), rest_(bytes), name_(name) {
  if (!begins_with(of.kind.begin, bytes)) {
    refuse(std::string("is no ") + of.kind.what, std::string("; give a file that ") + of.saved_by + " wrote");
  }
  rest_ = rest_.subspan(of.kind.begin.size());
  version_ = number();
  const std::uint64_t oldest = of.oldest == 0 ? of.version : of.oldest;
  if (version_ < oldest || version_ > of.version) {
    const std::string known =
        (oldest == of.version ? " " : "s " + std::to_string(oldest) + " to ") + std::to_string(of.version);
    refuse("is of format version " + std::to_string(version_) + ", and this Sennit reads version" + known,
           std::string("; ") + of.again + " with this one");
  }
  if (left() < checksum_size) refuse("ends too early");
  const std::span<const std::byte> content = bytes.first(bytes.size() - checksum_size);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < checksum_size; ++i) {
    sum |= std::to_integer<std::uint32_t>(bytes[content.size() + i]) << (8 * i);
  }
  if (sum != checksum(content)) refuse("is damaged or cut short: its checksum does not match");
  rest_ = rest_.first(rest_.size() - checksum_size);
}

void number_reader::refuse(const std::string& why) const {
  refuse(why, std::string("; ") + of_.again + ", or fetch another copy");
}

void number_reader::refuse(const std::string& why, const std::string& remedy) const {
  fail<std::runtime_error>(std::string("sennit: cannot load the ") + of_.kind.what + " '" + name_ + "': it " +
                           why + remedy);
}

std::uint64_t number_reader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint64_t part = byte();
    value |= (part & 127) << shift;
    if (part < 128) {
      if (shift == 63 && part > 1) break;
      return value;
    }
  }
  refuse("has a number that is too large");
}

std::uint32_t number_reader::small_number() {
  const std::uint64_t value = number();
  if (value > std::numeric_limits<std::uint32_t>::max()) refuse("has a number that is too large");
  return static_cast<std::uint32_t>(value);
}

}  // namespace sennit::detail

// The order of a splice as a picture: calls down, their blocks across.
#pragma once

#include <sennit/splice_schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace command {

// What is in each place of the picture: when a call's block is run, and on which strand.
struct splice_picture {
  std::vector<std::vector<std::uint64_t>> turns;
  std::vector<std::vector<std::uint32_t>> strands;
};
splice_picture picture_of(const sennit::splice_schedule& s);

// From a block's step in one call to its step in the next, in turns: the median, and how far that would be call by call.
// None where no two calls in a row have as many blocks.
struct reuse {
  std::int64_t spliced;
  std::uint32_t plain;
};
std::optional<reuse> reuse_of(const splice_picture& p);

std::string text(const sennit::splice_schedule& s, std::string_view name);
std::string page(const sennit::splice_schedule& s, std::string_view name);

}  // namespace command

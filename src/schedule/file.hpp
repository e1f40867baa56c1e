// SPDX-License-Identifier: Apache-2.0
// The file format of a steal tree. docs/design/schedules.md describes it.
#pragma once

#include "schedule/steal_tree.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sennit::detail {

std::vector<std::byte> encode(const steal_tree& tree);

// Throws std::runtime_error, which calls the bytes by `name`, if they are no schedule.
std::shared_ptr<const steal_tree> decode(std::span<const std::byte> bytes, const std::string& name);

// What a file contains, for errors, and how the file begins.
struct file_kind {
  const char* what;
  std::string_view begin;
};
extern const file_kind schedule_file;
bool begins_with(std::string_view begin, std::span<const std::byte> bytes);

// Writes the file as replace_file() does. Both functions throw std::runtime_error, which names the file.
void write_file(const std::string& path, std::span<const std::byte> bytes,
                const file_kind& kind = schedule_file);
// Reads a file that begins as this kind does. Of another file it reads only enough to recognize that.
std::vector<std::byte> read_file(const std::string& path, const file_kind& kind = schedule_file);

}  // namespace sennit::detail

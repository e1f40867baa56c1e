// The file form of a steal tree. docs/design/schedules.md describes it.
#pragma once

#include "schedule/steal_tree.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sennit::detail {

std::vector<std::byte> encode(const steal_tree& tree);

// Throws std::runtime_error that calls the bytes by that name, if they are no schedule.
std::shared_ptr<const steal_tree> decode(std::span<const std::byte> bytes, const std::string& name);

// What a file holds, for errors, and how it begins.
struct file_kind {
  const char* what;
  std::string_view begin;
};
extern const file_kind schedule_file;
bool begins_with(std::string_view begin, std::span<const std::byte> bytes);

// Writes it as replace_file() does. Both throw std::runtime_error that names the file.
void write_file(const std::string& path, std::span<const std::byte> bytes,
                const file_kind& kind = schedule_file);
// Of files that begin as that kind does; of others as much as tells.
std::vector<std::byte> read_file(const std::string& path, const file_kind& kind = schedule_file);

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// What the system says of a thread of this process.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string_view>

namespace sennit::detail {

// Whether the thread runs, or would run if it had a processor. False also if the system does not say. Some system calls.
inline bool wants_processor(pid_t thread) noexcept {
  char path[48];
  (void)std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", static_cast<int>(thread));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char line[128];
  const ssize_t length = read(file, line, sizeof line);
  close(file);
  if (length <= 0) return false;
  // A letter says it, behind the thread's name, in which there may be anything.
  const std::string_view text(line, static_cast<std::size_t>(length));
  const std::size_t name_ends = text.rfind(')');
  return name_ends != text.npos && name_ends + 2 < text.size() && text[name_ends + 2] == 'R';
}

}  // namespace sennit::detail

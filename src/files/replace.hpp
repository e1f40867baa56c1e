// SPDX-License-Identifier: Apache-2.0
// Replaces a file so that it is at all times the old file or the new file, as a whole. It depends on nothing
// else: programs beside the library compile it, too.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <span>
#include <string>

namespace sennit::detail {

// The file to which a name leads.
struct destination {
  std::string path;  // with all links resolved, whether or not the file exists
  bool exists = false;
  struct stat there = {};  // if it exists
  bool in_place =
      false;  // a device, a pipe, or the target of a name such as /dev/stdout: written without replacing it
  int error =
      0;  // an errno: links in a circle, or a directory of the path that does not exist or cannot be entered
};
destination destination_of(const std::string& name);

// Writes the bytes. Returns 0, or an errno that says why it failed. A regular file is written beside the old
// one and flushed to the disk; it then takes the old file's place and permissions. If anything fails, the
// old file is unchanged. Other names (hard links) of the old file keep the old content. `mode` is for a new
// file, as for open().
int replace_file(const destination& to, std::span<const std::byte> bytes, mode_t mode = 0666);

}  // namespace sennit::detail

// A file that is the old one or the new one, whole, at all times. It stands alone: programs beside the
// library compile it, too.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <span>
#include <string>

namespace sennit::detail {

// What a name leads to.
struct destination {
  std::string path;  // behind all links, whether anything is there or not
  bool exists = false;
  struct stat there = {};  // if it exists
  bool in_place = false;   // a device, a pipe, or what /dev/stdout and its like name: written as it is
  int error = 0;  // an errno: links in a circle, or a directory on the way that is none or lets nobody in
};
destination destination_of(const std::string& name);

// Puts the bytes there; 0, or why it cannot, as an errno. A regular file is made anew beside the old one,
// reaches the disk, and takes the old one's place and permissions; if anything fails, the old one stays as it
// was. Other names (hard links) of the old file keep the old content. `mode` is that of a file that was not
// there, as for open().
int replace_file(const destination& to, std::span<const std::byte> bytes, mode_t mode = 0666);

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// The output files of a command: each is written as a whole or not at all, and none replaces a file that the
// command reads.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tools {

// The name of standard output. A file of that name is "./-".
inline constexpr const char* standard_output = "-";

// Whether the file is standard output: by that name, or as the pipe or file of standard output, such as
// /dev/stdout.
bool is_standard_output(const std::string& name);

// Throws std::runtime_error if what was printed cannot be written: it may still be in a buffer, and the disk may be full.
void check_printed();

// Writes all of the content. If that fails, throws std::runtime_error, which names the file and the remedy,
// and leaves the old file unchanged. Devices and pipes are written in place. An existing file keeps its
// permissions; `executable` adds to them.
void write_file(const std::string& name, std::string_view content, bool executable = false);
inline void write_file(const std::string& name, std::span<const std::byte> content) {
  write_file(name, {reinterpret_cast<const char*>(content.data()), content.size()});
}

// The output files of a command, checked before the command computes anything:
//
//    const tools::outputs to({page, trace}, {input});  // throws
//    to.save(page, made, "; open it in a browser");
//
// An empty name means that no such file was asked for.
class outputs {
 public:
  // Throws std::runtime_error, which names the file and the remedy, if a file cannot be written (no
  // directory is made), is also read, or is named twice.
  outputs(std::vector<std::string> written, const std::vector<std::string>& read);
  // The same check for inputs that become known only later.
  void must_not_be(const std::vector<std::string>& read) const;

  // Where a command reports what it does: standard output; standard error if standard output is one of the
  // outputs.
  std::FILE* messages() const { return messages_; }
  // Writes the file, and reports that with the remark.
  void save(const std::string& name, std::string_view content, std::string_view remark = ".") const;
  void save(const std::string& name, std::span<const std::byte> content,
            std::string_view remark = ".") const {
    save(name, {reinterpret_cast<const char*>(content.data()), content.size()}, remark);
  }

 private:
  std::vector<std::string> written_;
  std::FILE* messages_ = stdout;
};

}  // namespace tools

// What a command writes: each file whole or not at all, and none over what the command reads.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tools {

// The name of standard output. A file of that name is "./-".
inline constexpr const char* standard_output = "-";

// By that name, or as the pipe or the file that standard output goes to, as /dev/stdout is.
bool is_standard_output(const std::string& name);

// Writes all of it, or throws std::runtime_error that names the file and the remedy, and leaves what is there as it is.
// Devices and pipes are written in place. A file that is there keeps its permissions, to which `executable` adds.
void write_file(const std::string& name, std::string_view content, bool executable = false);
inline void write_file(const std::string& name, std::span<const std::byte> content) {
  write_file(name, {reinterpret_cast<const char*>(content.data()), content.size()});
}

// The files that a command is to write, checked before it computes anything:
//
//     const tools::outputs to({page, trace}, {input});  // throws
//     to.save(page, made, "; open it in a browser");
//
// Empty names are those of files that nobody asked for.
class outputs {
 public:
  // Throws std::runtime_error that names the file and the remedy, if one of them cannot be written (no directory is made),
  // is also read, or is another one of them.
  outputs(std::vector<std::string> written, const std::vector<std::string>& read);
  // The same of inputs that are known only later.
  void must_not_be(const std::vector<std::string>& read) const;

  // Where a command says what it does: standard output, or standard error if standard output is one of the outputs.
  std::FILE* messages() const { return messages_; }
  // Writes the file, and says so with that remark.
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

// SPDX-License-Identifier: Apache-2.0
#include "tools/output.hpp"

#include "files/replace.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tools {
namespace {

using sennit::detail::destination;
using sennit::detail::destination_of;

constexpr mode_t for_all = 0666;
constexpr mode_t execution = 0111;

[[noreturn]] void fail(const std::string& name, const std::string& why, const char* remedy) {
  throw std::runtime_error(fmt::format("cannot write '{}': {}; {}", name, why, remedy));
}
[[noreturn]] void fail(const std::string& name, int why) {
  fail(name, std::generic_category().message(why), "choose another place");
}

std::filesystem::path folder_of(const destination& to) {
  const std::filesystem::path folder = std::filesystem::path(to.path).parent_path();
  return folder.empty() ? "." : folder;
}

bool is_there(const std::string& name, struct stat& found) {
  return name == standard_output ? fstat(STDOUT_FILENO, &found) == 0 : stat(name.c_str(), &found) == 0;
}

// Two names with the same identity belong to the same file, which may not exist yet.
struct identity {
  dev_t device = 0;
  ino_t file = 0;  // or the directory in which the file will be
  std::string name{};
  bool operator==(const identity&) const = default;
};

// A device has no identity: writing to it destroys nothing.
bool has_identity(const std::string& name, identity& found) {
  struct stat there{};
  if (is_there(name, there)) {
    found = {there.st_dev, there.st_ino};
    return !S_ISCHR(there.st_mode);
  }
  const destination to = destination_of(name);
  if (stat(folder_of(to).c_str(), &there) != 0) return false;
  found = {there.st_dev, there.st_ino, std::filesystem::path(to.path).filename().string()};
  return true;
}

bool are_the_same(const std::string& a, const std::string& b) {
  identity of_a;
  identity of_b;
  return (a == standard_output && b == standard_output) ||
         (has_identity(a, of_a) && has_identity(b, of_b) && of_a == of_b);
}

std::string shown(const std::string& name) {
  return name == standard_output ? "standard output" : fmt::format("'{}'", name);
}

// Only a check: the disk may still be full when the file is written.
void must_be_writable(const std::string& name) {
  if (name == standard_output) return;
  const destination to = destination_of(name);
  const std::filesystem::path folder = folder_of(to);
  std::error_code failed;
  if (!to.exists && !std::filesystem::is_directory(folder, failed)) {
    if (std::filesystem::exists(folder, failed))
      fail(name, fmt::format("'{}' is no directory", folder.string()), "choose another place");
    fail(name, fmt::format("there is no directory '{}'", folder.string()),
         "make it first, or choose another place");
  }
  if (to.error != 0) fail(name, to.error);
  if (to.exists && S_ISDIR(to.there.st_mode)) fail(name, "it is a directory", "name a file in it");
  if (to.exists && faccessat(AT_FDCWD, to.path.c_str(), W_OK, AT_EACCESS) != 0) fail(name, errno);
  if (!to.in_place && faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    fail(name,
         fmt::format("in the directory '{}' no file can be made ({})", folder.string(),
                     std::generic_category().message(errno)),
         "choose another place");
  }
}

}  // namespace

bool is_standard_output(const std::string& name) {
  if (name == standard_output) return true;
  struct stat there{};
  struct stat output{};
  return stat(name.c_str(), &there) == 0 && fstat(STDOUT_FILENO, &output) == 0 && !S_ISCHR(there.st_mode) &&
         there.st_dev == output.st_dev && there.st_ino == output.st_ino;
}

void check_printed() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return;
  throw std::runtime_error(fmt::format("standard output cannot be written: {}; give it a place with room",
                                       std::generic_category().message(errno)));
}

void write_file(const std::string& name, std::string_view content, bool executable) {
  if (is_standard_output(name)) {
    if (std::fwrite(content.data(), 1, content.size(), stdout) != content.size() ||
        std::fflush(stdout) != 0) {
      throw std::runtime_error(fmt::format("cannot write standard output: {}; give it a place with room",
                                           std::generic_category().message(errno)));
    }
    return;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding a limit on file sizes becomes an error, as a full disk is
  destination to = destination_of(name);
  mode_t mode = for_all;
  if (executable) {
    mode |= execution;
    to.there.st_mode |= (to.there.st_mode >> 2) & execution;  // for all who may read it
  }
  if (const int why = replace_file(to, std::as_bytes(std::span(content)), mode); why != 0) fail(name, why);
}

outputs::outputs(std::vector<std::string> written, const std::vector<std::string>& read)
    : written_(std::move(written)) {
  std::erase(written_, "");
  for (const std::string& name : written_) must_be_writable(name);
  must_not_be(read);
  for (auto name = written_.begin(); name != written_.end(); ++name) {
    if (is_standard_output(*name)) messages_ = stderr;
    const auto other =
        std::find_if(written_.begin(), name, [&](const std::string& o) { return are_the_same(o, *name); });
    if (other == name) continue;
    throw std::runtime_error(
        *other == *name
            ? fmt::format("two outputs would go to {}; give each a place of its own", shown(*name))
            : fmt::format("{} and {} are the same file; give each output a place of its own", shown(*other),
                          shown(*name)));
  }
}

void outputs::must_not_be(const std::vector<std::string>& read) const {
  for (const std::string& name : written_) {
    for (const std::string& input : read) {
      if (input.empty() || !are_the_same(name, input)) continue;
      const std::string which =
          name == input ? fmt::format("{} is an input", shown(name))
                        : fmt::format("{} is the same file as the input {}", shown(name), shown(input));
      throw std::runtime_error(
          fmt::format("{}, which would be overwritten; choose another place for what is written", which));
    }
  }
}

void outputs::save(const std::string& name, std::string_view content, std::string_view remark) const {
  write_file(name, content);
  if (!is_standard_output(name)) fmt::print(messages_, "Wrote {}{}\n", name, remark);
}

}  // namespace tools

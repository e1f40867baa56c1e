// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/splicec.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace command {

void become_splicec(int argc, const char* const* argv) {
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "sennit-splicec";
  std::vector<char*> words;
  for (int i = 1; i < argc; ++i) words.push_back(const_cast<char*>(argv[i]));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  if (errno == ENOENT) {
    throw std::runtime_error(fmt::format(
        "there is no {}: it was not built, or libclang was not there; install libclang-19-dev, and "
        "build and install all, as 'make install' does",
        program.native()));
  }
  throw std::runtime_error(
      fmt::format("cannot run {}: {}", program.native(), std::generic_category().message(errno)));
}

}  // namespace command

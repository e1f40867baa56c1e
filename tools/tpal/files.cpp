// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace tpal {

// No std::ifstream: it takes a folder for an empty file.
std::string contents(const std::string& path) {
  struct closer {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };
  const std::unique_ptr<std::FILE, closer> file(std::fopen(path.c_str(), "rb"));
  std::string text;
  char block[1 << 14];
  while (const std::size_t n = file ? std::fread(block, 1, sizeof block, file.get()) : 0)
    text.append(block, n);
  if (!file || std::ferror(file.get()) != 0) {
    throw std::runtime_error(fmt::format("cannot read {}: {}", path, std::generic_category().message(errno)));
  }
  return text;
}

}  // namespace tpal

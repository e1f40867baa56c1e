// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace rollforward {
namespace {

struct closer {
  void operator()(std::FILE* f) const noexcept { std::fclose(f); }
};

std::runtime_error failed(const std::string& path, int error) {
  return std::runtime_error(fmt::format("{}: {}", path, std::strerror(error)));
}

}  // namespace

std::string read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) throw failed(path, errno);
  std::string text;
  char block[1 << 16];
  while (const std::size_t n = std::fread(block, 1, sizeof block, file.get())) text.append(block, n);
  if (std::ferror(file.get())) throw failed(path, errno);
  return text;
}

std::runtime_error located(const std::string& path, const fault& f) {
  return std::runtime_error(f.line() == 0 ? fmt::format("{}: {}", path, f.what())
                                          : fmt::format("{}:{}: {}", path, f.line(), f.what()));
}

}  // namespace rollforward

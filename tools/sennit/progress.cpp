// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace command {

progress::progress() : terminal_(isatty(STDERR_FILENO) == 1) {}
progress::~progress() { clear(); }

void progress::step(std::string_view what) {
  if (terminal_) {
    rewrite(what);
  } else {
    fmt::print(stderr, "{}\n", what);
  }
}

void progress::detail(std::string_view what) {
  if (terminal_) rewrite(what);
}

void progress::clear() {
  if (terminal_ && shown_ > 0) rewrite("");
}

void progress::rewrite(std::string_view line) {
  constexpr std::string_view to_start_and_erase = "\r\x1b[K";
  fmt::print(stderr, "{}{}", to_start_and_erase, line);
  std::fflush(stderr);
  shown_ = line.size();
}

}  // namespace command

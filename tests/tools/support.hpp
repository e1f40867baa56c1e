// SPDX-License-Identifier: Apache-2.0
// The sennit command, called as a function.
#pragma once

#include "tests/gallery/support.hpp"
#include "tools/sennit/command_line.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace command {

struct outcome {
  int code;
  std::string out;
  std::string err;
};

inline outcome sennit(const std::vector<std::string>& words,
                      std::vector<std::unique_ptr<gallery::kernel>> kernels) {
  std::vector<const char*> argv{"sennit"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = command_line(static_cast<int>(argv.size()), argv.data(), std::move(kernels));
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

inline outcome sennit(const std::vector<std::string>& words) { return sennit(words, gallery::kernels()); }

}  // namespace command

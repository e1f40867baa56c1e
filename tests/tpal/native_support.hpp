// SPDX-License-Identifier: Apache-2.0
// Programs that are compiled to native code and run.
#pragma once

#include "tests/tpal/support.hpp"
#include "tools/tpal/build.hpp"

#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace tpal {

struct outcome {
  int status;
  std::string output;
};

inline outcome shell(const std::string& command) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "cannot start a shell"};
  std::string output;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  return {WEXITSTATUS(pclose(pipe)), output};
}

class folder {
 public:
  folder()
      : path_(testing::TempDir() + "tpal_native_" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(path_);
  }
  ~folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }

 private:
  std::string path_;
};

inline const toolchain tools_here{TPAL_COMPILER, TPAL_ROLLFORWARD, TPAL_CFLAGS, TPAL_LIBS};

}  // namespace tpal

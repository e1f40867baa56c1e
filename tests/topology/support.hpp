// SPDX-License-Identifier: Apache-2.0
// What the tests of src/topology share.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>

// A folder that stands for the root of a file system while it exists.
class fake_root {
 public:
  fake_root() {
    std::string name = testing::TempDir() + "sennit-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  fake_root(const fake_root&) = delete;
  fake_root& operator=(const fake_root&) = delete;
  ~fake_root() { std::filesystem::remove_all(path_); }

  // The kernel ends such files with a line break.
  fake_root& file(const std::string& name, const std::string& text) {
    const std::filesystem::path full = path_ + name;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text << '\n';
    return *this;
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A variable of the environment that is set while this exists.
// NOLINTBEGIN(concurrency-mt-unsafe): no other thread looks at the environment meanwhile.
class set_variable {
 public:
  set_variable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* const before = getenv(name_.c_str())) before_ = before;
    setenv(name_.c_str(), value.c_str(), 1);
  }
  set_variable(const set_variable&) = delete;
  set_variable& operator=(const set_variable&) = delete;
  ~set_variable() {
    if (before_) {
      setenv(name_.c_str(), before_->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }

 private:
  std::string name_;
  std::optional<std::string> before_;
};
// NOLINTEND(concurrency-mt-unsafe)

// On a thread of its own, whose affinity mask goes with it.
template <class Work>
void on_a_thread(Work work) {
  std::thread(work).join();
}

// The calling thread.
inline void run_only_on(unsigned cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
}

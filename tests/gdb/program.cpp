// SPDX-License-Identifier: Apache-2.0
// Three strands, each of which waits for the next: stops in arranged(), once the two that wait have been left.
#include <sennit/sennit.hpp>

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

[[gnu::noinline]] void arranged() { asm volatile(""); }

// The threads that have left their strands find nothing else to do, and sleep.
bool others_sleep() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(gettid())) continue;
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("State:") && line.find('S', 6) == std::string::npos) return false;
    }
  }
  return true;
}

template <class There>
[[gnu::always_inline]] inline void steal(There there) {
  std::atomic<bool> taken{false};
  sennit::join(
      [&] {
        while (!taken) sched_yield();
      },
      [&] {
        taken = true;
        there();
      });
}

[[gnu::noinline]] void innermost() {
  while (!others_sleep()) sched_yield();
  arranged();
}

[[gnu::noinline]] void inner() {
  steal([] { innermost(); });
}

[[gnu::noinline]] void outer() {
  steal([] { inner(); });
}

int main() {
  sennit::runtime three({.workers = 3});
  three.run([] { outer(); });
}

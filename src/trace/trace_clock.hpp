// SPDX-License-Identifier: Apache-2.0
// Parts of strands that are not observed must not last for long: now and then, each worker meets its push gate.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace sennit::detail {

class runtime_core;

// A thread of its own, while there are strands that are traced.
class trace_clock {
 public:
  trace_clock() noexcept;
  trace_clock(const trace_clock&) = delete;
  trace_clock& operator=(const trace_clock&) = delete;
  ~trace_clock() { stop(); }

  // The calling strand is traced from here on, and no longer. Its runtime exists meanwhile.
  void strand_begins(runtime_core& of) noexcept;
  void strand_ends(runtime_core& of) noexcept;
  // The program ends.
  void stop() noexcept;

 private:
  static constexpr auto period = std::chrono::milliseconds(4);
  static constexpr std::size_t most_runtimes = 8;  // those beyond go without
  struct traced {
    runtime_core* core = nullptr;
    std::size_t strands = 0;
  };

  traced* find(const runtime_core* core) noexcept;
  void run() noexcept;

  const unsigned generation_;  // a child of fork(2) has neither the thread nor, perhaps, the lock
  std::mutex lock_;
  std::condition_variable woken_;
  std::array<traced, most_runtimes> runtimes_;
  std::size_t strands_ = 0;
  bool sleeps_ = false;  // until a strand begins
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// Where one thread sleeps until another thread wakes it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace sennit::detail {

// unpark() leaves a token. park() takes the token, and waits for one if there is none. There is at most one
// token.
class parker {
 public:
  // Only the thread that owns the parker may call it. Returns false if no token came within `limit`.
  bool park(std::chrono::nanoseconds limit = std::chrono::nanoseconds::max()) noexcept;
  void unpark() noexcept;

 private:
  void wait_for_token(std::chrono::nanoseconds limit) noexcept;

  enum : std::uint32_t { empty, token, asleep };
  std::atomic<std::uint32_t> word_{empty};
};

}  // namespace sennit::detail

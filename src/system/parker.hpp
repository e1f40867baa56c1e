// Where one thread sleeps until another has something for it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace sennit::detail {

// unpark() leaves a token; park() takes it, waiting for one if there is none. Tokens do not add up.
class parker {
 public:
  // Only by the thread that owns the parker. Returns false if no token came within `limit`.
  bool park(std::chrono::nanoseconds limit = std::chrono::nanoseconds::max()) noexcept;
  void unpark() noexcept;

 private:
  enum : std::uint32_t { empty, token, asleep };
  std::atomic<std::uint32_t> word_{empty};
};

}  // namespace sennit::detail

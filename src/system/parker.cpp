// SPDX-License-Identifier: Apache-2.0
#include "system/parker.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace sennit::detail {

namespace {

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, const timespec* limit) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, limit, nullptr, 0);
}

void futex_wake_one(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace

bool parker::park(std::chrono::nanoseconds limit) noexcept {
  std::uint32_t seen = empty;
  if (word_.compare_exchange_strong(seen, asleep, std::memory_order_relaxed, std::memory_order_relaxed)) {
    wait_for_token(limit);
  }
  // ORD[D8] acquire: what the waker did before unpark(); pairs with the release there. An exchange: a second
  // waker may find the first one's token there, and wakes nobody; this thread must see what it did, too.
  // Model: models/sleep.pml.
  return word_.exchange(empty, std::memory_order_acquire) == token;
}

void parker::wait_for_token(std::chrono::nanoseconds limit) noexcept {
  const bool bounded = limit != std::chrono::nanoseconds::max();
  const auto end =
      bounded ? std::chrono::steady_clock::now() + limit : std::chrono::steady_clock::time_point::max();
  do {
    timespec rest{};
    if (bounded) {
      const auto left =
          std::chrono::duration_cast<std::chrono::nanoseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0) return;
      rest = {static_cast<std::time_t>(left.count() / 1'000'000'000),
              static_cast<long>(left.count() % 1'000'000'000)};
    }
    futex_wait(word_, asleep, bounded ? &rest : nullptr);
  } while (word_.load(std::memory_order_relaxed) != token);
}

void parker::unpark() noexcept {
  // ORD[D8] release: what the caller did before is visible to the thread that takes the token, in park().
  // Model: models/sleep.pml.
  if (word_.exchange(token, std::memory_order_release) == asleep) futex_wake_one(word_);
}

}  // namespace sennit::detail

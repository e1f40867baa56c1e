// SPDX-License-Identifier: Apache-2.0
#include "process/thread_number.hpp"

#include "process/thread_end.hpp"

#include <sennit/detail/failure.hpp>

#include <atomic>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace sennit::detail {

namespace {

// A bit for each number that is taken. No lock: threads end while others fork the process.
constinit std::atomic<std::uint64_t> taken[most_thread_numbers / 64]{};

constinit thread_local unsigned number_and_one [[gnu::tls_model("initial-exec")]] = 0;

unsigned take_lowest() {
  for (unsigned i = 0; i < most_thread_numbers / 64; ++i) {
    std::uint64_t bits = taken[i].load(std::memory_order_relaxed);
    while (~bits != 0) {
      const std::uint64_t lowest = ~bits & (bits + 1);
      // ORD[D29] acquire: what the thread that had the number did with what belongs to that; pairs with
      // give_back().
      if (taken[i].compare_exchange_weak(bits, bits | lowest, std::memory_order_acquire,
                                         std::memory_order_relaxed))
        return i * 64 + static_cast<unsigned>(std::countr_zero(lowest));
    }
  }
  fail<std::runtime_error>("sennit: more than " + std::to_string(most_thread_numbers) +
                           " threads at once use a per_worker");
}

void give_back(void*) noexcept {
  const unsigned number = std::exchange(number_and_one, 0) - 1;
  // ORD[D29] release: see take_lowest().
  taken[number / 64].fetch_and(~(std::uint64_t{1} << (number % 64)), std::memory_order_release);
}

constinit thread_end ends(&give_back);

[[gnu::noinline, gnu::cold]] unsigned first_number() {
  const unsigned number = take_lowest();
  number_and_one = number + 1;
  ends.expect();
  return number;
}

}  // namespace

// Not inlined, also where the linker could: between two calls the strand may have changed threads.
[[gnu::noinline]] unsigned thread_number() {
  const unsigned known = number_and_one;
  return known != 0 ? known - 1 : first_number();
}

}  // namespace sennit::detail

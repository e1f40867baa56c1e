// SPDX-License-Identifier: Apache-2.0
// The one tracer of a process, which the environment asks for.
#include "process/environment.hpp"
#include "process/fork_child.hpp"
#include "process/no_cancellation.hpp"
#include "trace/tracer.hpp"

#include <sennit/detail/failure.hpp>

#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>

namespace sennit::detail {

namespace {

// Null: there is none, or not yet.
constinit std::atomic<tracer*> in_use{nullptr};
constinit std::atomic<bool> asked_for{true};  // until it is known
unsigned generation_in_use = 0;
constinit std::mutex making;
// A thread that the child has not got may be about to make the tracer.
const held_over_forks over_forks(
    held_over_forks::of_trace, []() noexcept { making.lock(); }, []() noexcept { making.unlock(); });

// The file ends with the program, as far as that ends by exit(3).
struct ends_with_program {
  ~ends_with_program() {
    // ORD[D73] acquire: the tracer as it was made.
    tracer* const all = in_use.load(std::memory_order_acquire);
    if (all != nullptr && generation_in_use == fork_generation()) all->close();
  }
} const ends_file;

tracer* made(std::string_view path, unsigned workers) noexcept {
  tracer* all = nullptr;
  std::string refusal;  // empty: there is no memory
  const bool is_made = attempt<std::exception>([&] {
#if SENNIT_EXCEPTIONS
    try {
      all = new tracer(path, workers);
    } catch (const std::runtime_error& error) {
      refusal = error.what();
    }
#else
    all = new tracer(path, workers);
#endif
  });
  if (!is_made || all == nullptr)
    std::fprintf(
        stderr,
        "sennit: there is no trace, as SENNIT_TRACE=%s: name a file in a directory that can be written "
        "to, or unset the variable\n",
        refusal.empty() ? "there is no memory" : refusal.c_str());
  return all;
}

}  // namespace

bool tracer::may_be_on() noexcept { return asked_for.load(std::memory_order_relaxed); }

tracer* tracer::current(unsigned workers) noexcept {
  if (!may_be_on()) [[likely]]
    return nullptr;
  // ORD[D73] acquire: the tracer as it was made; pairs with the release below.
  tracer* all = in_use.load(std::memory_order_acquire);
  if (all == nullptr) {
    const std::lock_guard guard(making);
    all = in_use.load(std::memory_order_relaxed);
    if (all == nullptr) {
      const no_cancellation opening;
      const auto path = variable("SENNIT_TRACE");
      if (path) all = made(*path, workers);
      generation_in_use = fork_generation();
      // ORD[D73] release: the tracer as it was made, and of which process.
      in_use.store(all, std::memory_order_release);
      if (all == nullptr) asked_for.store(false, std::memory_order_relaxed);
    }
  }
  // A child of fork(2) has no part in its parent's file.
  if (all == nullptr || generation_in_use != fork_generation()) return nullptr;
  if (workers != 0) all->set_workers(workers);
  return all;
}

}  // namespace sennit::detail

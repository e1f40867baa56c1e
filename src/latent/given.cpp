// SPDX-License-Identifier: Apache-2.0
// Which frames have given their next call away.
#include "beat/stack_memory.hpp"
#include "fork/views.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/latent/given.hpp>

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

namespace sennit::detail {
namespace {

// No lock, so that a child of fork(2) finds none taken: see forget_other_strands(). Relaxed everywhere: only the strand
// whose frame it is reads what it has written, and a strand takes its memory along from thread to thread.
struct given_slot {
  std::atomic<const void*> frame{nullptr};
  std::atomic<given_part*> given{nullptr};
};

constexpr std::size_t slots = 1024;
constexpr std::size_t most_looks = 16;
constinit given_slot table[slots];
constinit std::atomic<std::size_t> in_use{0};

given_slot& slot_at(const void* frame, std::size_t look) noexcept {
  constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;
  constexpr unsigned shift = 54;  // leaves a number below `slots`
  return table[((reinterpret_cast<std::uintptr_t>(frame) * spread >> shift) + look) % slots];
}

// In a child of fork(2) there is one strand at most: the one that forked. Frames of others would be taken for later ones of this
// process at the same addresses.
void forget_other_strands() noexcept {
  constexpr std::uintptr_t word = sizeof(std::uintptr_t);
  stack_memory own(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) / word * word);
  std::size_t kept = 0;
  for (given_slot& at : table) {
    const void* const frame = at.frame.load(std::memory_order_relaxed);
    if (frame == nullptr) continue;
    if (in_strand() && own.has(reinterpret_cast<std::uintptr_t>(frame), word)) {
      ++kept;
    } else {
      at.frame.store(nullptr, std::memory_order_relaxed);
    }
  }
  in_use.store(kept, std::memory_order_relaxed);
}

// As the program or the shared object is loaded: before anybody gives a call.
[[maybe_unused]] const int forget_in_children = pthread_atfork(nullptr, nullptr, &forget_other_strands);

}  // namespace

bool keep_given(const void* frame, given_part* given) noexcept {
  for (std::size_t look = 0; look < most_looks; ++look) {
    given_slot& at = slot_at(frame, look);
    const void* free = nullptr;
    if (!at.frame.compare_exchange_strong(free, frame, std::memory_order_relaxed)) continue;
    at.given.store(given, std::memory_order_relaxed);
    in_use.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

given_part* take_given(const void* frame) noexcept {
  // A strand's own entries are counted in the strand's own order.
  if (in_use.load(std::memory_order_relaxed) == 0) return nullptr;
  for (std::size_t look = 0; look < most_looks; ++look) {
    given_slot& at = slot_at(frame, look);
    if (at.frame.load(std::memory_order_relaxed) != frame) continue;
    given_part* const given = at.given.load(std::memory_order_relaxed);
    at.frame.store(nullptr, std::memory_order_relaxed);
    in_use.fetch_sub(1, std::memory_order_relaxed);
    return given;
  }
  return nullptr;
}

#if SENNIT_EXCEPTIONS

namespace {

// Both compilers' libraries have a pointer in it, and nothing else.
union failure_word {
  failure_word() noexcept : word{} {}
  ~failure_word() {}
  kept_failure word;
  std::exception_ptr failure;
};
static_assert(sizeof(failure_word) == sizeof(kept_failure));

}  // namespace

kept_failure keep_failure() noexcept {
  failure_word kept;
  std::construct_at(&kept.failure, std::current_exception());
  kept_failure word;
  std::memcpy(&word, &kept.failure, sizeof(word));
  return word;
}

void throw_failure(kept_failure failure) {
  failure_word kept;
  std::construct_at(&kept.failure);
  std::memcpy(static_cast<void*>(&kept.failure), &failure, sizeof(failure));
  const std::exception_ptr thrown = std::move(kept.failure);
  std::destroy_at(&kept.failure);
  std::rethrow_exception(thrown);
}

#endif

void append_given(view* added) noexcept { append_views(added); }

}  // namespace sennit::detail

#include "beat/given_calls.hpp"

#include <sennit/detail/latent/call.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {
namespace {

// No lock, so that a child of fork(2) finds none taken. Relaxed everywhere: only the strand whose frame it is
// reads what it has written, and a strand takes its memory along from thread to thread.
struct given_slot {
  std::atomic<const void*> frame{nullptr};
  std::atomic<given_part*> given{nullptr};
};

constexpr std::size_t slots = 1024;
constexpr std::size_t most_looks = 32;
constinit given_slot table[slots];

given_slot& slot_at(const void* frame, std::size_t look) noexcept {
  constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;
  return table[(reinterpret_cast<std::uintptr_t>(frame) * spread / (~std::uint64_t{0} / slots + 1) + look) %
               slots];
}

given_slot* find(const void* frame) noexcept {
  for (std::size_t look = 0; look < most_looks; ++look) {
    given_slot& at = slot_at(frame, look);
    if (at.frame.load(std::memory_order_relaxed) == frame) return &at;
  }
  return nullptr;
}

}  // namespace

bool reserve_given(const void* frame) noexcept {
  for (std::size_t look = 0; look < most_looks; ++look) {
    given_slot& at = slot_at(frame, look);
    const void* free = nullptr;
    if (at.frame.compare_exchange_strong(free, frame, std::memory_order_relaxed)) return true;
  }
  return false;
}

void set_given(const void* frame, given_part* given) noexcept {
  given_slot* const at = find(frame);
  if (at == nullptr) return;
  at->given.store(given, std::memory_order_relaxed);
  if (given == nullptr) at->frame.store(nullptr, std::memory_order_relaxed);
}

given_part* take_given(const void* frame) noexcept {
  given_slot* const at = find(frame);
  if (at == nullptr) return nullptr;
  given_part* const given = at->given.load(std::memory_order_relaxed);
  at->frame.store(nullptr, std::memory_order_relaxed);
  return given;
}

}  // namespace sennit::detail

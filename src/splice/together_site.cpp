// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/splice/together_search.hpp>

namespace sennit::detail {

template <class Change>
void together_site::change(Change&& what) noexcept {
  if (const std::unique_lock guard(lock_, std::try_to_lock); guard.owns_lock()) {
    what();
    number_.store(search_.number(), std::memory_order_relaxed);
    best_.store(search_.best(), std::memory_order_relaxed);
    tried_.store(search_.tried(), std::memory_order_relaxed);
    over_.store(search_.over(), std::memory_order_relaxed);
  }
}

void together_site::begin(std::uint32_t start, std::uint32_t most, std::int64_t indices) noexcept {
  change([&] {
    if (start == start_ && most == most_ && indices == indices_) return;
    search_ = together_search(start, most);
    start_ = start;
    most_ = most;
    indices_ = indices;
  });
}

void together_site::took(std::uint32_t number, double ns) noexcept {
  change([&] { search_.took(number, ns); });
}

bool together_site::refuse(std::uint32_t number) noexcept {
  bool refused = false;
  change([&] { refused = search_.refuse(number); });
  return refused;
}

}  // namespace sennit::detail

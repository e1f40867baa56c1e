// SPDX-License-Identifier: Apache-2.0
// Moves elements to where a sort of their positions says.
#pragma once

#include <sennit/detail/algorithm/first_failure.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

namespace sennit::detail {

// A key of the element at a position.
struct keyed_position {
  std::uint64_t key;
  std::uint64_t position;
};
struct position_key {
  std::uint64_t operator()(const keyed_position& p) const noexcept { return p.key; }
};

// Afterwards the element at i is the one that was at order[i].position. `buffer` has room for n elements. Once it has begun
// it goes on, even if the region is cancelled, which it then reports. Precondition: moving elements does not throw.
template <class Engine, class It, class T>
void permute(It first, std::size_t n, keyed_position* order, T* buffer) {
  // A position is marked when its element has moved.
  constexpr std::uint64_t in_buffer = ~std::uint64_t{0};
  const auto at = [&](std::uint64_t i) { return first + static_cast<std::iter_difference_t<It>>(i); };
  first_failure failure;
  const auto take = [&](position from, position to) noexcept {
    for (position i = from; i != to; ++i) {
      if (order[i].position == in_buffer) continue;
      std::construct_at(buffer + i, std::ranges::iter_move(at(order[i].position)));
      order[i].position = in_buffer;
    }
  };
  const auto put_back = [&](position from, position to) noexcept {
    for (position i = from; i != to; ++i) {
      if (order[i].position != in_buffer) continue;
      *at(i) = std::move(buffer[i]);
      std::destroy_at(buffer + i);
      order[i].position = 0;
    }
  };
  if (!failure.attempt([&] { Engine::for_positions(n, take, {}); })) take(0, n);
  if (!failure.attempt([&] { Engine::for_positions(n, put_back, {}); })) put_back(0, n);
  failure.rethrow();
}

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// Sequences without random access, cut into batches by the strand that walks along them.
#pragma once

#include <sennit/detail/algorithm/first_failure.hpp>
#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/task_group.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace sennit::detail {

// How many elements make a batch: as many as take about 10 microseconds, which is known from the batches before. A batch
// is small beside a first-level cache, since its elements are visited once by the walk and once more by who works on them.
class batch_length {
 public:
  std::size_t next() const noexcept { return length_.load(std::memory_order_relaxed); }
  // `elements` have taken this long. No order: the length is a hint.
  void measured(std::size_t elements, ticks time) noexcept {
    constexpr ticks wanted = 30'000;
    const ticks fits = wanted * elements / std::max<ticks>(time, 1);
    const std::size_t now = next();
    const std::size_t length =
        std::clamp<std::size_t>(static_cast<std::size_t>(fits), 1, std::min(2 * now, most));
    if (length != now) length_.store(length, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t most = 256;
  std::atomic<std::size_t> length_{1};
};

// Calls f for [first, last) in children of the group, and waits for them. If the walk throws, they have visited what comes
// before; what they threw comes first.
template <class It, class End, class F>
void walk(It first, End last, F& f, task_group& group) {
  batch_length length;
  const auto run = [&f, &length](auto from, std::size_t n) {
    const ticks began = read_clock();
    for (std::size_t left = n; left != 0; --left) {
      static_cast<void>(detail::invoke(f, *from));
      // Not behind the last one, where the walk itself may throw.
      if (left != 1) ++from;
    }
    length.measured(n, read_clock() - began);
  };
  first_failure stopped;
  for (bool more = true; more;) {
    const std::size_t wanted = length.next();
    if constexpr (std::forward_iterator<It>) {
      std::size_t n = 0;
      std::optional<It> from;
      more = stopped.attempt([&] {
        from = first;
        for (; n != wanted && first != last; ++first) ++n;
      });
      if (n == 0) break;
      more &= stopped.attempt([&] { group.spawn([run, from = *std::move(from), n] { run(from, n); }); });
    } else {
      std::vector<std::iter_value_t<It>> elements;
      more = stopped.attempt([&] {
        elements.reserve(wanted);
        for (; elements.size() != wanted && first != last; ++first) elements.emplace_back(*first);
      });
      if (elements.empty()) break;
      more &= stopped.attempt([&] {
        group.spawn(
            [run, elements = std::move(elements)]() mutable { run(elements.begin(), elements.size()); });
      });
    }
  }
  group.wait();
  stopped.rethrow();
}

}  // namespace sennit::detail

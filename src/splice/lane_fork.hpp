// SPDX-License-Identifier: Apache-2.0
// How two lanes of a splice are walked at once. docs/protocols/splices.md has the rules.
#pragma once

#include <sennit/detail/splice/log.hpp>
#include <sennit/join.hpp>

#include <atomic>

namespace sennit::detail {

// Calls first(log) and second(alone, log), which may run at once. alone: whoever runs the second function has all that
// the first one has done, and nobody else uses it before both are over. If the order is noted, in `log`, each function gets a
// log of its own, and neither is alone, as later runs may have both at once; without a log, both get null.
template <class First, class Second>
void fork_lanes(splice_log* log, First&& first, Second&& second) {
  std::atomic<bool> over{false};
  const auto branches = [&](splice_log* first_log, splice_log* second_log) {
    join(
        [&] {
          first(first_log);
          // ORD[D50] release: all that this strand has done in its lane, to whoever runs the other branch; pairs with
          // the load below.
          over.store(true, std::memory_order_release);
        },
        [&] {
          // ORD[D50] acquire: with the store above. The strand that has set `over` waits in join(), so that nobody
          // else uses what it has left.
          second(log == nullptr && over.load(std::memory_order_acquire), second_log);
        });
  };
  if (log == nullptr) return branches(nullptr, nullptr);
  const splice_log::pair logs = log->fork();
  branches(&logs.left, &logs.right);
}

}  // namespace sennit::detail

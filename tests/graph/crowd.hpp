// SPDX-License-Identifier: Apache-2.0
// What the tests of limits share.
#pragma once

#include <sennit/join.hpp>

#include <atomic>
#include <thread>

namespace sennit_test {

// How many are inside at once.
class crowd {
 public:
  void visit() {
    const int now = inside_.fetch_add(1) + 1;
    int most = most_.load();
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
    sennit::join([] { std::this_thread::yield(); }, [] { std::this_thread::yield(); });
    inside_.fetch_sub(1);
    visits_.fetch_add(1);
  }
  int most() const { return most_; }
  int visits() const { return visits_; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> most_{0};
  std::atomic<int> visits_{0};
};

}  // namespace sennit_test

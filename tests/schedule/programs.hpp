// SPDX-License-Identifier: Apache-2.0
// Programs of forks, groups and loops at random, for schedules to be recorded of.
#pragma once

#include <sennit/sennit.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace sennit_test {

// Which leaves each worker ran, in its order.
class diary {
 public:
  void ran(std::uint64_t leaf) {
    const std::lock_guard guard(lock_);
    by_worker_[sennit::worker_index()].push_back(leaf);
  }
  std::map<unsigned, std::vector<std::uint64_t>> by_worker() const { return by_worker_; }
  std::map<std::uint64_t, unsigned> worker_of_leaf() const {
    std::map<std::uint64_t, unsigned> result;
    for (const auto& [worker, leaves] : by_worker_) {
      for (const std::uint64_t leaf : leaves) result[leaf] = worker;
    }
    return result;
  }

 private:
  std::mutex lock_;
  std::map<unsigned, std::vector<std::uint64_t>> by_worker_;
};

inline void work_for(std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// A program of forks, groups and loops, unfolded from a seed. P has the constructs.
template <class P>
std::uint64_t unfold(P& p, std::uint64_t seed, int depth) {
  const std::uint64_t draw = mixed(seed);
  if (depth <= 0 || draw % 8 == 0) return p.leaf(draw);
  std::uint64_t sum = draw;
  switch (draw / 8 % 4) {
    case 0:
      for (std::uint64_t i = 0; i < 2; ++i) {
        sum += p.fork([&] { return unfold(p, draw + 10 * i + 1, depth - 1); },
                      [&] { return unfold(p, draw + 10 * i + 2, depth - 1); });
      }
      return sum;
    case 1: return sum + p.group(3, [&](std::uint64_t i) { return unfold(p, draw + 3 + i, depth - 1); });
    case 2: return sum + p.loop(5, [&](std::uint64_t i) { return unfold(p, draw + 3 + i, depth - 2); });
    default:
      return sum + p.fork([&] { return unfold(p, draw + 1, depth - 1); },
                          [&] { return p.leaf(draw + 5) + unfold(p, draw + 2, depth - 1); });
  }
}

struct in_parallel {
  diary& ran;
  std::uint64_t leaf(std::uint64_t draw) {
    ran.ran(draw);
    work_for(std::chrono::microseconds(draw / 64 % 30));
    return draw;
  }
  template <class F, class G>
  std::uint64_t fork(F f, G g) {
    const auto [left, right] = sennit::join(f, g);
    return left + right;
  }
  template <class F>
  std::uint64_t group(std::uint64_t n, F f) {
    std::atomic<std::uint64_t> sum{0};
    sennit::task_group children;
    for (std::uint64_t i = 0; i < n; ++i) children.spawn([&, i] { sum += f(i); });
    const std::uint64_t own = f(n);
    children.wait();
    return sum + own;
  }
  template <class F>
  std::uint64_t loop(std::uint64_t n, F f) {
    return sennit::parallel_reduce(
        std::uint64_t{0}, n, std::uint64_t{0}, [&](std::uint64_t i) { return f(i); }, std::plus<>(),
        sennit::grain(1));
  }
};

struct serially {
  std::uint64_t leaf(std::uint64_t draw) { return draw; }
  template <class F, class G>
  std::uint64_t fork(F f, G g) {
    return f() + g();
  }
  template <class F>
  std::uint64_t group(std::uint64_t n, F f) {
    return loop(n + 1, f);
  }
  template <class F>
  std::uint64_t loop(std::uint64_t n, F f) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) sum += f(i);
    return sum;
  }
};

inline std::uint64_t answer(std::uint64_t seed, int depth) {
  serially program;
  return unfold(program, seed, depth);
}

}  // namespace sennit_test

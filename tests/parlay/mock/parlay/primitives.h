// SPDX-License-Identifier: Apache-2.0
// Code in ParlayLib's manner on the four functions of its schedulers, small and written for the tests.
#pragma once

#include "parallel.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace parlay {

// A part for each worker, on cache lines of its own.
template <typename T>
class per_worker {
 public:
  per_worker() : parts_(num_workers()) {}
  T& operator*() { return parts_[worker_id()].value; }
  template <typename F>
  void for_each(F&& f) {
    for (part& p : parts_) f(p.value);
  }

 private:
  struct alignas(64) part {
    T value{};
  };
  std::vector<part> parts_;
};

template <typename F>
auto tabulate(size_t n, F&& f, long granularity = 0) {
  std::vector<decltype(f(size_t{0}))> result(n);
  parallel_for(0, n, [&](size_t i) { result[i] = f(i); }, granularity);
  return result;
}

inline constexpr size_t block_size = 100;

template <typename T, typename Op>
T reduce(const std::vector<T>& in, T identity, Op op) {
  if (in.size() <= block_size) return std::accumulate(in.begin(), in.end(), identity, op);
  std::vector<T> sums((in.size() + block_size - 1) / block_size, identity);
  blocked_for(0, in.size(), block_size, [&](size_t b, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) sums[b] = op(sums[b], in[i]);
  });
  return reduce(sums, identity, op);
}

// Exclusive, and the sum of all.
template <typename T, typename Op>
std::pair<std::vector<T>, T> scan(const std::vector<T>& in, T identity, Op op) {
  std::vector<T> out(in.size(), identity);
  const auto serially = [&](size_t from, size_t to, T sum) {
    for (size_t i = from; i < to; ++i) {
      out[i] = sum;
      sum = op(sum, in[i]);
    }
    return sum;
  };
  if (in.size() <= block_size) return {std::move(out), serially(0, in.size(), identity)};
  std::vector<T> sums((in.size() + block_size - 1) / block_size, identity);
  blocked_for(0, in.size(), block_size, [&](size_t b, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) sums[b] = op(sums[b], in[i]);
  });
  auto [before, total] = scan(sums, identity, op);
  blocked_for(0, in.size(), block_size,
              [&](size_t b, size_t from, size_t to) { serially(from, to, before[b]); });
  return {std::move(out), total};
}

template <typename T>
void merge_sort(T* first, T* last, T* space) {
  if (last - first <= 32) {
    std::sort(first, last);
    return;
  }
  const auto half = (last - first) / 2;
  par_do([=] { merge_sort(first, first + half, space); },
         [=] { merge_sort(first + half, last, space + half); });
  std::merge(first, first + half, first + half, last, space);
  parallel_for(0, static_cast<size_t>(last - first), [&](size_t i) { first[i] = space[i]; });
}

}  // namespace parlay

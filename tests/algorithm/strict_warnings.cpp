// SPDX-License-Identifier: Apache-2.0
// Algorithms of each kind, compiled with the warnings that strict programs turn on. Catches: a warning inside the headers.
#include <sennit/sennit.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

long loops(std::vector<int>& x, std::span<double> y, std::list<std::string>& z) {
  sennit::parallel_for(x, [](int& v) { ++v; });
  sennit::parallel_for(short{0}, short{100}, [&](short i) { x[static_cast<std::size_t>(i)] = i; });
  sennit::parallel_for_each(z, [](std::string& text) { text += '.'; });
  sennit::parallel_for_each(x, [](int v, const sennit::feeder<int>& more) {
    if (v > 0) more.add(v - 1);
  });
  sennit::parallel_transform(x, y, [](int v) { return v / 2.0; });
  sennit::parallel_fill(y, 1.0);
  sennit::parallel_scan(x, x);
  sennit::parallel_exclusive_scan(x, x, 0);
  sennit::parallel_transform_scan(x, x, std::plus<>(), [](int v) { return -v; });
  const double sum = sennit::parallel_reduce(y, 0.0, std::plus<>(), sennit::deterministic);
  return static_cast<long>(sum) +
         sennit::parallel_fold(x, 0L, [](long n, int v) { return n + v; }, std::plus<>());
}

std::ptrdiff_t searches(const std::vector<int>& x, const std::vector<std::string>& texts) {
  const auto even = [](int v) { return v % 2 == 0; };
  std::ptrdiff_t found = sennit::parallel_find(x, 7) - x.begin();
  found += sennit::parallel_find_if(x, even) - x.begin();
  found += sennit::parallel_find_end(x, x) - x.begin();
  found += sennit::parallel_search_n(x, 3, 7) - x.begin();
  found += sennit::parallel_adjacent_find(x) - x.begin();
  found += sennit::parallel_minmax_element(texts).min - texts.begin();
  found += static_cast<std::ptrdiff_t>(sennit::parallel_count_if(x, even));
  found += sennit::parallel_is_heap_until(x) - x.begin();
  return sennit::parallel_equal(x, x) && sennit::parallel_includes(texts, texts) ? found : 0;
}

template <class T>
void orders(std::vector<T>& x, const std::vector<T>& others) {
  sennit::parallel_sort(x);
  sennit::parallel_sort(x, std::greater<>());
  sennit::parallel_stable_sort(x);
  sennit::parallel_nth_element(x, x.begin() + 5);
  sennit::parallel_partial_sort(x, x.begin() + 5);
  sennit::parallel_inplace_merge(x, x.begin() + 5);
  sennit::parallel_merge(others, others, x);
  sennit::parallel_partition(x, [](const T& v) { return v < T(); });
  sennit::parallel_stable_partition(x, [](const T& v) { return v < T(); });
  sennit::parallel_reverse(x);
  sennit::parallel_rotate(x, x.begin() + 5);
  sennit::parallel_shift_left(x, 5);
  sennit::parallel_shuffle(x, 7);
  x.erase(sennit::parallel_unique(x), x.end());
  x.erase(sennit::parallel_remove(x, T()), x.end());
  x = sennit::parallel_filter(others, [](const T& v) { return v != T(); });
  sennit::parallel_copy_if(others, x, [](const T& v) { return v != T(); });
}

void all_orders(std::vector<int>& x, std::vector<std::string>& y,
                std::vector<std::pair<std::int16_t, float>>& pairs) {
  orders(x, std::vector<int>(9));
  orders(y, std::vector<std::string>(9));
  const auto key = [](const auto& p) { return p.first; };
  sennit::parallel_sort(pairs, {}, key);
  sennit::parallel_integer_sort(pairs, key);
  sennit::parallel_histogram(x, 256);
  sennit::parallel_group_by(pairs, key);
  sennit::parallel_reduce_by_key(pairs, key, 0.0F, [](const auto& p) { return p.second; });
  sennit::parallel_flatten(std::vector<std::vector<int>>(3, x));
  sennit::parallel_transform_reduce(pairs, pairs, 0.0F, std::plus<>(),
                                    [](const auto& a, const auto& b) { return a.second * b.second; });
}

std::vector<long> lazily(const std::vector<int>& x) {
  using namespace sennit::lazy;
  return sennit::each(x) | filter([](int v) { return v % 3 != 0; }) | map([](int v) { return long{v} * v; }) |
         collect();
}

void ways_to_fork(std::vector<int>& x) {
  sennit::join([&] { ++x[0]; }, [&] { ++x[1]; });
  sennit::task_group group;
  group.spawn([&] { ++x[2]; });
  group.wait();
  sennit::latent_for(x, [](int& v) { ++v; });
}

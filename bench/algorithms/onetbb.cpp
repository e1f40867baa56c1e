// SPDX-License-Identifier: Apache-2.0
// What oneTBB has of its own: its sort, its scan, and reductions and loops.
#include "common/onetbb.hpp"

#include "algorithms/cases.hpp"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace algorithms {

struct on_onetbb {
  struct place {
    explicit place(bench::program& program) : arena(program) { program.describe(bench::onetbb_version()); }
    template <class F>
    void enter(F&& f) {
      arena.run(f);
    }
    bench::onetbb arena;
  };

  static std::size_t count(const ints& x, int v) {
    return sum<std::size_t>(x.size(), [&x, v](std::size_t i) { return x[i] == v ? 1 : 0; });
  }
  static std::size_t count_if(const ints& x, auto f) {
    return sum<std::size_t>(x.size(), [&x, f](std::size_t i) { return f(x[i]) ? 1 : 0; });
  }
  static std::size_t min_element(const ints& x) {
    return tbb::parallel_reduce(
        range(0, x.size()), std::size_t{0},
        [&x](const range& part, std::size_t least) {
          for (std::size_t i = part.begin(); i != part.end(); ++i)
            if (x[i] < x[least]) least = i;
          return least;
        },
        [&x](std::size_t left, std::size_t right) { return x[right] < x[left] ? right : left; });
  }

  static void reverse(ints& x) {
    each(x.size() / 2, [&x, n = x.size()](std::size_t i) { std::swap(x[i], x[n - 1 - i]); });
  }
  static void swap_ranges(ints& x, ints& y) {
    each(x.size(), [&x, &y](std::size_t i) { std::swap(x[i], y[i]); });
  }
  static void generate(ints& x, auto f) {
    each(x.size(), [&x, f](std::size_t i) { x[i] = f(); });
  }
  static void replace(ints& x, int old, int value) {
    each(x.size(), [&x, old, value](std::size_t i) {
      if (x[i] == old) x[i] = value;
    });
  }
  static void adjacent_difference(const ints& x, ints& out) {
    each(x.size(), [&x, &out](std::size_t i) { out[i] = i == 0 ? x[i] : x[i] - x[i - 1]; });
  }

  static long reduce(const ints& x) {
    return sum<long>(x.size(), [&x](std::size_t i) { return x[i]; });
  }
  static long dot(const ints& x, const ints& y) {
    return sum<long>(x.size(), [&x, &y](std::size_t i) { return product()(x[i], y[i]); });
  }
  static void inclusive_scan(const ints& x, ints& out) {
    scan(x, [&out](std::size_t i, int, int after) { out[i] = after; });
  }
  static void exclusive_scan(const ints& x, ints& out) {
    scan(x, [&out](std::size_t i, int before, int) { out[i] = before; });
  }

  static void sort(auto& x) { tbb::parallel_sort(x.begin(), x.end()); }
  static void sort(auto& x, auto comp) { tbb::parallel_sort(x.begin(), x.end(), comp); }
  static void integer_sort(words& x) { sort(x); }

  static std::vector<std::size_t> histogram(const words& x, std::size_t keys) {
    tbb::enumerable_thread_specific<std::vector<std::size_t>> parts(keys);
    tbb::parallel_for(range(0, x.size()), [&](const range& part) {
      std::vector<std::size_t>& counts = parts.local();
      for (std::size_t i = part.begin(); i != part.end(); ++i) ++counts[x[i]];
    });
    std::vector<std::size_t> counts(keys);
    for (const std::vector<std::size_t>& part : parts)
      std::transform(counts.begin(), counts.end(), part.begin(), counts.begin(), std::plus<>());
    return counts;
  }
  static std::uint64_t squares_of_odd(const words& x) {
    return sum<std::uint64_t>(x.size(), [&x](std::size_t i) { return odd()(x[i]) ? square()(x[i]) : 0; });
  }

 private:
  using range = tbb::blocked_range<std::size_t>;

  template <class F>
  static void each(std::size_t n, F body) {
    tbb::parallel_for(range(0, n), [body](const range& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i) body(i);
    });
  }
  template <class T, class F>
  static T sum(std::size_t n, F term) {
    return tbb::parallel_reduce(
        range(0, n), T{},
        [term](const range& part, T result) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) result += static_cast<T>(term(i));
          return result;
        },
        std::plus<>());
  }
  template <class F>
  static void scan(const ints& x, F write) {
    tbb::parallel_scan(
        range(0, x.size()), 0,
        [&x, write](const range& part, int before, bool is_final) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) {
            const int after = before + x[i];
            if (is_final) write(i, before, after);
            before = after;
          }
          return before;
        },
        std::plus<>());
  }
};

}  // namespace algorithms

int main(int argc, char** argv) { return algorithms::run<algorithms::on_onetbb>(argc, argv); }

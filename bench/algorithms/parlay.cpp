// SPDX-License-Identifier: Apache-2.0
// ParlayLib on its own scheduler.
#include "algorithms/cases.hpp"

#include <parlay/delayed.h>
#include <parlay/parallel.h>
#include <parlay/primitives.h>
#include <parlay/random.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace algorithms {

struct on_parlay {
  // Its scheduler begins with the first call.
  struct place {
    explicit place(bench::program& program) {
      setenv("PARLAY_NUM_THREADS", std::to_string(program.workers()).c_str(), 1);
      program.describe("ParlayLib");
    }
    template <class F>
    void enter(F&& f) {
      f();
    }
  };

  static auto find(const ints& x, int v) { return parlay::find(x, v) - x.begin(); }
  static auto find_if(const ints& x, auto f) { return parlay::find_if(x, f) - x.begin(); }
  static bool any_of(const ints& x, auto f) { return parlay::any_of(x, f); }
  static auto search(const ints& x, const ints& y) { return parlay::search(x, y) - x.begin(); }
  static auto adjacent_find(const ints& x) { return parlay::adjacent_find(x) - x.begin(); }
  static auto mismatch(const ints& x, const ints& y) { return parlay::mismatch(x, y).first - x.begin(); }
  static bool equal(const ints& x, const ints& y) { return parlay::equal(x, y); }
  static bool less(const ints& x, const ints& y) {
    return parlay::lexicographical_compare(x, y, std::less<>());
  }

  static auto count(const ints& x, int v) { return parlay::count(x, v); }
  static auto count_if(const ints& x, auto f) { return parlay::count_if(x, f); }
  static auto min_element(const ints& x) { return parlay::min_element(x) - x.begin(); }
  static std::pair<std::size_t, std::size_t> minmax_element(const ints& x) {
    const auto [least, greatest] = parlay::minmax_element(x);
    return {least - x.begin(), greatest - x.begin()};
  }

  static auto copy_if(const ints& x, ints& out, auto f) {
    return parlay::filter_into_uninitialized(x, out, f);
  }
  static auto remove_if(const ints& x, auto f) { return parlay::remove_if(x, f); }
  static auto unique(const ints& x) { return parlay::unique(x); }
  static void reverse(ints& x) { parlay::reverse_inplace(x); }
  static auto rotate(const ints& x, std::size_t middle) { return parlay::rotate(x, middle); }
  static void swap_ranges(ints& x, ints& y) {
    parlay::parallel_for(0, x.size(), [&](std::size_t i) { std::swap(x[i], y[i]); });
  }
  static void generate(ints& x, auto f) {
    parlay::parallel_for(0, x.size(), [&](std::size_t i) { x[i] = f(); });
  }
  static void replace(ints& x, int old, int value) {
    parlay::parallel_for(0, x.size(), [&](std::size_t i) {
      if (x[i] == old) x[i] = value;
    });
  }
  static void adjacent_difference(const ints& x, ints& out) {
    parlay::parallel_for(0, x.size(), [&](std::size_t i) { out[i] = i == 0 ? x[i] : x[i] - x[i - 1]; });
  }

  static long reduce(const ints& x) {
    return parlay::reduce(parlay::delayed_map(x, [](int v) { return long{v}; }));
  }
  static long dot(const ints& x, const ints& y) {
    return parlay::reduce(
        parlay::delayed_tabulate(x.size(), [&](std::size_t i) { return product()(x[i], y[i]); }));
  }
  static auto inclusive_scan(const ints& x, ints&) { return parlay::scan_inclusive(x); }
  static auto exclusive_scan(const ints& x, ints&) { return parlay::scan(x).first; }

  static auto merge(const ints& x, const ints& y, ints&) { return parlay::merge(x, y); }

  static int kth_smallest(const ints& x, std::size_t k) { return *parlay::kth_smallest(x, k); }

  static void sort(auto& x) { parlay::sort_inplace(x); }
  static void sort(auto& x, auto comp) { parlay::sort_inplace(x, comp); }
  static void stable_sort(auto& x) { parlay::stable_sort_inplace(x); }
  static void stable_sort(auto& x, auto comp) { parlay::stable_sort_inplace(x, comp); }
  static void integer_sort(words& x) { parlay::integer_sort_inplace(x); }
  static void integer_sort(pairs& x) {
    parlay::stable_integer_sort_inplace(x, [](const keyed& e) { return e.key; });
  }

  static auto histogram(const words& x, std::size_t keys) {
    return parlay::histogram_by_index(x, static_cast<std::uint32_t>(keys));
  }
  static auto group_by(const pairs& x) {
    return parlay::group_by_key(parlay::delayed_map(x, [](const keyed& e) { return std::pair(e.key, e); }));
  }
  static auto reduce_by_key(const pairs& x) {
    return parlay::reduce_by_key(
        parlay::delayed_map(x, [](const keyed& e) { return std::pair(e.key, std::uint64_t{e.value}); }));
  }
  static auto shuffle(const ints& x) { return parlay::random_shuffle(x); }
  static std::uint64_t squares_of_odd(const words& x) {
    return parlay::delayed::reduce(parlay::delayed::map(parlay::delayed::filter(x, odd()), square()));
  }
};

}  // namespace algorithms

int main(int argc, char** argv) { return algorithms::run<algorithms::on_parlay>(argc, argv); }

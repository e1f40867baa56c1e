// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "algorithms/cases.hpp"

#include <sennit/sennit.hpp>

namespace algorithms {

struct on_sennit {
  struct place {
    explicit place(bench::program& program) : runtime(program) {}
    template <class F>
    void enter(F&& f) {
      runtime.run(f);
    }
    bench::sennit_runtime runtime;
  };

  static auto find(const ints& x, int v) { return sennit::parallel_find(x, v) - x.begin(); }
  static auto find_if(const ints& x, auto f) { return sennit::parallel_find_if(x, f) - x.begin(); }
  static bool any_of(const ints& x, auto f) { return sennit::parallel_any_of(x, f); }
  static auto search(const ints& x, const ints& y) { return sennit::parallel_search(x, y) - x.begin(); }
  static auto adjacent_find(const ints& x) { return sennit::parallel_adjacent_find(x) - x.begin(); }
  static auto mismatch(const ints& x, const ints& y) {
    return sennit::parallel_mismatch(x, y).in1 - x.begin();
  }
  static bool equal(const ints& x, const ints& y) { return sennit::parallel_equal(x, y); }
  static bool less(const ints& x, const ints& y) { return sennit::parallel_lexicographical_compare(x, y); }

  static auto count(const ints& x, int v) { return sennit::parallel_count(x, v); }
  static auto count_if(const ints& x, auto f) { return sennit::parallel_count_if(x, f); }
  static auto min_element(const ints& x) { return sennit::parallel_min_element(x) - x.begin(); }
  static std::pair<std::size_t, std::size_t> minmax_element(const ints& x) {
    const auto [least, greatest] = sennit::parallel_minmax_element(x);
    return {least - x.begin(), greatest - x.begin()};
  }

  static auto copy_if(const ints& x, ints& out, auto f) {
    return sennit::parallel_copy_if(x, out, f) - out.begin();
  }
  static auto remove_if(ints& x, auto f) { return sennit::parallel_remove_if(x, f) - x.begin(); }
  static auto unique(ints& x) { return sennit::parallel_unique(x) - x.begin(); }
  static auto partition(ints& x, auto f) { return sennit::parallel_partition(x, f) - x.begin(); }
  static auto stable_partition(ints& x, auto f) {
    return sennit::parallel_stable_partition(x, f) - x.begin();
  }
  static void reverse(ints& x) { sennit::parallel_reverse(x); }
  static void rotate(ints& x, std::size_t middle) { sennit::parallel_rotate(x, at(x, middle)); }
  static void swap_ranges(ints& x, ints& y) { sennit::parallel_swap_ranges(x, y); }
  static void generate(ints& x, auto f) { sennit::parallel_generate(x, f); }
  static void replace(ints& x, int old, int value) { sennit::parallel_replace(x, old, value); }
  static void adjacent_difference(const ints& x, ints& out) { sennit::parallel_adjacent_difference(x, out); }

  static long reduce(const ints& x) { return sennit::parallel_reduce(x, 0L); }
  static long dot(const ints& x, const ints& y) {
    return sennit::parallel_transform_reduce(x, y, 0L, std::plus<>(), product());
  }
  static void inclusive_scan(const ints& x, ints& out) { sennit::parallel_scan(x, out); }
  static void exclusive_scan(const ints& x, ints& out) { sennit::parallel_exclusive_scan(x, out, 0); }

  static void merge(const ints& x, const ints& y, ints& out) { sennit::parallel_merge(x, y, out); }
  static void inplace_merge(ints& x, std::size_t middle) { sennit::parallel_inplace_merge(x, at(x, middle)); }
  static bool includes(const ints& x, const ints& y) { return sennit::parallel_includes(x, y); }
  static auto set_union(const ints& x, const ints& y, ints& out) {
    return sennit::parallel_set_union(x, y, out.begin()) - out.begin();
  }
  static auto set_intersection(const ints& x, const ints& y, ints& out) {
    return sennit::parallel_set_intersection(x, y, out.begin()) - out.begin();
  }
  static auto set_difference(const ints& x, const ints& y, ints& out) {
    return sennit::parallel_set_difference(x, y, out.begin()) - out.begin();
  }
  static int kth_smallest(const ints& x, std::size_t k) { return *sennit::parallel_kth_smallest(x, k); }
  static void nth_element(ints& x, std::size_t nth) { sennit::parallel_nth_element(x, at(x, nth)); }
  static void partial_sort(ints& x, std::size_t middle) { sennit::parallel_partial_sort(x, at(x, middle)); }

  static void sort(auto& x) { sennit::parallel_sort(x); }
  static void sort(auto& x, auto comp) { sennit::parallel_sort(x, comp); }
  static void stable_sort(auto& x) { sennit::parallel_stable_sort(x); }
  static void stable_sort(auto& x, auto comp) { sennit::parallel_stable_sort(x, comp); }
  static void integer_sort(words& x) { sennit::parallel_integer_sort(x); }
  static void integer_sort(pairs& x) { sennit::parallel_integer_sort(x, &keyed::key); }

  static auto histogram(const words& x, std::size_t keys) { return sennit::parallel_histogram(x, keys); }
  static auto group_by(const pairs& x) { return sennit::parallel_group_by(x, &keyed::key); }
  static auto reduce_by_key(const pairs& x) {
    return sennit::parallel_reduce_by_key(x, &keyed::key, std::uint64_t{0}, &keyed::value);
  }
  static void shuffle(ints& x) { sennit::parallel_shuffle(x, 1); }
  static std::uint64_t squares_of_odd(const words& x) {
    return sennit::each(x) | sennit::lazy::filter(odd()) | sennit::lazy::map(square()) | sennit::lazy::sum();
  }

 private:
  static ints::iterator at(ints& x, std::size_t i) { return x.begin() + static_cast<std::ptrdiff_t>(i); }
};

}  // namespace algorithms

int main(int argc, char** argv) { return algorithms::run<algorithms::on_sennit>(argc, argv); }

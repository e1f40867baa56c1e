// The algorithms as members of the execution policies.
#pragma once

#include <sennit/algorithm/compare.hpp>
#include <sennit/algorithm/count.hpp>
#include <sennit/algorithm/extremes.hpp>
#include <sennit/algorithm/find.hpp>
#include <sennit/algorithm/ordered.hpp>
#include <sennit/algorithm/scans.hpp>
#include <sennit/algorithm/transform_reduce.hpp>
#include <sennit/detail/algorithm/algorithm.hpp>

namespace sennit::detail {

template <class Engine>
struct algorithm_members {
  static constexpr algorithm<find_calls<Engine>> parallel_find{};
  static constexpr algorithm<find_if_calls<Engine>> parallel_find_if{};
  static constexpr algorithm<find_if_not_calls<Engine>> parallel_find_if_not{};
  static constexpr algorithm<find_first_of_calls<Engine>> parallel_find_first_of{};
  static constexpr algorithm<find_end_calls<Engine>> parallel_find_end{};
  static constexpr algorithm<search_calls<Engine>> parallel_search{};
  static constexpr algorithm<adjacent_find_calls<Engine>> parallel_adjacent_find{};
  static constexpr algorithm<contains_calls<Engine>> parallel_contains{};
  static constexpr algorithm<all_of_calls<Engine>> parallel_all_of{};
  static constexpr algorithm<any_of_calls<Engine>> parallel_any_of{};
  static constexpr algorithm<none_of_calls<Engine>> parallel_none_of{};
  static constexpr algorithm<mismatch_calls<Engine>> parallel_mismatch{};
  static constexpr algorithm<equal_calls<Engine>> parallel_equal{};
  static constexpr algorithm<starts_with_calls<Engine>> parallel_starts_with{};
  static constexpr algorithm<ends_with_calls<Engine>> parallel_ends_with{};
  static constexpr algorithm<lexicographical_compare_calls<Engine>> parallel_lexicographical_compare{};
  static constexpr algorithm<count_calls<Engine>> parallel_count{};
  static constexpr algorithm<count_if_calls<Engine>> parallel_count_if{};
  static constexpr algorithm<min_element_calls<Engine>> parallel_min_element{};
  static constexpr algorithm<max_element_calls<Engine>> parallel_max_element{};
  static constexpr algorithm<minmax_element_calls<Engine>> parallel_minmax_element{};
  static constexpr algorithm<min_calls<Engine>> parallel_min{};
  static constexpr algorithm<max_calls<Engine>> parallel_max{};
  static constexpr algorithm<is_sorted_calls<Engine>> parallel_is_sorted{};
  static constexpr algorithm<is_sorted_until_calls<Engine>> parallel_is_sorted_until{};
  static constexpr algorithm<is_heap_calls<Engine>> parallel_is_heap{};
  static constexpr algorithm<is_heap_until_calls<Engine>> parallel_is_heap_until{};
  static constexpr algorithm<is_partitioned_calls<Engine>> parallel_is_partitioned{};
  static constexpr algorithm<transform_reduce_calls<Engine>> parallel_transform_reduce{};
  static constexpr algorithm<transform_scan_calls<Engine>> parallel_transform_scan{};
  static constexpr algorithm<transform_exclusive_scan_calls<Engine>> parallel_transform_exclusive_scan{};
  static constexpr algorithm<fold_scan_calls<Engine>> parallel_fold_scan{};
  static constexpr algorithm<segmented_scan_calls<Engine>> parallel_segmented_scan{};
};

}  // namespace sennit::detail

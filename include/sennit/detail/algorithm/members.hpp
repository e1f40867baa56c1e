// SPDX-License-Identifier: Apache-2.0
// The algorithms as members of the execution policies.
#pragma once

#include <sennit/algorithm/compare.hpp>
#include <sennit/algorithm/count.hpp>
#include <sennit/algorithm/each.hpp>
#include <sennit/algorithm/extremes.hpp>
#include <sennit/algorithm/find.hpp>
#include <sennit/algorithm/flatten.hpp>
#include <sennit/algorithm/for_each.hpp>
#include <sennit/algorithm/group.hpp>
#include <sennit/algorithm/hash_map.hpp>
#include <sennit/algorithm/integer_sort.hpp>
#include <sennit/algorithm/merge.hpp>
#include <sennit/algorithm/ordered.hpp>
#include <sennit/algorithm/pack.hpp>
#include <sennit/algorithm/partition.hpp>
#include <sennit/algorithm/rearrange.hpp>
#include <sennit/algorithm/replace.hpp>
#include <sennit/algorithm/scans.hpp>
#include <sennit/algorithm/select.hpp>
#include <sennit/algorithm/sets.hpp>
#include <sennit/algorithm/shift.hpp>
#include <sennit/algorithm/shuffle.hpp>
#include <sennit/algorithm/transform_reduce.hpp>
#include <sennit/algorithm/uninitialized.hpp>
#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/parallel_fold.hpp>
#include <sennit/parallel_reduce.hpp>
#include <sennit/parallel_scan.hpp>
#include <sennit/parallel_sort.hpp>
#include <sennit/parallel_transform.hpp>

namespace sennit::detail {

template <class Engine>
struct algorithm_members {
  static constexpr algorithm<reduce_calls<Engine>> parallel_reduce{};
  static constexpr algorithm<fold_calls<Engine>> parallel_fold{};
  static constexpr algorithm<inclusive_scan_calls<Engine>> parallel_scan{};
  static constexpr algorithm<exclusive_scan_calls<Engine>> parallel_exclusive_scan{};
  static constexpr algorithm<sort_calls<Engine, false>> parallel_sort{};
  static constexpr algorithm<sort_calls<Engine, true>> parallel_stable_sort{};
  static constexpr algorithm<transform_calls<Engine>> parallel_transform{};
  static constexpr algorithm<copy_calls<Engine>> parallel_copy{};
  static constexpr algorithm<fill_calls<Engine>> parallel_fill{};
  static constexpr algorithm<integer_sort_calls<Engine>> parallel_integer_sort{};
  static constexpr algorithm<merge_calls<Engine>> parallel_merge{};
  static constexpr algorithm<in_place_merge_calls<Engine>> parallel_inplace_merge{};
  static constexpr algorithm<set_union_calls<Engine>> parallel_set_union{};
  static constexpr algorithm<set_intersection_calls<Engine>> parallel_set_intersection{};
  static constexpr algorithm<set_difference_calls<Engine>> parallel_set_difference{};
  static constexpr algorithm<set_symmetric_difference_calls<Engine>> parallel_set_symmetric_difference{};
  static constexpr algorithm<includes_calls<Engine>> parallel_includes{};
  static constexpr algorithm<select_calls<Engine, false>> parallel_nth_element{};
  static constexpr algorithm<select_calls<Engine, true>> parallel_partial_sort{};
  static constexpr algorithm<partial_sort_copy_calls<Engine>> parallel_partial_sort_copy{};
  static constexpr algorithm<kth_smallest_calls<Engine>> parallel_kth_smallest{};
  static constexpr algorithm<each_calls<Engine>> each{};
  static constexpr algorithm<for_each_calls<Engine>> parallel_for_each{};
  static constexpr algorithm<find_calls<Engine>> parallel_find{};
  static constexpr algorithm<find_if_calls<Engine>> parallel_find_if{};
  static constexpr algorithm<find_if_not_calls<Engine>> parallel_find_if_not{};
  static constexpr algorithm<find_first_of_calls<Engine>> parallel_find_first_of{};
  static constexpr algorithm<find_end_calls<Engine>> parallel_find_end{};
  static constexpr algorithm<search_calls<Engine>> parallel_search{};
  static constexpr algorithm<search_n_calls<Engine>> parallel_search_n{};
  static constexpr algorithm<adjacent_find_calls<Engine>> parallel_adjacent_find{};
  static constexpr algorithm<contains_calls<Engine>> parallel_contains{};
  static constexpr algorithm<all_of_calls<Engine>> parallel_all_of{};
  static constexpr algorithm<any_of_calls<Engine>> parallel_any_of{};
  static constexpr algorithm<none_of_calls<Engine>> parallel_none_of{};
  static constexpr algorithm<copy_if_calls<Engine>> parallel_copy_if{};
  static constexpr algorithm<remove_copy_if_calls<Engine>> parallel_remove_copy_if{};
  static constexpr algorithm<remove_copy_calls<Engine>> parallel_remove_copy{};
  static constexpr algorithm<unique_copy_calls<Engine>> parallel_unique_copy{};
  static constexpr algorithm<remove_if_calls<Engine>> parallel_remove_if{};
  static constexpr algorithm<remove_calls<Engine>> parallel_remove{};
  static constexpr algorithm<unique_calls<Engine>> parallel_unique{};
  static constexpr algorithm<filter_calls<Engine>> parallel_filter{};
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
  static constexpr algorithm<partition_calls<Engine>> parallel_partition{};
  static constexpr algorithm<stable_partition_calls<Engine>> parallel_stable_partition{};
  static constexpr algorithm<partition_copy_calls<Engine>> parallel_partition_copy{};
  static constexpr algorithm<flatten_calls<Engine>> parallel_flatten{};
  static constexpr algorithm<reverse_calls<Engine>> parallel_reverse{};
  static constexpr algorithm<reverse_copy_calls<Engine>> parallel_reverse_copy{};
  static constexpr algorithm<rotate_calls<Engine>> parallel_rotate{};
  static constexpr algorithm<rotate_copy_calls<Engine>> parallel_rotate_copy{};
  static constexpr algorithm<swap_ranges_calls<Engine>> parallel_swap_ranges{};
  static constexpr algorithm<shift_calls<Engine, false>> parallel_shift_left{};
  static constexpr algorithm<shift_calls<Engine, true>> parallel_shift_right{};
  static constexpr algorithm<generate_calls<Engine>> parallel_generate{};
  static constexpr algorithm<tabulate_calls<Engine>> parallel_tabulate{};
  static constexpr algorithm<replace_calls<Engine>> parallel_replace{};
  static constexpr algorithm<replace_if_calls<Engine>> parallel_replace_if{};
  static constexpr algorithm<replace_copy_calls<Engine>> parallel_replace_copy{};
  static constexpr algorithm<replace_copy_if_calls<Engine>> parallel_replace_copy_if{};
  static constexpr algorithm<move_calls<Engine>> parallel_move{};
  static constexpr algorithm<adjacent_difference_calls<Engine>> parallel_adjacent_difference{};
  static constexpr algorithm<uninitialized_copy_calls<Engine>> parallel_uninitialized_copy{};
  static constexpr algorithm<uninitialized_move_calls<Engine>> parallel_uninitialized_move{};
  static constexpr algorithm<uninitialized_fill_calls<Engine>> parallel_uninitialized_fill{};
  static constexpr algorithm<uninitialized_value_construct_calls<Engine>>
      parallel_uninitialized_value_construct{};
  static constexpr algorithm<uninitialized_default_construct_calls<Engine>>
      parallel_uninitialized_default_construct{};
  static constexpr algorithm<destroy_calls<Engine>> parallel_destroy{};
  static constexpr algorithm<transform_reduce_calls<Engine>> parallel_transform_reduce{};
  static constexpr algorithm<transform_scan_calls<Engine>> parallel_transform_scan{};
  static constexpr algorithm<transform_exclusive_scan_calls<Engine>> parallel_transform_exclusive_scan{};
  static constexpr algorithm<fold_scan_calls<Engine>> parallel_fold_scan{};
  static constexpr algorithm<segmented_scan_calls<Engine>> parallel_segmented_scan{};
  static constexpr algorithm<histogram_calls<Engine>> parallel_histogram{};
  static constexpr algorithm<group_by_calls<Engine>> parallel_group_by{};
  static constexpr algorithm<reduce_by_key_calls<Engine>> parallel_reduce_by_key{};
  static constexpr algorithm<hash_map_calls<Engine>> parallel_hash_map{};
  static constexpr algorithm<shuffle_calls<Engine>> parallel_shuffle{};
  static constexpr algorithm<random_permutation_calls<Engine>> parallel_random_permutation{};
};

}  // namespace sennit::detail

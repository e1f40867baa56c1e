// The algorithms as members of the execution policies.
#pragma once

#include <sennit/algorithm/find.hpp>
#include <sennit/algorithm/flatten.hpp>
#include <sennit/algorithm/group.hpp>
#include <sennit/algorithm/pack.hpp>
#include <sennit/algorithm/partition.hpp>
#include <sennit/algorithm/rearrange.hpp>
#include <sennit/algorithm/replace.hpp>
#include <sennit/algorithm/shuffle.hpp>
#include <sennit/algorithm/uninitialized.hpp>
#include <sennit/detail/algorithm/algorithm.hpp>

namespace sennit::detail {

template <class Engine>
struct algorithm_members {
  static constexpr algorithm<find_calls<Engine>> parallel_find{};
  static constexpr algorithm<find_if_calls<Engine>> parallel_find_if{};
  static constexpr algorithm<find_if_not_calls<Engine>> parallel_find_if_not{};
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
  static constexpr algorithm<partition_calls<Engine>> parallel_partition{};
  static constexpr algorithm<stable_partition_calls<Engine>> parallel_stable_partition{};
  static constexpr algorithm<partition_copy_calls<Engine>> parallel_partition_copy{};
  static constexpr algorithm<flatten_calls<Engine>> parallel_flatten{};
  static constexpr algorithm<reverse_calls<Engine>> parallel_reverse{};
  static constexpr algorithm<reverse_copy_calls<Engine>> parallel_reverse_copy{};
  static constexpr algorithm<rotate_calls<Engine>> parallel_rotate{};
  static constexpr algorithm<rotate_copy_calls<Engine>> parallel_rotate_copy{};
  static constexpr algorithm<swap_ranges_calls<Engine>> parallel_swap_ranges{};
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
  static constexpr algorithm<histogram_calls<Engine>> parallel_histogram{};
  static constexpr algorithm<group_by_calls<Engine>> parallel_group_by{};
  static constexpr algorithm<reduce_by_key_calls<Engine>> parallel_reduce_by_key{};
  static constexpr algorithm<shuffle_calls<Engine>> parallel_shuffle{};
  static constexpr algorithm<random_permutation_calls<Engine>> parallel_random_permutation{};
};

}  // namespace sennit::detail

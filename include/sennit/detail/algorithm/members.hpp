// The algorithms as members of the execution policies.
#pragma once

#include <sennit/algorithm/find.hpp>
#include <sennit/algorithm/flatten.hpp>
#include <sennit/algorithm/pack.hpp>
#include <sennit/algorithm/partition.hpp>
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
};

}  // namespace sennit::detail

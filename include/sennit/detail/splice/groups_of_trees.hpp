// SPDX-License-Identifier: Apache-2.0
// How many trees of a splice are interleaved: numbers that are tried from one group to the next.
#pragma once

#include <sennit/detail/splice/made_trees.hpp>
#include <sennit/detail/splice/together_search.hpp>
#include <sennit/splice_report.hpp>
#include <sennit/splicing.hpp>

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace sennit::detail {

template <class Tree>
inline constinit together_site together_of{};
// Of blocks, where another number of trees is interleaved than the caches suggest.
template <class Tree>
inline constinit block_site site_of_others{};

// Splices trees in groups of the number that is tried, and then in groups of the best one.
template <class Tree>
splice_report splice_in_groups(const splicing& how, const made_trees<Tree>& made, together_site& site) {
  const std::vector<Tree>& given = made.given();
  const auto count = static_cast<std::uint32_t>(given.size());
  splice_report report;
  auto all = [&] {
    for (std::uint32_t done = 0; done < count;) {
      const bool over = site.over();
      splicing as = how;
      as.together = site.next(count - done);
      const std::uint32_t trees = over ? count - done : as.together;
      std::vector<Tree> some;
      for (std::uint32_t i = done; i < done + trees; ++i) {
        some.push_back(given[i]);
        if (!over && given[i].block <= 0) some.back().block = made.block_for(as.together);
      }
      block_site& blocks = as.together == made.together() ? site_of<Tree> : site_of_others<Tree>;
      const made_trees<Tree> group(as, std::move(some), over ? &blocks : nullptr);
      // So many trees are too far apart for the order that fewer have.
      if (!over && group.loses_shift_of(made) && site.refuse(trees)) continue;
      const auto begin = std::chrono::steady_clock::now();
      report += group.splice(nullptr);
      const std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - begin;
      group.rethrow();
      site.took(trees, ns.count() / trees);
      done += trees;
    }
  };
  in_region(all);
  const std::int64_t block = report.block;
  if (made.blocks_tried() != 0) site_of<Tree>.tell(report);
  report.block = block;
  report.block_is_chosen = made.block_is_chosen();
  return report;
}

// Splices trees; those that the library has cut may be interleaved by other numbers than the caches suggest.
template <class Tree>
splice_report splice_made(const splicing& how, const made_trees<Tree>& made) {
  if constexpr (has_cheap_copies<Tree>) {
    if (!made.given().empty() && made.all()) {
      together_site& site = together_of<Tree>;
      const std::vector<Tree>& given = made.given();
      site.begin(made.together(), static_cast<std::uint32_t>(given.size()), given.front().all.size());
      const bool as_cut =
          !made.blocks_are_settled() || (site.over() && site.next(UINT32_MAX) == made.together());
      splice_report report = as_cut ? made.splice(nullptr) : splice_in_groups(how, made, site);
      report.together_tried = site.tried();
      return report;
    }
  }
  return made.splice(nullptr);
}

}  // namespace sennit::detail

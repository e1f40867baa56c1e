// SPDX-License-Identifier: Apache-2.0
// Which table a run has for its keys, and which colors.
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/cycle.hpp>
#include <sennit/detail/graph/declarations.hpp>
#include <sennit/detail/graph/dense.hpp>
#include <sennit/detail/graph/hashed.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace sennit::detail {

template <class Key, class Hash>
hashed_nodes<Key, Hash> table_of(const graph::hashed<Hash>&) {
  return hashed_nodes<Key, Hash>();
}
template <class Key, std::size_t Rank>
dense_nodes<Key, Rank> table_of(const graph::dense<Rank>& given) {
  return dense_nodes<Key, Rank>(given.extents);
}

template <class Key>
[[noreturn]] SENNIT_COLD void throw_cycle_of(std::vector<Key> keys) {
#if SENNIT_EXCEPTIONS
  throw graph::cycle_error<Key>(std::move(keys));
#else
  std::fprintf(stderr, "%s\n", text_of_cycle(keys).c_str());
  std::abort();
#endif
}

// Checks graph::coloring::patience.
SENNIT_EXPORT SENNIT_COLD void check_patience(double patience);

template <class Coloring>
unsigned checked_color_count(const Coloring& given) {
  check_patience(given.patience);
  return color_count_of_run(given.of);
}

}  // namespace sennit::detail

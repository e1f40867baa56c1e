// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/alive.hpp>
#include <sennit/detail/graph/dense.hpp>
#include <sennit/detail/graph/node_failure.hpp>
#include <sennit/detail/graph/value_readers.hpp>
#include <sennit/graph.hpp>
#include <sennit/region.hpp>

#include <cstddef>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace sennit::detail {

std::uint32_t count_of_nodes(const std::uint64_t* extents, std::size_t rank) {
  std::uint64_t count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    if (extents[d] > most_nodes || (count *= extents[d]) > most_nodes) {
      fail<std::length_error>("sennit: a dense graph has at most 2^32 - 2 nodes; hash the keys of one that "
                              "is found only in part");
    }
  }
  return static_cast<std::uint32_t>(count);
}

void throw_key_outside(const std::string& key, const std::uint32_t* extents, std::size_t rank) {
  std::string box;
  for (std::size_t d = 0; d < rank; ++d) box += (d == 0 ? "" : " x ") + std::to_string(extents[d]);
  fail<std::out_of_range>("sennit: the key " + key + " is not in the dense graph's extents, " + box);
}

void throw_other_answer(const std::string& key) {
  fail<std::logic_error>("sennit: asked again for the predecessors of the node " + key +
                         ", predecessors() names others than before: let it give the same answer each time");
}

void throw_other_count(const std::string& key, std::size_t size) {
  fail<std::logic_error>("sennit: the range of the predecessors of the node " + key +
                         " has another number of keys than its size(), " + std::to_string(size) +
                         ": correct size(), or return a std::vector");
}

#if SENNIT_EXCEPTIONS

void rethrow_as_node_error(const std::string& doing) {
  try {
    throw;
  } catch (const sennit::cancelled&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& thrown) {
    std::throw_with_nested(graph::node_error("sennit: " + doing + ": " + thrown.what()));
  } catch (...) {
    std::throw_with_nested(graph::node_error("sennit: " + doing + ": something that is no std::exception"));
  }
}

#endif

void check_patience(double patience) {
  // This also refuses NaN. Without an upper bound, workers would wait for ever for nodes of a color that has
  // no worker.
  if (!(patience >= 0 && patience <= 1e6)) {
    fail<std::invalid_argument>("sennit: graph::coloring::patience is " + std::to_string(patience) +
                                ", and must be from 0 to 1000000");
  }
}

void throw_no_bound(long long values) {
  fail<std::invalid_argument>("sennit: graph::nodes::most_alive is " + std::to_string(values) +
                              ", and must be at least 1; leave it out for no bound");
}

void check_alive(std::size_t values, std::size_t bytes, bool has_bytes_of) {
  if (values == 0 || bytes == 0) {
    fail<std::invalid_argument>(std::string("sennit: graph::alive::") + (values == 0 ? "values" : "bytes") +
                                " is 0, and must be at least 1; leave it out for no bound");
  }
  if (bytes != unlimited && !has_bytes_of) {
    fail<std::invalid_argument>("sennit: graph::alive::bytes is given without bytes_of: give a function of a "
                                "value that returns its bytes");
  }
}

void throw_value_freed(const std::string& node, const std::string& read) {
  fail<std::logic_error>(
      "sennit: the node " + node + " of a graph reads the value of " + read +
      ", which was freed before the reading node was created: all nodes that were known to read "
      "it had been computed. Let the creating node, too, name " +
      read + " as a predecessor");
}

void throw_no_predecessor(const std::string& node, const std::string& read) {
  fail<std::logic_error>("sennit: the node " + node + " of a graph reads the value of " + read +
                         ", which is no predecessor of it: predecessors(" + node + ") must name " + read);
}

}  // namespace sennit::detail

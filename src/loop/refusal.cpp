// SPDX-License-Identifier: Apache-2.0
// What loops and nests refuse.

#include <sennit/detail/failure.hpp>
#include <sennit/detail/loop/chunks.hpp>
#include <sennit/nest.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace sennit::detail {

void refuse_index() {
  fail<std::out_of_range>(
      "sennit: the bound of a loop is more than std::ptrdiff_t can hold; a bound that was "
      "computed as an unsigned difference may have wrapped around");
}

void refuse_step() {
  fail<std::invalid_argument>(
      "sennit::parallel_for: the step is 0, so the loop would not end; give another one");
}

void refuse_cells() {
  fail<std::length_error>("sennit: a nest of loops has 2^62 iterations or more; check its extents");
}

void refuse_tile_size(const char* order, std::ptrdiff_t size) {
  fail<std::invalid_argument>("sennit: " + std::string(order) + "(...) was given the size " +
                              std::to_string(size) + ", but a tile has at least 1 index in each dimension");
}

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
#include "gallery/sparse_matrix.hpp"

#include "gallery/splitmix.hpp"

#include <algorithm>
#include <utility>

namespace gallery {
namespace {

class builder {
 public:
  builder(std::size_t columns, std::uint64_t seed) : state_(splitmix64(seed)) {
    result_.columns = columns;
    result_.starts.push_back(0);
  }

  std::size_t random(std::size_t below) {
    state_ = splitmix64(state_);
    return state_ % below;
  }

  void add_cell(std::size_t column) {
    result_.indices.push_back(static_cast<std::uint32_t>(column));
    result_.values.push_back(static_cast<double>(1 + random(9)));
  }
  void end_row() {
    result_.starts.push_back(result_.indices.size());
    ++result_.rows;
  }

  // A row of so many cells, one anywhere in each of as many equal parts of it.
  void add_row(std::size_t cells) {
    const auto part = [&](std::size_t i) { return i * result_.columns / cells; };
    for (std::size_t i = 0; i < cells; ++i) add_cell(part(i) + random(part(i + 1) - part(i)));
    end_row();
  }

  sparse_matrix take() && { return std::move(result_); }

 private:
  sparse_matrix result_;
  std::uint64_t state_;
};

}  // namespace

sparse_matrix random_sparse_matrix(std::size_t nonzeros, std::uint64_t seed) {
  constexpr std::size_t longest = 100;
  const std::size_t rows = std::max<std::size_t>(1, 2 * nonzeros / (longest + 1));
  builder b(rows, seed);
  for (std::size_t i = 0; i < rows; ++i) b.add_row(1 + b.random(std::min(longest, rows)));
  return std::move(b).take();
}

sparse_matrix power_law_matrix(std::size_t nonzeros, std::uint64_t seed) {
  std::vector<std::size_t> lengths;
  for (std::size_t sum = 0; sum < nonzeros; sum += lengths.back()) {
    lengths.push_back(std::max<std::size_t>(1, nonzeros / 25 / (lengths.size() + 1)));
  }
  builder b(lengths.size(), seed);
  for (const std::size_t length : lengths) b.add_row(std::min(length, lengths.size()));
  return std::move(b).take();
}

sparse_matrix arrowhead_matrix(std::size_t nonzeros, std::uint64_t seed) {
  const std::size_t rows = (nonzeros + 2) / 3;
  builder b(rows, seed);
  for (std::size_t j = 0; j < rows; ++j) b.add_cell(j);
  b.end_row();
  for (std::size_t i = 1; i < rows; ++i) {
    b.add_cell(0);
    b.add_cell(i);
    b.end_row();
  }
  return std::move(b).take();
}

}  // namespace gallery

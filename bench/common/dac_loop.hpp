// SPDX-License-Identifier: Apache-2.0
// The divide-and-conquer loops that Govedič, 2023, §5.2, compares orders with, over a nest of two dimensions:
// the outer loop is split down to parts of `outer` indices, then the inner one to `inner`.
// The order is that of rows (`dac-loop`, outer = 1) or of tiles (`dac-loop-tiled`);
// only who may steal what differs from the nests of the library.
#pragma once

#include <sennit/join.hpp>

#include <algorithm>
#include <cstddef>

namespace bench {

template <typename Body>
class dac_loop {
 public:
  dac_loop(std::ptrdiff_t outer, std::ptrdiff_t inner, const Body& body)
      : outer_(outer), inner_(inner), body_(body) {}

  void operator()(std::ptrdiff_t rows, std::ptrdiff_t columns) const { over_rows(0, rows, columns); }

 private:
  void over_rows(std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t columns) const {
    if (to - from <= outer_) return over_columns(from, to, 0, columns);
    const std::ptrdiff_t middle = half(from, to, outer_);
    sennit::join([=, this] { over_rows(from, middle, columns); },
                 [=, this] { over_rows(middle, to, columns); });
  }
  void over_columns(std::ptrdiff_t row, std::ptrdiff_t row_end, std::ptrdiff_t from,
                    std::ptrdiff_t to) const {
    if (to - from <= inner_) return body_(row, row_end, from, to);
    const std::ptrdiff_t middle = half(from, to, inner_);
    sennit::join([=, this] { over_columns(row, row_end, from, middle); },
                 [=, this] { over_columns(row, row_end, middle, to); });
  }
  // At a multiple of the part's size, so that only the last part is smaller.
  static std::ptrdiff_t half(std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t part) {
    const std::ptrdiff_t parts = (to - from + part - 1) / part;
    return from + (parts + 1) / 2 * part;
  }

  std::ptrdiff_t outer_;
  std::ptrdiff_t inner_;
  const Body& body_;
};

}  // namespace bench

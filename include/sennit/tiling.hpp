// SPDX-License-Identifier: Apache-2.0
// tiling: which worker has which part of an array of several dimensions, and schedules of the loops over it.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/schedule.hpp>
#include <sennit/space.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace sennit {

// An array of two or three dimensions, whose tiles are designated to workers: rectangles, or boxes. From that follow
// schedules for replay(), in which each loop over the array's indices runs each cell on the worker that has the cell, exactly:
// a nest, or loops inside loops; over the whole array, or over a part of it, such as its inner cells. Cells that are
// nobody's are worker 0's. Where tiles overlap, the later one counts.
//
// Worker 0 begins a region. So the first cell of a loop has to be worker 0's. A loop that is known to take less than two
// microseconds is not cut, and a loop inside a loop may be such a one.
//
// Throws std::invalid_argument for a side that ends before it begins, for a loop over cells outside of the array, for a worker above 65535, for 2^62 cells, for more than 2^26 rows, and for a loop whose first cell is another
// worker's. Cost: that of the tiles for each row of the loop.
//
// Example:
//   #include <sennit/nest.hpp>
//   #include <sennit/replay.hpp>
//
//   void relax_in_halves(long n, const double* a, double* b) {
//     sennit::tiling<2> halves({n, n});
//     halves.designate({n, {n / 2, n}}, 1);  // the right half
//     sennit::replay(halves.nest({{1, n - 1}, {1, n - 1}}), sennit::strict_unordered, [=] {
//       sennit::parallel_for_nest({{1, n - 1}, {1, n - 1}}, [=](auto i, auto j) { b[i * n + j] = a[i * n + j] / 2; });
//     });
//   }
template <std::size_t D>
  requires(D == 2 || D == 3)
class SENNIT_EXPORT tiling {
 public:
  explicit tiling(const extent (&whole)[D]) : whole_(box(whole)) {}

  // Those of the array's cells that are in the tile are that worker's.
  tiling& designate(const extent (&cells)[D], unsigned worker) { return designate(box(cells), worker); }
  tiling& designate(const tile<D>& cells, unsigned worker);
  // The array is cut into as many blocks along each side as there are workers along it. The sizes of the blocks differ by
  // at most one there. The workers get them in row order.
  tiling& designate_blocks(const std::array<unsigned, D>& workers);

  // Whose the cell is.
  unsigned worker_of(const std::array<std::ptrdiff_t, D>& cell) const noexcept;

  // For a region of `times` calls of parallel_for_nest, one after the other, over the array or a part of it, in row order.
  schedule nest(unsigned times = 1) const { return nest(whole_, times); }
  schedule nest(const extent (&part)[D], unsigned times = 1) const { return nest(box(part), times); }
  // For a region of `times` calls of parallel_for over the first dimension, in each of whose iterations is such a loop over
  // the next dimension, and so on, and no other construct.
  schedule loops(unsigned times = 1) const { return loops(whole_, times); }
  schedule loops(const extent (&part)[D], unsigned times = 1) const { return loops(box(part), times); }

 private:
  struct designated {
    tile<D> cells;
    unsigned worker;
  };

  static tile<D> box(const extent (&sides)[D]) {
    tile<D> all;
    for (std::size_t d = 0; d < D; ++d) all.set(d, sides[d].begin, sides[d].end);
    return all;
  }
  std::vector<tile<D>> tiles() const;
  schedule nest(const tile<D>& part, unsigned times) const;
  schedule loops(const tile<D>& part, unsigned times) const;

  tile<D> whole_;
  std::vector<designated> tiles_;
};

}  // namespace sennit

// SPDX-License-Identifier: Apache-2.0
// MG of the NAS Parallel Benchmarks 3: Poisson's equation on a periodic cube by V-cycles over grids of 2, 4, ..., n cells a side.
// A step is one cycle; each of its operations is a loop over the planes of a grid.
#pragma once

#include "gallery/phases.hpp"

#include <sennit/numa_array.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace gallery {

struct mg_class {
  std::string_view name;
  std::size_t levels;  // the finest grid has 2^levels cells a side
  unsigned iterations;
  double norm;  // the answer
};
// S, W or A. Throws std::invalid_argument that says so for anything else.
const mg_class& mg_class_of(std::string_view name);

// Where charges are, as z, y, x.
struct mg_charges {
  std::vector<std::array<std::size_t, 3>> positive, negative;
};
// Those of the benchmark: at the ten largest and the ten least of as many random numbers as there are cells.
mg_charges mg_charges_of(const mg_class& problem);

// Cells 1 to n in each direction, and borders around them that repeat the cells of the other side.
class mg_grid {
 public:
  static constexpr std::size_t widest = (1 << 8) + 2;

  mg_grid() = default;
  explicit mg_grid(std::size_t n) : n_(n), cells_(side() * plane_size()) {}

  std::size_t n() const { return n_; }
  std::size_t side() const { return n_ + 2; }
  std::size_t plane_size() const { return side() * side(); }
  double* row(std::size_t z, std::size_t y) { return cells_.data() + z * plane_size() + y * side(); }
  const double* row(std::size_t z, std::size_t y) const {
    return cells_.data() + z * plane_size() + y * side();
  }

  void clear(std::size_t z) { std::fill_n(row(z, 0), plane_size(), 0.0); }
  void copy(const mg_grid& from, std::size_t z) { std::copy_n(from.row(z, 0), plane_size(), row(z, 0)); }
  // The borders that repeat cells of plane z.
  void wrap(std::size_t z);

 private:
  std::size_t n_ = 0;
  sennit::numa_array<double> cells_;
};

// The operations, for one iteration each. `from_zero`: as if there were only zeros in what they add to.
void mg_residual(const mg_grid& u, const mg_grid& v, mg_grid& r, std::size_t z);
void mg_smooth(const mg_grid& r, mg_grid& u, std::size_t z, bool from_zero);
void mg_restrict(const mg_grid& fine, mg_grid& coarse, std::size_t z);
void mg_prolong(const mg_grid& coarse, mg_grid& fine, std::size_t z, bool from_zero);  // planes 2z and 2z + 1

class mg {
 public:
  mg(const mg_class& problem, mg_charges charges);

  template <class Loops>
  void initialize(Loops&& loops) {
    for (const operation o : cycle_) {
      loops_on(loops, level_written(o)).each(iterations(o), 1, [=, this](std::size_t i) {
        initialize_part(o, i);
      });
    }
    place_charges();
  }

  template <class Loops>
  void step(Loops&& loops) {
    for (const operation o : cycle_) {
      loops_on(loops, level_written(o)).each(iterations(o), 1, [=, this](std::size_t i) { run(o, i); });
    }
  }

  // The same iteration by iteration, for graphs: the operations of a cycle once with initialize_part(), place_charges(), and then
  // cycle by cycle run(). An iteration has to wait for those of the operation before that it needs; between what else they
  // touch lies the coarsest grid, all of which needs all of it.
  std::size_t operations() const { return cycle_.size(); }
  std::size_t iterations(std::size_t operation) const { return iterations(cycle_[operation]); }
  // The first and the one after the last, counted around.
  std::pair<std::int64_t, std::int64_t> needs(std::size_t operation, std::size_t i) const;
  void initialize_part(std::size_t operation, std::size_t i) { initialize_part(cycle_[operation], i); }
  void place_charges();
  void run(std::size_t operation, std::size_t i) { run(cycle_[operation], i); }

  // To fresh pages.
  template <class Loops>
  void redistribute(Loops&& loops) {
    storage fresh(grids_.u.size());
    for (const operation o : cycle_) {
      loops_on(loops, level_written(o)).each(iterations(o), 1, [&, o](std::size_t i) {
        for_planes(o, i, [&](std::size_t z) {
          written(fresh, o).copy(written(grids_, o), z);
          if (is_top_residual(o)) fresh.v.copy(grids_.v, z);
        });
      });
    }
    grids_ = std::move(fresh);
  }

  // Grids of different sizes, each the target of loops over as many planes; prolongations go two planes at a
  // time.
  std::size_t levels() const { return grids_.u.size(); }
  std::size_t planes(std::size_t level) const { return grids_.u[level].n(); }

  // The root of the mean square of what is left of the charges.
  double norm() const;

 private:
  enum class kind { restriction, prolongation, residual, smoothing };
  struct operation {
    kind what;
    std::size_t level;  // the finer one of two
    bool first;         // to write its grid, of those in a cycle
  };
  // By level; each one's cells are twice as fine as those of the one before.
  struct storage {
    explicit storage(std::size_t levels);

    std::vector<mg_grid> u, r;
    mg_grid v;
  };

  bool is_top_residual(operation o) const {
    return o.what == kind::residual && o.level + 1 == grids_.u.size();
  }
  static std::size_t level_written(operation o) { return o.level - (o.what == kind::restriction ? 1 : 0); }
  static mg_grid& written(storage& grids, operation o);
  std::size_t iterations(operation o) const;
  void run(operation o, std::size_t i);
  void initialize_part(operation o, std::size_t i) {
    for_planes(o, i, [&](std::size_t z) {
      written(grids_, o).clear(z);
      if (is_top_residual(o)) grids_.v.clear(z);
    });
  }
  // Those planes that the iteration is the first of a cycle to write.
  template <class Write>
  void for_planes(operation o, std::size_t i, const Write& write) const {
    if (!o.first) return;
    if (o.what == kind::prolongation) {
      write(2 * i);
      write(2 * i + 1);
    } else {
      const std::size_t n = iterations(o);
      write(i + 1);
      if (i + 1 == n) write(0);
      if (i == 0) write(n + 1);
    }
  }

  mg_charges charges_;
  std::vector<operation> cycle_;
  storage grids_;
};

}  // namespace gallery

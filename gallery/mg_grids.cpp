// SPDX-License-Identifier: Apache-2.0
#include "gallery/mg.hpp"
#include "gallery/nas_random.hpp"

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

namespace gallery {
namespace {

constexpr std::array<mg_class, 3> classes{
    {{"S", 5, 4, 0.5307707005734e-04}, {"W", 7, 4, 0.6467329375339e-05}, {"A", 8, 4, 0.2433365309069e-05}}};

using row_of_sums = std::array<double, mg_grid::widest>;

// Over the four neighbors of each cell of a row that share two of its three coordinates' planes: the sides, and the corners.
struct neighbors {
  row_of_sums sides;
  row_of_sums corners;

  neighbors(const mg_grid& grid, std::size_t z, std::size_t y) {
    const auto rows = [&](std::size_t dz, std::size_t dy) { return grid.row(z + dz - 1, y + dy - 1); };
    const double *const north = rows(1, 0), *const south = rows(1, 2), *const below = rows(0, 1),
                        *const above = rows(2, 1);
    const double *const nb = rows(0, 0), *const sb = rows(0, 2), *const na = rows(2, 0),
                        *const sa = rows(2, 2);
    for (std::size_t x = 0; x < grid.side(); ++x) {
      sides[x] = north[x] + south[x] + below[x] + above[x];
      corners[x] = nb[x] + sb[x] + na[x] + sa[x];
    }
  }
};

// Cells one apart along the row.
template <class Row>
double both(const Row& row, std::size_t x) {
  return row[x - 1] + row[x + 1];
}

}  // namespace

const mg_class& mg_class_of(std::string_view name) {
  for (const mg_class& known : classes)
    if (known.name == name) return known;
  throw std::invalid_argument("mg: there is no class '" + std::string(name) + "'; choose S, W or A");
}

mg_charges mg_charges_of(const mg_class& problem) {
  struct candidate {
    double value;
    std::size_t cell;
  };
  std::vector<candidate> most, least;
  const auto consider = [](std::vector<candidate>& chosen, candidate c, auto before) {
    constexpr std::size_t enough = 10;
    if (chosen.size() == enough) {
      if (!before(c.value, chosen.back().value)) return;
      chosen.pop_back();
    }
    const auto behind = [&](const candidate& other) { return before(c.value, other.value); };
    chosen.insert(std::find_if(chosen.begin(), chosen.end(), behind), c);
  };
  nas_random random;
  const std::size_t n = std::size_t{1} << problem.levels;
  for (std::size_t cell = 0; cell < n * n * n; ++cell) {
    const candidate c{random.next(), cell};
    consider(most, c, std::greater<>());
    consider(least, c, std::less<>());
  }
  const auto places = [n](const std::vector<candidate>& chosen) {
    std::vector<std::array<std::size_t, 3>> all;
    for (const auto& [value, cell] : chosen)
      all.push_back({cell / (n * n) + 1, cell / n % n + 1, cell % n + 1});
    return all;
  };
  return {places(most), places(least)};
}

void mg_grid::wrap(std::size_t z) {
  for (std::size_t y = 1; y <= n_; ++y) {
    double* const cells = row(z, y);
    cells[0] = cells[n_];
    cells[n_ + 1] = cells[1];
  }
  std::copy_n(row(z, n_), side(), row(z, 0));
  std::copy_n(row(z, 1), side(), row(z, n_ + 1));
  if (z == 1) std::copy_n(row(z, 0), plane_size(), row(n_ + 1, 0));
  if (z == n_) std::copy_n(row(z, 0), plane_size(), row(0, 0));
}

void mg_residual(const mg_grid& u, const mg_grid& v, mg_grid& r, std::size_t z) {
  for (std::size_t y = 1; y <= u.n(); ++y) {
    const neighbors around(u, z, y);
    const double *const here = u.row(z, y), *const charge = v.row(z, y);
    double* const out = r.row(z, y);
    for (std::size_t x = 1; x <= u.n(); ++x) {
      out[x] = charge[x] + 8.0 / 3 * here[x] - 1.0 / 6 * (around.corners[x] + both(around.sides, x)) -
               1.0 / 12 * both(around.corners, x);
    }
  }
  r.wrap(z);
}

void mg_smooth(const mg_grid& r, mg_grid& u, std::size_t z, bool from_zero) {
  for (std::size_t y = 1; y <= r.n(); ++y) {
    const neighbors around(r, z, y);
    const double* const here = r.row(z, y);
    double* const out = u.row(z, y);
    for (std::size_t x = 1; x <= r.n(); ++x) {
      const double change = -3.0 / 8 * here[x] + 1.0 / 32 * (both(here, x) + around.sides[x]) -
                            1.0 / 64 * (around.corners[x] + both(around.sides, x));
      out[x] = from_zero ? change : out[x] + change;
    }
  }
  u.wrap(z);
}

void mg_restrict(const mg_grid& fine, mg_grid& coarse, std::size_t z) {
  for (std::size_t y = 1; y <= coarse.n(); ++y) {
    const neighbors around(fine, 2 * z, 2 * y);
    const double* const here = fine.row(2 * z, 2 * y);
    double* const out = coarse.row(z, y);
    for (std::size_t x = 1; x <= coarse.n(); ++x) {
      out[x] = 0.5 * here[2 * x] + 0.25 * (both(here, 2 * x) + around.sides[2 * x]) +
               0.125 * (both(around.sides, 2 * x) + around.corners[2 * x]) +
               0.0625 * both(around.corners, 2 * x);
    }
  }
  coarse.wrap(z);
}

// Each fine cell gets the mean of the one, two, four or eight coarse cells around it.
void mg_prolong(const mg_grid& coarse, mg_grid& fine, std::size_t z, bool from_zero) {
  for (const std::size_t dz : {0, 1}) {
    for (std::size_t y = 0; y <= coarse.n(); ++y) {
      for (const std::size_t dy : {0, 1}) {
        const double *const a = coarse.row(z, y), *const b = coarse.row(z + dz, y),
                            *const c = coarse.row(z, y + dy), *const d = coarse.row(z + dz, y + dy);
        double* const out = fine.row(2 * z + dz, 2 * y + dy);
        row_of_sums means;
        for (std::size_t x = 0; x < coarse.side(); ++x) means[x] = 0.25 * (a[x] + b[x] + c[x] + d[x]);
        for (std::size_t x = 0; x <= coarse.n(); ++x) {
          const double even = means[x], odd = 0.5 * (means[x] + means[x + 1]);
          out[2 * x] = from_zero ? even : out[2 * x] + even;
          out[2 * x + 1] = from_zero ? odd : out[2 * x + 1] + odd;
        }
      }
    }
  }
}

mg::storage::storage(std::size_t levels) : v(std::size_t{1} << levels) {
  for (std::size_t level = 1; level <= levels; ++level) {
    u.emplace_back(std::size_t{1} << level);
    r.emplace_back(std::size_t{1} << level);
  }
}

mg::mg(const mg_class& problem, mg_charges charges) : charges_(std::move(charges)), grids_(problem.levels) {
  const std::size_t top = problem.levels - 1;
  for (std::size_t level = top; level > 0; --level) cycle_.push_back({kind::restriction, level, true});
  cycle_.push_back({kind::smoothing, 0, true});
  for (std::size_t level = 1; level <= top; ++level) {
    cycle_.push_back({kind::prolongation, level, true});
    cycle_.push_back({kind::residual, level, level == top});
    cycle_.push_back({kind::smoothing, level, false});
  }
  cycle_.push_back({kind::residual, top, false});
}

mg_grid& mg::written(storage& grids, operation o) {
  const bool residue = o.what == kind::restriction || o.what == kind::residual;
  return (residue ? grids.r : grids.u)[level_written(o)];
}

std::size_t mg::iterations(operation o) const {
  switch (o.what) {
    case kind::restriction: return grids_.r[o.level - 1].n();
    case kind::prolongation: return grids_.u[o.level - 1].n() + 1;
    case kind::residual:
    case kind::smoothing: break;
  }
  return grids_.u[o.level].n();
}

std::pair<std::int64_t, std::int64_t> mg::needs(std::size_t operation, std::size_t iteration) const {
  const auto i = static_cast<std::int64_t>(iteration);
  switch (cycle_[operation].what) {
    case kind::restriction: return {2 * i, 2 * i + 3};
    case kind::prolongation: return {i - 1, i + 1};
    case kind::residual:
      // Each iteration of the prolongation before it makes two planes, and the border below is the first of the first.
      if (cycle_[operation - 1].what == kind::prolongation) return {i / 2, (i + 2) / 2 + 1};
      break;
    case kind::smoothing: break;
  }
  return {i - 1, i + 2};
}

void mg::run(operation o, std::size_t i) {
  auto& [u, r, v] = grids_;
  const std::size_t level = o.level;
  switch (o.what) {
    case kind::restriction: return mg_restrict(r[level], r[level - 1], i + 1);
    case kind::prolongation: return mg_prolong(u[level - 1], u[level], i, level + 1 < u.size());
    case kind::residual: return mg_residual(u[level], is_top_residual(o) ? v : r[level], r[level], i + 1);
    case kind::smoothing: return mg_smooth(r[level], u[level], i + 1, level == 0);
  }
}

// Where u is zero, they are what is left of them, too.
void mg::place_charges() {
  mg_grid& left = grids_.r.back();
  const auto put = [&](const auto& places, double charge) {
    for (const auto [z, y, x] : places) {
      grids_.v.row(z, y)[x] = left.row(z, y)[x] = charge;
      left.wrap(z);
    }
  };
  put(charges_.positive, 1);
  put(charges_.negative, -1);
}

double mg::norm() const {
  const mg_grid& left = grids_.r.back();
  const auto n = static_cast<double>(left.n());
  double squares = 0;
  for (std::size_t z = 1; z <= left.n(); ++z)
    for (std::size_t y = 1; y <= left.n(); ++y)
      for (std::size_t x = 1; x <= left.n(); ++x) squares += left.row(z, y)[x] * left.row(z, y)[x];
  return std::sqrt(squares / (n * n * n));
}

}  // namespace gallery

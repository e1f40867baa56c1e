// SPDX-License-Identifier: Apache-2.0
#include "gallery/cg.hpp"
#include "gallery/nas_random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace gallery {
namespace {

constexpr std::array<cg_class, 3> classes{{{"S", 1400, 7, 15, 10, 8.5971775078648},
                                           {"W", 7000, 8, 15, 12, 10.362595087124},
                                           {"A", 14000, 11, 15, 20, 17.130235054029}}};

struct entry {
  std::size_t at;
  double value;
};

// A sparse vector with entries at distinct random places (sprnvc), of which that at `own` is a half (vecset).
std::vector<entry> random_vector(const cg_class& problem, std::size_t own, nas_random& random) {
  const auto range = static_cast<double>(std::bit_ceil(problem.n));
  std::vector<entry> vector;
  const auto find = [&](std::size_t at) {
    return std::find_if(vector.begin(), vector.end(), [=](const entry& e) { return e.at == at; });
  };
  while (vector.size() < problem.nonzeros) {
    const double value = random.next();
    const auto at = static_cast<std::size_t>(range * random.next());
    if (at < problem.n && find(at) == vector.end()) vector.push_back({at, value});
  }
  if (const auto known = find(own); known != vector.end()) {
    known->value = 0.5;
  } else {
    vector.push_back({own, 0.5});
  }
  return vector;
}

// What a vector's product with itself has in a row.
struct summand {
  std::size_t at;
  std::size_t vector;
  double value;
};

// Summands at the same place, in the order of their vectors, become one entry.
void append(std::vector<summand>& row, compressed_rows& matrix) {
  std::sort(row.begin(), row.end(), [](const summand& a, const summand& b) {
    return std::pair(a.at, a.vector) < std::pair(b.at, b.vector);
  });
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (k > 0 && row[k].at == row[k - 1].at) {
      matrix.values.back() += row[k].value;
    } else {
      matrix.columns.push_back(static_cast<std::int32_t>(row[k].at));
      matrix.values.push_back(row[k].value);
    }
  }
  matrix.first.push_back(matrix.values.size());
}

}  // namespace

const cg_class& cg_class_of(std::string_view name) {
  for (const cg_class& known : classes)
    if (known.name == name) return known;
  throw std::invalid_argument("cg: there is no class '" + std::string(name) + "'; choose S, W or A");
}

// The sum of the vectors' products with themselves, weighted so that the condition number is about ten.
compressed_rows cg_matrix(const cg_class& problem) {
  constexpr double condition = 0.1;
  nas_random random;
  random.next();  // the benchmark spends one on an initial zeta
  std::vector<std::vector<summand>> rows(problem.n);
  const double ratio = std::pow(condition, 1 / static_cast<double>(problem.n));
  double weight = 1;
  for (std::size_t i = 0; i < problem.n; ++i, weight *= ratio) {
    const std::vector<entry> vector = random_vector(problem, i, random);
    for (const entry& a : vector) {
      const double scale = weight * a.value;
      for (const entry& b : vector) {
        const double on_diagonal = a.at == i && b.at == i ? condition - problem.shift : 0;
        rows[a.at].push_back({b.at, i, b.value * scale + on_diagonal});
      }
    }
  }
  compressed_rows matrix{{0}, {}, {}};
  for (std::vector<summand>& row : rows) append(row, matrix);
  return matrix;
}

}  // namespace gallery

// SPDX-License-Identifier: Apache-2.0
// The problems of NAS by the size that a benchmark program is asked for, made once. They answer with their size, if the benchmark's
// own verification says so.
#pragma once

#include "common/program.hpp"
#include "gallery/cg.hpp"
#include "gallery/mg.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

namespace bench {

class nas_cg : public gallery::cg {
 public:
  explicit nas_cg(std::uint64_t n, std::size_t block = 64)
      : gallery::cg(problem(n), matrix(n), block), n_(n) {}

  unsigned systems() const { return problem(n_).iterations; }
  std::uint64_t check() const { return std::abs(zeta() - problem(n_).zeta) <= 1e-10 ? n_ : 0; }

 private:
  static const gallery::cg_class& problem(std::uint64_t n) {
    for (const char* name : {"S", "W", "A"})
      if (gallery::cg_class_of(name).n == n) return gallery::cg_class_of(name);
    program::fail("--size", "must be 1400, 7000 or 14000 for cg, those of the classes S, W and A");
  }
  static const gallery::compressed_rows& matrix(std::uint64_t n) {
    static std::map<std::uint64_t, gallery::compressed_rows> made;
    const auto known = made.find(n);
    return known != made.end() ? known->second
                               : made.emplace(n, gallery::cg_matrix(problem(n))).first->second;
  }

  std::uint64_t n_;
};

class nas_mg : public gallery::mg {
 public:
  explicit nas_mg(std::uint64_t n) : gallery::mg(problem(n), charges(n)), n_(n) {}

  unsigned cycles() const { return problem(n_).iterations; }
  std::uint64_t check() const {
    const double right = problem(n_).norm;
    return std::abs(norm() - right) <= 1e-8 * right ? n_ : 0;
  }

 private:
  static const gallery::mg_class& problem(std::uint64_t n) {
    for (const char* name : {"S", "W", "A"})
      if (std::uint64_t{1} << gallery::mg_class_of(name).levels == n) return gallery::mg_class_of(name);
    program::fail("--size", "must be 32, 128 or 256 for mg, those of the classes S, W and A");
  }
  static const gallery::mg_charges& charges(std::uint64_t n) {
    static std::map<std::uint64_t, gallery::mg_charges> made;
    const auto known = made.find(n);
    return known != made.end() ? known->second
                               : made.emplace(n, gallery::mg_charges_of(problem(n))).first->second;
  }

  std::uint64_t n_;
};

}  // namespace bench

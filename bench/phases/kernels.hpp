// SPDX-License-Identifier: Apache-2.0
// The gallery's kernels of several phases as benchmark programs: --input names one, --work says how many rounds. Initialization
// runs by the loops that the rounds run by, so that pages lie where these want them, and is not timed.
#pragma once

#include "common/loops.hpp"
#include "common/nas.hpp"
#include "gallery/fdtd_2d.hpp"
#include "gallery/floyd_warshall.hpp"
#include "gallery/heat.hpp"
#include "gallery/memcpy.hpp"
#include "gallery/scan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace phases {

// Rows of a square plate that are a block: `block1` and so on, else 8.
inline std::size_t rows_of(const bench::program& program) {
  for (const std::size_t rows : {1, 2, 4, 16, 32, 64, 128})
    if (program.is("block" + std::to_string(rows))) return rows;
  return program.is("coarse") ? 1 : 8;
}

class heat : public gallery::heat {
 public:
  heat(const bench::program& program, std::uint64_t n) : gallery::heat(1, n, n, rows_of(program)), n_(n) {}

  template <class Loops>
  void initialize(Loops&& loops) {
    gallery::heat::initialize(loops, [n = n_](std::size_t, std::size_t y, float* row) {
      for (std::size_t x = 0; x < n; ++x) row[x] = static_cast<float>((7 * x + 13 * y) % 256);
    });
  }
  std::uint64_t rounds(std::uint64_t work) const { return work; }
  std::uint64_t check() const { return bench::checksum_of(cells()); }

 private:
  std::size_t n_;
};

class fdtd_2d : public gallery::fdtd_2d {
 public:
  fdtd_2d(const bench::program&, std::uint64_t n) : gallery::fdtd_2d(n, 8) {}

  std::uint64_t rounds(std::uint64_t work) const { return work; }
  std::uint64_t check() const { return bench::checksum_of(hz()); }
};

class floyd_warshall : public gallery::floyd_warshall {
 public:
  floyd_warshall(const bench::program&, std::uint64_t n) : gallery::floyd_warshall(n, 8), n_(n) {}

  template <class Loops>
  void initialize(Loops&& loops) {
    gallery::floyd_warshall::initialize(loops, [n = n_](std::size_t i, std::int32_t* row) {
      bench::random_numbers random(i);
      for (std::size_t j = 0; j < n; ++j)
        row[j] = i == j ? 0 : static_cast<std::int32_t>(1 + random.below(1000));
    });
  }
  std::uint64_t rounds(std::uint64_t) const { return n_; }
  std::uint64_t check() const { return bench::checksum_of(lengths()); }

 private:
  std::size_t n_;
};

class copy : public gallery::memcpy_blocks {
 public:
  copy(const bench::program&, std::uint64_t n) : gallery::memcpy_blocks(n) {}

  std::uint64_t rounds(std::uint64_t work) const { return work; }
  std::uint64_t check() const { return bench::checksum_of(gallery::memcpy_blocks::copy()); }
};

class scan : public gallery::scan {
 public:
  scan(const bench::program&, std::uint64_t n) : gallery::scan(n) {}

  std::uint64_t rounds(std::uint64_t work) const { return work; }
  std::uint64_t check() const { return bench::checksum_of(prefixes()); }
};

class cg : public bench::nas_cg {
 public:
  cg(const bench::program&, std::uint64_t n) : nas_cg(n) {}

  std::uint64_t rounds(std::uint64_t) const { return std::uint64_t{systems()} * steps_a_system; }
};

class mg : public bench::nas_mg {
 public:
  mg(const bench::program&, std::uint64_t n) : nas_mg(n) {}

  std::uint64_t rounds(std::uint64_t) const { return cycles(); }
};

// A Way has enter(f), initialize(kernel) and, within enter, step(kernel).
template <class Kernel, class Way>
class phased {
 public:
  phased(const bench::program& program, Way& way) : program_(program), way_(way) {}

  void prepare(std::uint64_t n) {
    kernel_.emplace(program_, n);
    way_.initialize(*kernel_);
  }
  void run() {
    way_.enter([this] {
      for (std::uint64_t left = kernel_->rounds(program_.work()); left > 0; --left) way_.step(*kernel_);
    });
  }
  std::uint64_t check() const { return kernel_->check(); }
  auto figures() const
    requires requires(const Way& way) { way.figures(); }
  {
    return way_.figures();
  }

 private:
  const bench::program& program_;
  Way& way_;
  std::optional<Kernel> kernel_;
};

// The loops of common/*_loops.hpp.
template <class Loops>
class looped {
 public:
  explicit looped(bench::program& program) : loops_(program) {}

  template <class F>
  void enter(F&& f) {
    loops_.enter(f);
  }
  template <class Kernel>
  void initialize(Kernel& kernel) {
    loops_.enter([&] { kernel.initialize(loops_); });
  }
  template <class Kernel>
  void step(Kernel& kernel) {
    kernel.step(loops_);
  }

 private:
  Loops loops_;
};

template <class Way>
int run_with(bench::program& program, Way&& way) {
  const auto run = [&]<class Kernel>(std::type_identity<Kernel>) -> int {
    if constexpr (requires(Way& w, Kernel& kernel) { w.initialize(kernel); }) {
      return program.run(phased<Kernel, std::remove_reference_t<Way>>(program, way));
    } else {
      bench::program::fail("--variant",
                           "must not be blocks for mg, whose loops differ in length, nor levels for others");
    }
  };
  const std::string& input = program.input();
  if (input == "heat") return run(std::type_identity<heat>());
  if (input == "fdtd-2d") return run(std::type_identity<fdtd_2d>());
  if (input == "floyd-warshall") return run(std::type_identity<floyd_warshall>());
  if (input == "cg") return run(std::type_identity<cg>());
  if (input == "mg") return run(std::type_identity<mg>());
  if (input == "memcpy") return run(std::type_identity<copy>());
  if (input == "scan") return run(std::type_identity<scan>());
  bench::program::fail("--input", "must be heat, fdtd-2d, floyd-warshall, cg, mg, memcpy or scan");
}

template <class Loops>
int run_looped(bench::program& program) {
  return run_with(program, looped<Loops>(program));
}

}  // namespace phases

// SPDX-License-Identifier: Apache-2.0
// The kernels that sweep again and again as benchmark programs: --input names one, --work says how many steps.
#pragma once

#include "common/loops.hpp"
#include "common/serial_way.hpp"
#include "gallery/apop.hpp"
#include "gallery/convolution_2d.hpp"
#include "gallery/copy.hpp"
#include "gallery/fdtd_2d.hpp"
#include "gallery/gray_scott.hpp"
#include "gallery/jacobi_1d.hpp"
#include "gallery/jacobi_2d.hpp"
#include "gallery/jacobi_3d.hpp"
#include "gallery/mvt.hpp"
#include "gallery/seidel_2d.hpp"
#include "gallery/stencil_27.hpp"
#include "gallery/wave_1d.hpp"
#include "splice/walks.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace splice {

// What is best for each kernel where parts are chosen by hand: the rows of a whole block; a tile that is shifted from sweep to
// sweep; the steps that are taken together. By measurement: a machine with 1 MiB of second-level cache for each core.
struct shape {
  std::int64_t block;
  std::int64_t tile_rows;
  std::int64_t tile_columns;
  std::int64_t together;
  std::int64_t memoized_block = 0;  // where it is not `block`, as steps cost less in a known order

  std::int64_t block_in_known_order() const { return memoized_block != 0 ? memoized_block : block; }
};

inline constexpr std::int64_t all_columns = std::int64_t{1} << 32;

// The same for a last-level cache of 1 MiB, which is simulated: inputs that end in "-small".
inline shape small_shape_of(std::string_view name) {
  if (name == "jacobi-1d") return {1024, 1024, 1, 32};
  if (name == "apop") return {384, 384, 1, 32};
  if (name == "jacobi-3d" || name == "stencil-27") return {1, 2, 24, 8};
  if (name == "wave-1d") return {4096, 1024, 1, 3};
  if (name == "convolution-2d") return {2, 2, 360, 32};
  if (name == "mvt" || name == "bicg") return {8, 8, all_columns, 1};
  if (name == "copy") return {1 << 16, 1 << 16, 1, 1};
  return {1, 1, all_columns, name == "seidel-2d" ? 16 : 32};
}

inline std::string_view without_small(std::string_view input) {
  constexpr std::string_view suffix = "-small";
  return input.ends_with(suffix) ? input.substr(0, input.size() - suffix.size()) : input;
}

inline shape shape_of(std::string_view input) {
  const std::string_view name = without_small(input);
  if (name != input) return small_shape_of(name);
  if (name == "jacobi-1d" || name == "steps") return {16384, 2048, 1, 16, 2048};
  if (name == "apop") return {8192, 2048, 1, 16};
  if (name == "jacobi-2d") return {2, 1, all_columns, 16};
  if (name == "jacobi-3d" || name == "stencil-27") return {1, 2, 48, 8};
  if (name == "wave-1d") return {16384, 4096, 1, 2};
  if (name == "convolution-2d") return {2, 4, all_columns, 16};
  if (name == "gray-scott") return {1, 1, all_columns, 16};
  if (name == "seidel-2d") return {8, 8, all_columns, 8};
  if (name == "fdtd-2d") return {1, 2, all_columns, 8, 4};
  if (name == "mvt") return {16, 8, all_columns, 1};
  if (name == "bicg")
    return {15, 8, all_columns, 1};  // a part of the rows between which sums are independent
  return {1 << 20, 1 << 20, 1, 1};   // copy
}

// The kernel that is measured with nothing in its steps, for what a step costs.
class empty_steps {
 public:
  static constexpr int phases = 1;

  explicit empty_steps(std::int64_t n) : n_(n), u_(n) {}

  void initialize() { steps_ = 0; }
  part whole() const { return {{1, n_ - 1}}; }
  static constexpr lead ahead(std::int64_t) { return {1}; }
  void sweep(std::int64_t, const part&) { ++steps_; }
  sennit::effects effects_of(std::int64_t s, range rows) const { return u_.effects_of(s, rows, 1); }
  std::span<const double> result(std::int64_t) const { return {}; }
  std::uint64_t steps() const { return steps_; }

 private:
  std::int64_t n_;
  gallery::two_fields u_;
  std::uint64_t steps_ = 0;
};

// A Way has run(kernel, shape, sweeps), which takes all of them; and settle(kernel, shape, sweeps), which runs them until it knows
// how to, if it needs that: then it keeps the kernel's data where it is.
template <class Way, class Kernel>
concept settling =
    requires(Way& way, Kernel& kernel, const shape& by) { way.settle(kernel, by, std::int64_t{}); };

template <class Kernel, class Way>
class swept {
 public:
  swept(const bench::program& program, Way& way) : program_(program), way_(way) {}

  void prepare(std::uint64_t n) {
    if (!kernel_ || n != n_) {
      kernel_.reset();
      kernel_ = std::make_unique<Kernel>(static_cast<std::int64_t>(n));
      n_ = n;
      if constexpr (settling<Way, Kernel>) {
        kernel_->initialize();
        way_.settle(*kernel_, shape_of(program_.input()), sweeps());
      }
    }
    kernel_->initialize();
  }
  void run() {
    const double start = bench::now();
    if (sweeps() > 0) way_.run(*kernel_, shape_of(program_.input()), sweeps());
    gallery::finish(*kernel_);
    seconds_ = bench::now() - start;
    if constexpr (requires { kernel_->steps(); }) steps_ = kernel_->steps();
  }
  // All programs are alive at once, and their data together would be more than the memory.
  std::uint64_t check() {
    const std::uint64_t sum = bench::checksum_of(kernel_->result(sweeps()));
    if constexpr (!settling<Way, Kernel>) kernel_.reset();
    return sum;
  }
  std::vector<std::pair<const char*, double>> figures() const {
    std::vector<std::pair<const char*, double>> all;
    if constexpr (requires { way_.figures(); }) all = way_.figures();
    if constexpr (requires { kernel_->steps(); })
      all.emplace_back("ns_per_step", seconds_ * 1e9 / static_cast<double>(steps_));
    return all;
  }

 private:
  std::int64_t sweeps() const { return static_cast<std::int64_t>(program_.work()) * Kernel::phases; }

  const bench::program& program_;
  Way& way_;
  std::uint64_t n_ = 0;
  std::uint64_t steps_ = 0;
  double seconds_ = 0;
  std::unique_ptr<Kernel> kernel_;
};

template <class Way>
int run_with(bench::program& program, Way&& way) {
  const auto run = [&]<class Kernel>(std::type_identity<Kernel>) {
    return program.run(swept<Kernel, std::remove_reference_t<Way>>(program, way));
  };
  const std::string_view input = without_small(program.input());
  if (input == "jacobi-1d") return run(std::type_identity<gallery::jacobi_1d>());
  if (input == "jacobi-2d") return run(std::type_identity<gallery::jacobi_2d>());
  if (input == "jacobi-3d") return run(std::type_identity<gallery::jacobi_3d>());
  if (input == "seidel-2d") return run(std::type_identity<gallery::seidel_2d>());
  if (input == "fdtd-2d") return run(std::type_identity<gallery::fdtd_2d>());
  if (input == "apop") return run(std::type_identity<gallery::apop>());
  if (input == "mvt") return run(std::type_identity<gallery::mvt>());
  if (input == "bicg") return run(std::type_identity<gallery::bicg>());
  if (input == "copy") return run(std::type_identity<gallery::copy>());
  if (input == "wave-1d") return run(std::type_identity<gallery::wave_1d>());
  if (input == "convolution-2d") return run(std::type_identity<gallery::convolution_2d>());
  if (input == "gray-scott") return run(std::type_identity<gallery::gray_scott>());
  if (input == "stencil-27") return run(std::type_identity<gallery::stencil_27>());
  if (input == "steps") return run(std::type_identity<empty_steps>());
  bench::program::fail(
      "--input",
      "must be jacobi-1d, jacobi-2d, jacobi-3d, seidel-2d, fdtd-2d, apop, mvt, bicg, copy, wave-1d, "
      "convolution-2d, gray-scott, stencil-27 or steps");
}

template <class Kernel>
inline constexpr bool chained = requires { Kernel::chained; };

// One sweep after the other, each by the loops of common/*_loops.hpp over its parts.
template <class Loops>
class looped {
 public:
  explicit looped(bench::program& program) : loops_(program) {}

  template <class Kernel>
  void run(Kernel& kernel, const shape& by, std::int64_t sweeps) {
    loops_.enter([&] {
      for (std::int64_t s = 0; s < sweeps; ++s) sweep(kernel, by, s);
    });
  }

 private:
  template <class Kernel>
  void sweep(Kernel& kernel, const shape& by, std::int64_t s) {
    const part whole = kernel.whole();
    if constexpr (chained<Kernel>) {
      diagonals(kernel, s, whole);
    } else {
      std::int64_t rows = by.block;
      if constexpr (requires { kernel.row_unit(); }) rows = kernel.row_unit();
      loops_.each(static_cast<std::size_t>(pieces(whole.rows, rows)), 1, [&](std::size_t i) {
        kernel.sweep(s, {piece(whole.rows, rows, static_cast<std::int64_t>(i)), whole.columns});
      });
    }
  }
  // Those parts are independent of which neither is below nor to the right of the other.
  template <class Kernel>
  void diagonals(Kernel& kernel, std::int64_t s, const part& whole) {
    constexpr std::int64_t side = 400;
    const std::int64_t rows = pieces(whole.rows, side);
    const std::int64_t columns = pieces(whole.columns, side);
    for (std::int64_t d = 0; d < rows + columns - 1; ++d) {
      const std::int64_t first = std::max<std::int64_t>(0, d - columns + 1);
      const std::int64_t last = std::min(rows, d + 1);
      loops_.each(static_cast<std::size_t>(last - first), 1, [&](std::size_t i) {
        const std::int64_t row = first + static_cast<std::int64_t>(i);
        kernel.sweep(s, {piece(whole.rows, side, row), piece(whole.columns, side, d - row)});
      });
    }
  }

  Loops loops_;
};

// One sweep after the other, each by halves down to a block. Halves are Forks::join(f, g), but one after the other where parts depend
// on those before them.
template <class Forks>
class halved {
 public:
  explicit halved(bench::program& program) : forks_(program) {}

  template <class Kernel>
  void run(Kernel& kernel, const shape& by, std::int64_t sweeps) {
    std::int64_t rows = by.block;
    if constexpr (requires { kernel.row_unit(); }) rows = kernel.row_unit();
    using How = std::conditional_t<chained<Kernel>, bench::serial_way, Forks>;
    forks_.enter([&] {
      const part whole = kernel.whole();
      for (std::int64_t s = 0; s < sweeps; ++s) {
        halve<How>({0, pieces(whole.rows, rows)},
                   [&](std::int64_t i) { kernel.sweep(s, {piece(whole.rows, rows, i), whole.columns}); });
      }
    });
  }

 private:
  template <class How, class Leaf>
  static void halve(range r, const Leaf& leaf) {
    if (r.size() <= 1) return leaf(r.first);
    const auto left = [&, half = r.left()] { halve<How>(half, leaf); };
    const auto right = [&, half = r.right()] { halve<How>(half, leaf); };
    How::join(left, right);
  }

  Forks forks_;
};

}  // namespace splice

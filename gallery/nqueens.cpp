// SPDX-License-Identifier: Apache-2.0
// nqueens: in how many ways n queens stand on an n x n board without attacking each other. A fork for each
// valid square of a row; or a loop over all squares of a row, most of which have nothing to do: a parallel
// one, or one by halves (the three of Govedič, 2023, §4.1).
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

constexpr std::array<std::int64_t, 19> known{1,      1,       0,        0,        2,        10,    4,
                                             40,     92,      352,      724,      2680,     14200, 73712,
                                             365596, 2279184, 14772512, 95815104, 666090624};

// The rows filled so far, as seen from the next one: bit i is column i.
struct board {
  std::uint32_t all;
  std::uint32_t columns = 0;
  std::uint32_t rising = 0;
  std::uint32_t falling = 0;

  bool full() const { return columns == all; }
  std::uint32_t free() const { return all & ~(columns | rising | falling); }
  board with(std::uint32_t square) const {
    return {all, columns | square, (rising | square) << 1, (falling | square) >> 1};
  }
};

template <class P>
std::int64_t solutions(board b);

// Solutions with the next queen on one of `squares`, of which there is at least one.
template <class P>
std::int64_t solutions(board b, std::uint32_t squares) {
  const std::uint32_t square = squares & -squares;
  const std::uint32_t others = squares ^ square;
  if (others == 0) return solutions<P>(b.with(square));
  auto [here, elsewhere] =
      P::join([=] { return solutions<P>(b.with(square)); }, [=] { return solutions<P>(b, others); });
  return here + elsewhere;
}

template <class P>
std::int64_t solutions(board b) {
  if (b.full()) return 1;
  const std::uint32_t squares = b.free();
  return squares == 0 ? 0 : solutions<P>(b, squares);
}

template <class P>
std::int64_t solutions_by_loops(board b) {
  if (b.full()) return 1;
  return P::parallel_reduce(0, std::bit_width(b.all), std::int64_t{0}, [=](int column) {
    const std::uint32_t square = std::uint32_t{1} << column;
    return (b.free() & square) != 0 ? solutions_by_loops<P>(b.with(square)) : 0;
  });
}

// Solutions with the next queen in one of the columns [from, to).
template <class P>
std::int64_t solutions_by_halves(board b, int from, int to) {
  if (to - from == 1) {
    const std::uint32_t square = std::uint32_t{1} << from;
    if ((b.free() & square) == 0) return 0;
    const board next = b.with(square);
    return next.full() ? 1 : solutions_by_halves<P>(next, 0, std::bit_width(b.all));
  }
  const int middle = from + (to - from) / 2;
  auto [left, right] = P::join([=] { return solutions_by_halves<P>(b, from, middle); },
                               [=] { return solutions_by_halves<P>(b, middle, to); });
  return left + right;
}

struct program {
  static constexpr description about{.name = "nqueens",
                                     .summary = "ways to place n queens on an n x n board"};

  std::int64_t n = 13;
  std::string variant = "forks";

  std::vector<parameter> parameters() {
    return {{"n", "width of the board", &n, 1, known.size() - 1},
            {.name = "variant",
             .meaning = "a fork for each valid square, a loop over each row, or such a loop by halves",
             .value = &variant,
             .words = {"forks", "loops", "dac-loop"}}};
  }
  void choose_demo() { n = 14; }
  void prepare() {}

  template <class P>
  std::int64_t run() const {
    const board empty{.all = (std::uint32_t{1} << n) - 1};
    if (variant == "dac-loop") return solutions_by_halves<P>(empty, 0, static_cast<int>(n));
    return variant == "forks" ? solutions<P>(empty) : solutions_by_loops<P>(empty);
  }

  std::string complaint(std::int64_t result) const {
    const std::int64_t right = known[static_cast<std::size_t>(n)];
    return result == right ? "" : fmt::format("{} queens can be placed in {} ways, not {}", n, right, result);
  }

  std::string describe(std::int64_t result) const { return fmt::format("{} queens: {} ways", n, result); }
};

}  // namespace

std::unique_ptr<kernel> make_nqueens() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery

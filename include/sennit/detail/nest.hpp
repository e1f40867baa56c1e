// How nests run: detail/cuts.hpp says what the parts are, loops and joins run them.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/cuts.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop.hpp>
#include <sennit/detail/sequence.hpp>
#include <sennit/space.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sennit::detail {

template <class F, class Dimensions>
inline constexpr bool takes_indices = false;
template <class F, std::size_t... d>
inline constexpr bool takes_indices<F, std::index_sequence<d...>> =
    std::invocable<F&, std::conditional_t<d == d, std::ptrdiff_t, void>...>;

template <class F, std::size_t D>
concept cell_body = takes_indices<F, std::make_index_sequence<D>>;
// What the body of a nest of D loops must be: called as body(i, j, ...)
// with D indices, or with a sennit::tile<D>.
template <class F, std::size_t D>
concept takes_indices_or_tile = cell_body<F, D> || std::invocable<F&, const tile<D>&>;

SENNIT_EXPORT [[noreturn]] void refuse_cells();

// The nest as it is written: the first dimension outermost.
template <std::size_t D, class F, std::integral... I>
SENNIT_INLINE void for_each_cell(const tile<D>& t, F& body, I... i) {
  constexpr std::size_t d = sizeof...(I);
  if constexpr (d == D) {
    body(i...);
  } else {
    const std::ptrdiff_t end = t.end(d);
    for (std::ptrdiff_t next = t.begin(d); next < end; ++next) for_each_cell(t, body, i..., next);
  }
}

// A body that can be called as a constant may be copied.
template <class F, std::size_t D>
concept copied_body =
    light<F> && (cell_body<F, D> ? cell_body<const F, D> : std::invocable<const F&, const tile<D>&>);

// A function of its own: amid the code that schedules it, the body's innermost loop
// would be short of registers.
template <std::size_t D, class F>
[[gnu::noinline]] void run_part(const tile<D>& part, F& body) {
  // No store of the body can reach a copy of its own: its captures then stay in registers.
  std::conditional_t<copied_body<F, D>, const std::remove_cv_t<F>, F&> own = body;
  if constexpr (cell_body<F, D>) {
    for_each_cell(part, own);
  } else {
    detail::invoke(own, part);
  }
}

template <std::size_t D>
struct box {
  tile<D> all;
  std::array<bool, D> in_order{};

  bool parallel_from(std::size_t d) const noexcept {
    for (; d < D; ++d) {
      if (!in_order[d]) return true;
    }
    return false;
  }
};

// What the positions of a loop over several dimensions are: cells, or rows of them.
enum class unit { cell, row };

// Runs `part`, of which the dimensions before d are settled, in row order; run(part)
// is called for what is to be run serially. Neighboring parallel loops are one loop;
// at most `levels` loops are opened within one another, what is further inside is serial.
// Loops of other levels and units are functions of their own, as a loop learns what its positions cost.
template <class Engine, std::size_t levels, unit each, std::size_t D, class Run>
void in_rows(const box<D>& space, const tile<D>& part, std::size_t d, Run& run) {
  if (!space.parallel_from(d)) {
    run(part);
    return;
  }
  if (space.in_order[d]) {
    for (std::ptrdiff_t i = part.begin(d); i < part.end(d); ++i)
      in_rows<Engine, levels, each>(space, part.with(d, i, i + 1), d + 1, run);
    return;
  }
  std::size_t last = d + 1;
  while (last < D && !space.in_order[last]) ++last;
  const bool more = levels > 1 && space.parallel_from(last);
  if (each == unit::row && last > d + 1) --last;
  Engine::for_positions(cells(part, d, last),
                        [&](position from, position to) {
                          for_each_run(part, d, last, from, to, [&](const tile<D>& cut) {
                            if constexpr (levels > 1) {
                              if (more) {
                                for (std::ptrdiff_t i = cut.begin(last - 1); i < cut.end(last - 1); ++i)
                                  in_rows<Engine, levels - 1, each>(space, cut.with(last - 1, i, i + 1), last,
                                                                    run);
                                return;
                              }
                            }
                            run(cut);
                          });
                        },
                        {});
}
// All of the space. Two parallel loops that are not one have a loop in order between them.
template <class Engine, std::size_t D, class Run>
void in_rows(const box<D>& space, Run& run) {
  in_rows<Engine, (D + 1) / 2, unit::cell>(space, space.all, 0, run);
}

// A tile, as the orders that cut the space come to it. A body that takes indices gets no coarser
// for the cutting: the tile is a parallel loop like any other, over its rows where there are many
// tiles, else over its cells.
template <class Engine, std::size_t D, class F>
void run_tile(const box<D>& space, const tile<D>& t, F& body) {
  if constexpr (cell_body<F, D>) {
    constexpr std::uint64_t many_tiles = 64;
    auto run = [&](const tile<D>& part) { run_part(part, body); };
    if (cells(t) < cells(space.all) / many_tiles)
      in_rows<Engine, 1, unit::row>(space, t, 0, run);
    else
      in_rows<Engine, 1, unit::cell>(space, t, 0, run);
  } else {
    run_part(t, body);
  }
}

// The tile of a triangle's square. Across the diagonal, each row is a tile of its own.
template <class Engine, class F>
void run_tile(const triangle& space, const tile<2>& t, F& body) {
  if (outside(space, t)) return;
  if (inside(space, t)) {
    run_tile<Engine>(box<2>{square_around(space)}, t, body);
    return;
  }
  Engine::for_positions(static_cast<position>(t.size(0)),
                        [&](position from, position to) {
                          for (position p = from; p < to; ++p) {
                            const tile<2> row =
                                row_within(space, t, t.begin(0) + static_cast<std::ptrdiff_t>(p));
                            if (!row.empty()) run_part(row, body);
                          }
                        },
                        {});
}

template <std::size_t D>
const tile<D>& box_around(const box<D>& space) noexcept {
  return space.all;
}
inline tile<2> box_around(const triangle& space) noexcept { return square_around(space); }

template <std::size_t D>
bool serial(const box<D>& space, std::size_t d) noexcept {
  return space.in_order[d];
}
inline bool serial(const triangle&, std::size_t) noexcept { return false; }

template <std::size_t D>
bool outside(const box<D>&, const tile<D>&) noexcept {
  return false;
}

template <class Engine, class Space, std::size_t D, class F>
void run_halves(const Space& space, const tile<D>& t, const sizes<D>& base, F& body) {
  const std::size_t d = longest(t, base);
  if (d == D) {
    run_tile<Engine>(space, t, body);
    return;
  }
  const auto cut = halve(t, d);
  // No structured binding: lambdas of C++20 cannot capture one in every compiler.
  const tile<D>& lower = cut.first;
  const tile<D>& upper = cut.second;
  if (outside(space, lower)) {
    run_halves<Engine>(space, upper, base, body);
  } else if (outside(space, upper)) {
    run_halves<Engine>(space, lower, base, body);
  } else if (serial(space, d)) {
    run_halves<Engine>(space, lower, base, body);
    run_halves<Engine>(space, upper, base, body);
  } else {
    Engine::join([&] { run_halves<Engine>(space, lower, base, body); },
                 [&] { run_halves<Engine>(space, upper, base, body); });
  }
}

template <class Engine, std::size_t D, class F>
void run_rows(const box<D>& space, F& body) {
  auto run = [&](const tile<D>& part) { run_part(part, body); };
  in_rows<Engine>(space, run);
}

template <class Engine, class F>
void run_rows(const triangle& space, F& body) {
  Engine::for_positions(cells(space),
                        [&](position from, position to) {
                          for_each_run(space, from, to, [&](const tile<2>& part) { run_part(part, body); });
                        },
                        {});
}

// The grid of tiles is a nest like any other, and a tile is its body.
template <class Engine, std::size_t D, class Space, class F>
void run_tiles(const Space& space, const std::array<bool, D>& in_order, const sizes<D>& size, F& body) {
  const tile<D> all = box_around(space);
  const auto one = [&](auto... at) { run_tile<Engine>(space, tile_at(all, size, sizes<D>{at...}), body); };
  auto run = [&](const tile<D>& part) { for_each_cell(part, one); };
  in_rows<Engine>(box<D>{grid(all, size), in_order}, run);
}

}  // namespace sennit::detail

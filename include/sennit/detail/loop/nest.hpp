// SPDX-License-Identifier: Apache-2.0
// How nests run: detail/loop/nest_cuts.hpp says what the parts are, loops and joins run them.
#pragma once

#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/held.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/nest_cuts.hpp>
#include <sennit/detail/loop/shared_body.hpp>
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

// The checks return whether it is worth going on, so that the first error is the only one.
template <class F, std::size_t D>
consteval bool check_nest_body() {
  constexpr bool good = takes_indices_or_tile<const F, D>;
  constexpr bool with_state = !good && takes_indices_or_tile<F, D>;
  if constexpr (with_state) {
    refuse_state_if<with_state>();
  } else {
    static_assert(
        good,
        "parallel_for_nest: the body takes neither as many indices as there are loops, as [](long i, long "
        "j) {} does, nor a sennit::tile of as many dimensions; give it such parameters");
  }
  return good;
}

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

// The same as far as the gate is open, which is looked at for each index of the dimension `inner`. Returns
// how many of these are done. Precondition: the tile has one index in each dimension before that.
template <std::size_t D, class Gate, class F, std::integral... I>
SENNIT_INLINE std::uint64_t for_each_cell(const tile<D>& t, std::size_t inner, Gate gate, F& body, I... i) {
  constexpr std::size_t d = sizeof...(I);
  if constexpr (d == D) {
    __builtin_unreachable();
  } else {
    const std::ptrdiff_t begin = t.begin(d);
    if (d != inner) return for_each_cell(t, inner, gate, body, i..., begin);
    const std::ptrdiff_t end = t.end(d);
    std::ptrdiff_t next = begin;
    do {
      for_each_cell(t, body, i..., next);
      ++next;
    } while (goes_on(next, begin, end, gate));
    return static_cast<std::uint64_t>(next - begin);
  }
}

// A function of its own: amid the code that schedules it, the body's innermost loop
// would be short of registers.
template <std::size_t D, class F>
[[gnu::noinline]] void run_part(const tile<D>& part, F& body) {
  // No store of the body can reach a copy of its own: its captures then stay in registers.
  std::conditional_t<light<F>, const std::remove_cv_t<F>, F&> own = body;
  if constexpr (cell_body<F, D>) {
    for_each_cell(part, own);
  } else {
    detail::invoke(own, part);
  }
}

template <std::size_t D, class Gate, class F>
[[gnu::noinline]] std::uint64_t run_part(const tile<D>& part, std::size_t inner, Gate gate, F& body) {
  std::conditional_t<light<F>, const std::remove_cv_t<F>, F&> own = body;
  if constexpr (cell_body<F, D>) {
    return for_each_cell(part, inner, gate, own);
  } else {
    detail::invoke(own, part);
    return static_cast<std::uint64_t>(part.size(inner));
  }
}

// What the orders run: parts, whole, or as far as the gate is open.
template <std::size_t D, class F>
struct parts_of {
  F& body;
  void operator()(const tile<D>& part) const { run_part(part, body); }
  template <class Gate>
  std::uint64_t operator()(const tile<D>& part, std::size_t inner, Gate gate) const {
    return run_part(part, inner, gate, body);
  }
  // Not by a function of its own, so that the compiler sees all of it: see loop_over::run_one().
  SENNIT_INLINE void one(const tile<D>& part) const {
    if constexpr (cell_body<F, D>) {
      for_each_cell(part, body);
    } else {
      detail::invoke(body, part);
    }
  }
};

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
  // The first dimension from d on that is in order; D: none is.
  std::size_t in_order_from(std::size_t d) const noexcept {
    while (d < D && !in_order[d]) ++d;
    return d;
  }
};

// What the positions of a loop over several dimensions are: cells, or rows of them, if these are short.
enum class unit { cell, row };

// The end of the dimensions from d on that are one loop. Precondition: d is not in order.
template <unit each, std::size_t D>
SENNIT_INLINE std::size_t end_of_loop(const box<D>& space, const tile<D>& part, std::size_t d) noexcept {
  const std::size_t last = space.in_order_from(d);
  const bool rows = each == unit::row && last - d > 1;
  return rows && static_cast<position>(part.size(last - 1)) <= pace::block ? last - 1 : last;
}

// The loop over the dimensions [first, last) of a part, in chunks, of what runs serially.
template <std::size_t D, class Run>
struct row_chunks {
  const tile<D>& part_;
  std::size_t first_;
  std::size_t last_;
  const Run& run_;

  template <class Gate>
  SENNIT_INLINE position operator()(position from, position to, Gate gate) const {
    return for_each_run(part_, first_, last_, from, to,
                        [&](const tile<D>& cut) { return run_(cut, last_ - 1, gate); });
  }
  SENNIT_INLINE void one(position p) const {
    tile<D> cut = part_;
    narrow(cut, part_, first_, last_, p);
    run_.one(cut);
  }
};

template <class Engine, std::size_t levels, unit each, std::size_t D, class Run>
struct nested_chunks;

// Runs `part`, of which the dimensions before d are settled, in row order; run(part), or run(part, inner,
// gate), is called for what runs serially, and run.one(part) for an iteration alone. Neighboring parallel
// loops are one loop; at most `levels` loops are opened within one another, what is further inside is serial.
template <class Engine, std::size_t levels, unit each, std::size_t D, class Run>
void in_rows(const box<D>& space, const tile<D>& part, std::size_t d, const Run& run) {
  if (!space.parallel_from(d)) {
    run(part);
    return;
  }
  if (space.in_order[d]) {
    for (std::ptrdiff_t i = part.begin(d); i < part.end(d); ++i)
      in_rows<Engine, levels, each>(space, part.with(d, i, i + 1), d + 1, run);
    return;
  }
  const std::size_t last = end_of_loop<each>(space, part, d);
  const row_chunks<D, Run> rows{part, d, last, run};
  if constexpr (levels > 1) {
    if (space.parallel_from(last)) {
      const nested_chunks<Engine, levels - 1, each, D, Run> nested{space, rows};
      Engine::for_positions(cells(part, d, last), nested, {});
      return;
    }
  }
  Engine::for_positions(cells(part, d, last), rows, {});
}

// The same where what is within each index is parallel, too.
template <class Engine, std::size_t levels, unit each, std::size_t D, class Run>
struct nested_chunks {
  const box<D>& space_;
  row_chunks<D, Run> rows_;

  template <class Gate>
  SENNIT_INLINE position operator()(position from, position to, Gate gate) const {
    return for_each_run(rows_.part_, rows_.first_, rows_.last_, from, to, [&](const tile<D>& cut) {
      const std::size_t inner = rows_.last_ - 1;
      const std::ptrdiff_t begin = cut.begin(inner);
      std::ptrdiff_t i = begin;
      do {
        in_rows<Engine, levels, each>(space_, cut.with(inner, i, i + 1), rows_.last_, rows_.run_);
        ++i;
      } while (goes_on(i, begin, cut.end(inner), gate));
      return static_cast<position>(i - begin);
    });
  }
};

// All of the space. Two parallel loops that are not one have a loop in order between them.
template <class Engine, std::size_t D, class Run>
void in_rows(const box<D>& space, const Run& run) {
  in_rows<Engine, (D + 1) / 2, unit::cell>(space, space.all, 0, run);
}

// A tile, as the orders that cut the space come to it. A body that takes indices gets no coarser
// for the cutting: the tile is a parallel loop like any other, over its rows where there are many
// tiles and a row is no more than a block, else over its cells.
template <class Engine, std::size_t D, class F>
void run_tile(const box<D>& space, const tile<D>& t, F& body) {
  if constexpr (cell_body<F, D>) {
    constexpr std::uint64_t many_tiles = 64;
    const parts_of<D, F> run{body};
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
                        [&](position from, position to, auto gate) {
                          position p = from;
                          do {
                            const tile<2> row =
                                row_within(space, t, t.begin(0) + static_cast<std::ptrdiff_t>(p));
                            if (!row.empty()) run_part(row, body);
                          } while (goes_on(++p, from, to, gate));
                          return p;
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
  in_rows<Engine>(space, parts_of<D, F>{body});
}

// The loop over the cells of a triangle, in chunks.
template <class F>
struct triangle_chunks {
  const triangle& space_;
  F& body_;

  template <class Gate>
  SENNIT_INLINE position operator()(position from, position to, Gate gate) const {
    return for_each_run(space_, from, to, [&body = body_, gate](const tile<2>& part) {
      return part.empty() ? position{0} : run_part(part, 1, gate, body);
    });
  }
  SENNIT_INLINE void one(position p) const {
    for_each_run(space_, p, p + 1, [&](const tile<2>& part) {
      if (part.empty()) return position{0};
      parts_of<2, F>{body_}.one(part);
      return position{1};
    });
  }
};

template <class Engine, class F>
void run_rows(const triangle& space, F& body) {
  Engine::for_positions(cells(space), triangle_chunks<F>{space, body}, {});
}

// The grid of tiles is a nest like any other, and a tile is its body.
template <class Engine, std::size_t D, class Space, class F>
void run_tiles(const Space& space, const std::array<bool, D>& in_order, const sizes<D>& size, F& body) {
  const tile<D> all = box_around(space);
  const auto one = [&](auto... at) { run_tile<Engine>(space, tile_at(all, size, sizes<D>{at...}), body); };
  in_rows<Engine>(box<D>{grid(all, size), in_order}, parts_of<D, decltype(one)>{one});
}

}  // namespace sennit::detail

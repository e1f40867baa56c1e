// SPDX-License-Identifier: Apache-2.0
// parallel_for_nest: nests of loops, run in an order that suits the caches.
#pragma once

#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/nest.hpp>
#include <sennit/detail/loop/nest_cuts.hpp>
#include <sennit/space.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace sennit {

namespace detail {

SENNIT_EXPORT [[noreturn]] void refuse_tile_size(const char* order, std::ptrdiff_t size);

template <std::integral... I>
constexpr sizes<sizeof...(I)> tile_sizes(const char* order, I... size) {
  const sizes<sizeof...(I)> result{to_index(size)...};
  for (const std::ptrdiff_t s : result) {
    if (s < 1) refuse_tile_size(order, s);
  }
  return result;
}

}  // namespace detail

// The orders. Each serial strand follows the order, and workers that help take contiguous parts of it.

// The order in which the nest is written: the last dimension runs fastest.
//
// Example:
//   // Code that is given an order: sennit::row, sennit::tiled(32), sennit::morton(16) or sennit::morton.
//   template <class Order>
//   void transpose(long n, const double* a, double* b, Order order) {
//     sennit::parallel_for_nest({n, n}, [=](auto i, auto j) { b[j * n + i] = a[i * n + j]; }, order);
//   }
//   void transpose_in_order(long n, const double* a, double* b, bool by_rows) {
//     if (by_rows) return transpose<sennit::row_order>(n, a, b, sennit::row);
//     transpose<sennit::tiled_order<2>>(n, a, b, sennit::tiled(32, 64));
//   }
//   using halves = sennit::morton_order<0>;  // the type of sennit::morton
struct row_order {};
inline constexpr row_order row{};

// Tiles of a given size, in row order, and row order within each tile.
template <std::size_t N>
struct tiled_order {
  detail::sizes<N> size;
};
// One size for each dimension, or one for all. If a size exceeds the extent, that dimension is not cut.
// Throws std::invalid_argument for a size below 1.
template <std::integral... I>
  requires(sizeof...(I) > 0)
constexpr tiled_order<sizeof...(I)> tiled(I... size) {
  return {detail::tile_sizes("tiled", size...)};
}

// Halves the longest dimension again and again, down to tiles of at most the base size, with row order
// within each tile. Parts of every size are compact, so the order uses all levels of cache well, whatever
// their sizes (cache-oblivious). `morton` chooses the base; `morton(base...)` takes the base as tiled()
// takes its sizes. A dimension marked in_order is cut, too; to keep such a dimension whole, give it a base
// beyond its extent.
template <std::size_t N>
struct morton_order {
  // The order with a base of the program's own.
  template <std::integral... I>
    requires(N == 0 && sizeof...(I) > 0)
  constexpr morton_order<sizeof...(I)> operator()(I... size) const {
    return {detail::tile_sizes("morton", size...)};
  }
  detail::sizes<N> base{};
};
inline constexpr morton_order<0> morton{};

namespace detail {

template <std::size_t D, std::size_t N>
constexpr sizes<D> for_dimensions(const sizes<N>& given) {
  sizes<D> result{};
  for (std::size_t d = 0; d < D; ++d) result[d] = given[N == 1 ? 0 : d];
  return result;
}

// Some thousand iterations. More would not fit the data of some arrays into the first-level cache. With
// fewer, the cost of cutting would show.
template <std::size_t D>
constexpr sizes<D> default_base() {
  constexpr std::ptrdiff_t side[] = {4096, 64, 32, 8};
  return for_dimensions<D>(sizes<1>{side[D - 1]});
}

template <class Order, std::size_t D>
inline constexpr bool fits = false;
template <std::size_t D>
inline constexpr bool fits<row_order, D> = true;
template <std::size_t N, std::size_t D>
inline constexpr bool fits<tiled_order<N>, D> = N == 1 || N == D;
template <std::size_t N, std::size_t D>
inline constexpr bool fits<morton_order<N>, D> = N == 0 || N == 1 || N == D;

// row, tiled or morton; the latter two with one size or D sizes.
template <class Order, std::size_t D>
concept order_for_dimensions = fits<Order, D>;

template <class Engine, std::size_t D, class Space, class F>
void run_nest(const Space& space, const std::array<bool, D>&, F& body, row_order) {
  run_rows<Engine>(space, body);
}
template <class Engine, std::size_t D, class Space, class F, std::size_t N>
void run_nest(const Space& space, const std::array<bool, D>& in_order, F& body, const tiled_order<N>& order) {
  run_tiles<Engine>(space, in_order, for_dimensions<D>(order.size), body);
}
template <class Engine, std::size_t D, class Space, class F, std::size_t N>
void run_nest(const Space& space, const std::array<bool, D>&, F& body, const morton_order<N>& order) {
  if constexpr (N == 0) {
    run_halves<Engine>(space, box_around(space), default_base<D>(), body);
  } else {
    run_halves<Engine>(space, box_around(space), for_dimensions<D>(order.base), body);
  }
}

template <class Order, std::size_t D>
consteval bool check_nest_order() {
  static_assert(
      order_for_dimensions<Order, D>,
      "parallel_for_nest: the argument behind the body is no order for so many loops; it is sennit::row, "
      "sennit::morton, sennit::morton(size...) or sennit::tiled(size...), with one size, or one for each "
      "loop");
  return order_for_dimensions<Order, D>;
}

template <class Order>
inline constexpr bool is_order = fits<Order, 1> || fits<Order, 2> || fits<Order, 3> || fits<Order, 4>;

template <std::size_t D>
consteval bool check_loops() {
  static_assert(D >= 1 && D <= 4, "parallel_for_nest: a nest has one to four loops; write others around it");
  return D >= 1 && D <= 4;
}

template <class F>
consteval bool check_nest_arguments() {
  static_assert(!is_order<F>, "parallel_for_nest: the order comes last, behind the body");
  return !is_order<F>;
}

// parallel_for_nest, and its serial elision. See below. Static assertions check the arguments where a
// constraint would give a worse message.
template <class Engine>
struct nesting {
  template <std::size_t D, class F, class Order = row_order>
  void operator()(const extent (&space)[D], F&& body, const Order& order = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_for_nest");
    run_box<D>(space, body, order);
  }
  template <class Extent, std::size_t D, class F, class Order = row_order>
    requires std::convertible_to<Extent, extent>
  void operator()(const std::array<Extent, D>& space, F&& body, const Order& order = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_for_nest");
    run_box<D>(space, body, order);
  }

  // A template, so that a body is checked for a triangle only in a call with a triangle.
  template <std::same_as<triangle> Triangle, class F, class Order = row_order>
  void operator()(const Triangle& space, F&& body, const Order& order = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_for_nest");
    using closure = std::remove_reference_t<F>;
    if constexpr (check_nest_arguments<std::remove_cv_t<closure>>() && check_nest_order<Order, 2>() &&
                  check_nest_body<closure, 2>()) {
      if (space.size() < 2) return;
      if (cells(space) >= too_many_cells) refuse_cells();
      const closure& shared = body;
      run_nest<Engine, 2>(space, std::array<bool, 2>{}, shared, order);
    }
  }

  template <class... Arguments>
  void operator()(const Arguments&...) const {
    static_assert(
        never<Arguments...>,
        "parallel_for_nest: the first argument is the space, one of {rows, columns, ...} in braces, a "
        "std::array of extents and a triangle; behind it come the body and an order");
  }

 private:
  template <std::size_t D, class Extents, class F, class Order>
  static void run_box(const Extents& space, F& body, const Order& order) {
    if constexpr (check_loops<D>() && check_nest_arguments<std::remove_cv_t<F>>() &&
                  check_nest_order<Order, D>() && check_nest_body<F, D>()) {
      box<D> b;
      for (std::size_t d = 0; d < D; ++d) {
        const extent e = space[d];
        b.all.set(d, e.begin, e.end);
        b.in_order[d] = e.in_order;
      }
      if (b.all.empty()) return;
      if (cells(b.all) >= too_many_cells) refuse_cells();
      const F& shared = body;
      run_nest<Engine, D>(b, b.in_order, shared, order);
    }
  }
};

}  // namespace detail

// Calls body(i, j, ...) once for each cell of a space, in parallel except in dimensions marked in_order. If
// the body cannot be called with D indices but with a sennit::tile<D>, it is called for tiles that cover the
// space without overlap. So a generic body with one parameter, [](auto t) {}, gets the index in a nest of
// one loop, and tiles in other nests. To get tiles always, write their type: [](const sennit::tile<2>& t)
// {}.
//
//   parallel_for_nest({extent, ...}, body, order = row)  a box of one to four dimensions
//   parallel_for_nest(array, body, order = row)          the same, a std::array of extents or integers
//   parallel_for_nest(triangle, body, order = row)       tiles across the diagonal reach the body row by row
//
// Example:
//   #include <utility>
//
//   void transpose(long rows, long columns, const double* a, double* b) {
//     sennit::parallel_for_nest(
//         {rows, columns}, [=](auto i, auto j) { b[j * rows + i] = a[i * columns + j]; }, sennit::morton);
//   }
//
//   void relax(long n, const double* a, double* b) {  // begin and end of each loop
//     sennit::parallel_for_nest({{1, n - 1}, {1, n - 1}}, [=](auto i, auto j) {
//       b[i * n + j] = (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]) / 4;
//     });
//   }
//
//   void multiply(long n, const double* a, const double* b, double* c) {
//     sennit::parallel_for_nest(
//         {n, n, sennit::in_order(n)},
//         [=](auto i, auto j, auto k) { c[i * n + j] += a[i * n + k] * b[k * n + j]; }, sennit::morton);
//   }
//
//   void transpose_in_place(long n, double* m) {
//     sennit::parallel_for_nest(
//         sennit::upper_triangle(n), [=](auto i, auto j) { std::swap(m[i * n + j], m[j * n + i]); },
//         sennit::morton);
//   }
//
// The order changes the speed only: in every order all parallel iterations may run at once. A body that
// takes indices is parallel down to single iterations. One case differs: in a small tile, a row of at most
// 64 iterations runs as one. A body that takes tiles is parallel down to the order's tiles. In row order
// these are parts of rows; they contain the whole of each dimension from the first in_order dimension that
// follows a parallel one.
//
// Throws what the body throws; if several calls throw, the exception of the first in the chosen order.
// Throws std::out_of_range for a bound that std::ptrdiff_t cannot hold, std::length_error for 2^62 cells or
// more, and sennit::cancelled in a cancelled region. Thread-safety: any thread may call it. Strands share
// the body or copy it, so the body is called as a constant: a body that changes itself does not compile.
// Cost: that of the loops. Memory is allocated only for parts that are cut off for other workers.
//
// The orders are those of Govedič, "Improving the Performance of Parallel Loops in OpenCilk", 2023, chapter
// 5. Their names there are `mm`, `mm-tiled` and `mm-dac`; with a dimension in order, `mm-dac-full`. The
// examples `multiply` and `transpose_in_place` follow its Figures 5-2 and 5-9.
inline constexpr detail::nesting<detail::in_parallel> parallel_for_nest{};

}  // namespace sennit

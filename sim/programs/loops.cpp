// SPDX-License-Identifier: Apache-2.0
#include "programs/loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>

namespace sennit::sim {

namespace {

picoseconds ns(double time) { return static_cast<picoseconds>(time * 1000); }

// A loop of equal iterations.
node_number even(program& p, std::uint64_t iterations, double ns_each) {
  const node_number body = p.each(iterations, p.work(ns(ns_each * static_cast<double>(iterations))));
  return p.loop({&body, 1});
}

// A loop whose iterations are these nodes.
node_number loop_of(program& p, std::span<const node_number> iterations) {
  std::vector<node_number> parts;
  for (const node_number n : iterations) parts.push_back(p.each(1, n));
  return p.loop(parts);
}

node_number times(program& p, node_number n, unsigned rounds) {
  return p.series(std::vector<node_number>(rounds, n));
}

timed_program done(std::string name, program p, node_number root, double seconds, bool recursive = false) {
  p.set_root(root);
  return {.name = std::move(name), .what = std::move(p), .serial_seconds = seconds, .recursive = recursive};
}

timed_program plus_reduce() {
  program p;
  const node_number root = even(p, 200'000'000, 0.4);
  return done("plus-reduce-array", std::move(p), root, 0.08);
}

// Rows by columns; the middle of the picture takes all of its steps.
timed_program mandelbrot(std::uint32_t side, double ns_a_step) {
  program p;
  std::vector<node_number> rows;
  double all = 0;
  for (std::uint32_t y = 0; y < side; ++y) {
    std::vector<node_number> parts;
    for (std::uint32_t part = 0; part < 16; ++part) {
      const double re = -2 + 3 * (part + 0.5) / 16;
      const double im = -1.5 + 3 * (y + 0.5) / side;
      double a = 0;
      double b = 0;
      unsigned steps = 0;
      while (steps < 1000 && a * a + b * b < 4) {
        const double next = a * a - b * b + re;
        b = 2 * a * b + im;
        a = next;
        ++steps;
      }
      const double each = ns_a_step * steps + 5;
      all += each * side / 16;
      parts.push_back(p.each(side / 16, p.work(ns(each * side / 16))));
    }
    rows.push_back(p.loop(parts));
  }
  const node_number root = loop_of(p, rows);
  return done("mandelbrot", std::move(p), root, all * 1e-9);
}

timed_program kmeans() {
  program p;
  const node_number root = times(p, even(p, 1'000'000, 120), 3);
  return done("kmeans", std::move(p), root, 0.36);
}

timed_program srad() {
  program p;
  const std::vector<node_number> rows(4096, even(p, 4096, 2.5));
  const node_number root = times(p, loop_of(p, rows), 2);
  return done("srad", std::move(p), root, 2 * 4096 * 4096 * 2.5e-9);
}

constexpr double ns_an_entry = 1.2;

timed_program spmv(std::string name, const std::vector<std::uint32_t>& lengths) {
  program p;
  std::map<std::uint32_t, node_number> of_length;
  std::vector<node_number> rows;
  double all = 0;
  for (const std::uint32_t n : lengths) {
    auto [at, is_new] = of_length.try_emplace(n);
    if (is_new) at->second = even(p, n, ns_an_entry);
    rows.push_back(at->second);
    all += n * ns_an_entry;
  }
  const node_number root = loop_of(p, rows);
  return done(std::move(name), std::move(p), root, all * 1e-9);
}

std::vector<timed_program> spmvs() {
  std::vector<std::uint32_t> random;
  std::uint64_t state = 1;
  for (int i = 0; i < 200'000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    random.push_back(1 + static_cast<std::uint32_t>((state >> 33) % 100));
  }
  // The longest row has 3% of all entries, and the others follow a power law, in an order by chance.
  std::vector<std::uint32_t> power;
  for (std::uint32_t i = 1; i <= 100'000; ++i)
    power.push_back(std::max(1U, static_cast<std::uint32_t>(280'000 / std::pow(i, 0.78))));
  for (std::size_t i = power.size() - 1; i > 0; --i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    std::swap(power[i], power[(state >> 33) % (i + 1)]);
  }
  std::vector<std::uint32_t> arrow(400'000, 2);
  arrow[0] = 400'000;
  std::vector<timed_program> all;
  all.push_back(spmv("spmv-random", random));
  all.push_back(spmv("spmv-powerlaw", power));
  all.push_back(spmv("spmv-arrowhead", arrow));
  return all;
}

// `rounds` of its n steps.
timed_program floyd_warshall(std::string name, std::uint32_t n, unsigned rounds) {
  program p;
  const std::vector<node_number> rows(n, even(p, n, 0.6));
  const node_number root = times(p, loop_of(p, rows), rounds);
  return done(std::move(name), std::move(p), root, 0.6e-9 * n * n * rounds);
}

// A branch with next to nothing in it, and a bound that cuts some off.
timed_program knapsack() {
  program p;
  std::vector<node_number> of_depth{p.work(ns(8))};
  std::vector<double> time{8};
  for (unsigned depth = 1; depth < 26; ++depth) {
    const double own = 8;
    const std::size_t shorter = depth > 2 ? depth - 3 : 0;
    const node_number fork = p.fork(of_depth[depth - 1], of_depth[shorter]);
    const node_number both[] = {p.work(ns(own)), fork};
    of_depth.push_back(p.series(both));
    time.push_back(own + time[depth - 1] + time[shorter]);
  }
  const node_number root = of_depth.back();
  return done("knapsack", std::move(p), root, time.back() * 1e-9, true);
}

// Halves are sorted, merged by a merge that forks, too, and copied by a loop.
timed_program mergesort() {
  program p;
  constexpr std::uint32_t leaf = 32;
  constexpr double a_merge = 4;
  std::map<std::uint32_t, std::pair<node_number, double>> merges;
  const std::function<std::pair<node_number, double>(std::uint32_t)> merge = [&](std::uint32_t n) {
    if (const auto found = merges.find(n); found != merges.end()) return found->second;
    std::pair<node_number, double> made;
    if (n <= leaf) {
      made = {p.work(ns(a_merge * n)), a_merge * n};
    } else {
      const auto half = merge(n / 2);
      const node_number both[] = {p.work(ns(20)), p.fork(half.first, half.first)};
      made = {p.series(both), 20 + 2 * half.second};
    }
    merges[n] = made;
    return made;
  };
  std::pair<node_number, double> sorted{p.work(ns(25.0 * leaf)), 25.0 * leaf};
  for (std::uint32_t n = 2 * leaf; n <= leaf << 15; n *= 2) {
    const auto merged = merge(n);
    const node_number steps[] = {p.fork(sorted.first, sorted.first), merged.first, even(p, n, 0.5)};
    sorted = {p.series(steps), 2 * sorted.second + merged.second + 0.5 * n};
  }
  return done("mergesort", std::move(p), sorted.first, sorted.second * 1e-9, true);
}

// A loop over all squares of a row, of which some have a loop below.
timed_program nqueens() {
  program p;
  constexpr unsigned n = 13;
  node_number below = p.work(ns(30));
  double time = 30;
  for (unsigned depth = 0; depth < 6; ++depth) {
    const unsigned open = 2 + depth;  // squares that are not attacked: more in the first rows
    std::vector<node_number> squares;
    double own = 0;
    for (unsigned i = 0; i < n; ++i) {
      const bool valid = i * open / n != (i + 1) * open / n;
      const node_number test = p.work(ns(12));
      const node_number both[] = {test, below};
      squares.push_back(valid ? p.series(both) : test);
      own += valid ? 12 + time : 12;
    }
    below = loop_of(p, squares);
    time = own;
  }
  return done("nqueens", std::move(p), below, time * 1e-9);
}

timed_program daxpy() {
  program p;
  const node_number root = times(p, even(p, 400'000, 1.2), 2);
  return done("daxpy", std::move(p), root, 2 * 400'000 * 1.2e-9);
}

}  // namespace

std::vector<timed_program> programs_of_003() {
  std::vector<timed_program> all;
  all.push_back(plus_reduce());
  all.push_back(mandelbrot(512, 1.5));
  all.push_back(kmeans());
  all.push_back(srad());
  for (timed_program& each : spmvs()) all.push_back(std::move(each));
  all.push_back(floyd_warshall("floyd-warshall-1k", 1024, 30));
  all.push_back(floyd_warshall("floyd-warshall-2k", 2048, 10));
  all.push_back(knapsack());
  all.push_back(mergesort());
  return all;
}

std::vector<timed_program> programs_of_001() {
  std::vector<timed_program> all;
  all.push_back(daxpy());
  all.push_back(nqueens());
  all.push_back(mandelbrot(256, 1));
  all.back().name = "mandelbrot";
  // 2071 x 2071 cells in tiles of 128: 17 x 17 tiles of 2071 products a cell.
  {
    program p;
    const std::vector<node_number> tiles(17 * 17, p.work(ns(128.0 * 128 * 2071 * 1.1)));
    const node_number root = loop_of(p, tiles);
    all.push_back(done("mm", std::move(p), root, 17 * 17 * 128.0 * 128 * 2071 * 1.1e-9));
  }
  // 16401 rows of the picture, a part of it: 121 pixels are added up for each.
  {
    program p;
    const std::vector<node_number> rows(512, even(p, 16401, 80));
    const node_number root = loop_of(p, rows);
    all.push_back(done("blur", std::move(p), root, 512.0 * 16401 * 80e-9));
  }
  return all;
}

}  // namespace sennit::sim

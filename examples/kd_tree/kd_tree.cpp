// SPDX-License-Identifier: Apache-2.0
// kd_tree [POINTS [QUERIES]]: for each query, which of many points in space is nearest.
//
// The tree is built by a recursion whose halves are the branches of a join: there is no threshold below which it stops to fork.
#include <sennit/sennit.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <random>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

using point = std::array<double, 3>;

double squared_distance(const point& a, const point& b) {
  double sum = 0;
  for (std::size_t axis = 0; axis < a.size(); ++axis) sum += (a[axis] - b[axis]) * (a[axis] - b[axis]);
  return sum;
}

// The tree is an order of the points: the middle of a span is the root, what is before it lies to one side of the root along the
// axis, what is behind it to the other.
void arrange(std::span<point> points, std::size_t axis = 0) {
  if (points.size() < 2) return;
  const std::size_t middle = points.size() / 2;
  const auto root = points.begin() + static_cast<std::ptrdiff_t>(middle);
  const auto coordinate = [axis](const point& p) { return p[axis]; };
  // The first few spans are long, and there are fewer of them than workers.
  if (points.size() > 100'000) {
    sennit::parallel_nth_element(points, root, {}, coordinate);
  } else {
    std::ranges::nth_element(points, root, {}, coordinate);
  }
  const std::size_t next = (axis + 1) % 3;
  sennit::join([=] { arrange(points.first(middle), next); },
               [=] { arrange(points.subspan(middle + 1), next); });
}

struct found {
  const point* nearest = nullptr;
  double squared = std::numeric_limits<double>::infinity();
};

void look(std::span<const point> points, const point& query, found& best, std::size_t axis = 0) {
  if (points.empty()) return;
  const std::size_t middle = points.size() / 2;
  const point& root = points[middle];
  if (const double squared = squared_distance(root, query); squared < best.squared) best = {&root, squared};

  const double beyond = query[axis] - root[axis];
  const auto before = points.first(middle);
  const auto behind = points.subspan(middle + 1);
  const std::size_t next = (axis + 1) % 3;
  look(beyond < 0 ? before : behind, query, best, next);
  if (beyond * beyond < best.squared) look(beyond < 0 ? behind : before, query, best, next);
}

std::vector<point> random_points(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> within(0, 1);
  std::vector<point> points(n);
  for (point& p : points) p = {within(random), within(random), within(random)};
  return points;
}

// The argument at a position, or else what is usual.
std::size_t number(int argc, char** argv, int position, std::string_view what, std::size_t usual,
                   std::size_t most) {
  if (position >= argc) return usual;
  const std::string_view text = argv[position];
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
    throw std::runtime_error("the number of " + std::string(what) + " is from 1 to " + std::to_string(most) +
                             ", not '" + std::string(text) + "'");
  return value;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 3) throw std::runtime_error("usage: kd_tree [POINTS [QUERIES]]");
  std::vector<point> points = random_points(number(argc, argv, 1, "points", 300'000, 100'000'000), 1);
  const std::vector<point> queries = random_points(number(argc, argv, 2, "queries", 100'000, 100'000'000), 2);

  arrange(points);
  std::vector<found> nearest(queries.size());
  sennit::parallel_transform(queries, nearest, [&](const point& query) {
    found best;
    look(points, query, best);
    return best;
  });
  const double farthest = sennit::parallel_max(nearest, {}, &found::squared).squared;
  std::printf("%zu points, %zu queries, the farthest neighbor at a squared distance of %.3g\n", points.size(),
              queries.size(), farthest);

  // Without a tree, all points are looked at. So only some queries are.
  for (std::size_t q = 0; q < std::min<std::size_t>(queries.size(), 20); ++q) {
    const auto distances =
        points | std::views::transform([&](const point& p) { return squared_distance(p, queries[q]); });
    if (std::ranges::min(distances) != nearest[q].squared)
      throw std::runtime_error("query " + std::to_string(q) +
                               " has a nearer point, which the tree does not find");
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "kd_tree: %s\n", e.what());
  return EXIT_FAILURE;
}

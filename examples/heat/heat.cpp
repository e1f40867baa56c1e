// SPDX-License-Identifier: Apache-2.0
// heat [ROWS [STEPS]]: how heat spreads on a plate, by steps of time that are spliced.
//
// A step of time goes over the whole plate, which is larger than the caches. sennit::splice does several steps for some rows
// while these are in a cache. What each step reads and writes is all that it needs to be told.
#include <sennit/sennit.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

constexpr std::ptrdiff_t columns = 1000;
using plate = std::vector<double>;

// Of some rows, the temperatures after one more step. The border of the plate keeps its own.
void spread(double* to, const double* from, sennit::range rows) {
  for (std::ptrdiff_t row = rows.first; row < rows.last; ++row) {
    for (std::ptrdiff_t i = row * columns + 1; i < (row + 1) * columns - 1; ++i)
      to[i] =
          from[i] + 0.2 * (from[i - columns] + from[i - 1] + from[i + 1] + from[i + columns] - 4 * from[i]);
  }
}

// Cold, but for a warm edge.
plate at_first(std::ptrdiff_t rows) {
  plate made(static_cast<std::size_t>(rows * columns), 0.0);
  for (std::ptrdiff_t i = 0; i < columns; ++i) made[static_cast<std::size_t>(i)] = 100;
  return made;
}

plate spliced(std::ptrdiff_t rows, int steps) {
  std::array<plate, 2> plates{at_first(rows), at_first(rows)};
  const auto of_rows = [](const double* of, sennit::range some) {
    return sennit::memory_box<2>(of, {columns}, {some, sennit::range{0, columns}});
  };
  sennit::splice(steps, [&](int t) {
    const double* const from = plates[static_cast<std::size_t>(t % 2)].data();
    double* const to = plates[static_cast<std::size_t>((t + 1) % 2)].data();
    return sennit::divided{sennit::range{1, rows - 1}, 0,  // 0: the library chooses how many rows are a block
                           [=](sennit::range some) {
                             return sennit::effects(sennit::reads(of_rows(from, some.grown(1))),
                                                    sennit::writes(of_rows(to, some)));
                           },
                           [=](sennit::range some) { spread(to, from, some); }};
  });
  return plates[static_cast<std::size_t>(steps % 2)];
}

plate serial(std::ptrdiff_t rows, int steps) {
  std::array<plate, 2> plates{at_first(rows), at_first(rows)};
  for (int t = 0; t < steps; ++t) {
    spread(plates[static_cast<std::size_t>((t + 1) % 2)].data(),
           plates[static_cast<std::size_t>(t % 2)].data(), {1, rows - 1});
  }
  return plates[static_cast<std::size_t>(steps % 2)];
}

// The argument at a position, or else what is usual.
int number(int argc, char** argv, int position, std::string_view what, int usual, int least, int most) {
  if (position >= argc) return usual;
  const std::string_view text = argv[position];
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw std::runtime_error("the number of " + std::string(what) + " is from " + std::to_string(least) +
                             " to " + std::to_string(most) + ", not '" + std::string(text) + "'");
  return value;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 3) throw std::runtime_error("usage: heat [ROWS [STEPS]]");
  const int rows = number(argc, argv, 1, "rows", 1000, 3, 1'000'000);
  const int steps = number(argc, argv, 2, "steps", 32, 0, 1'000'000);

  const plate warm = spliced(rows, steps);
  const double mean = sennit::parallel_reduce(warm, 0.0, std::plus<>(), sennit::deterministic) /
                      static_cast<double>(warm.size());
  std::printf("%d x %td points, %d steps, %.6f degrees in the mean\n", rows, columns, steps, mean);
  if (warm != serial(rows, steps)) throw std::runtime_error("the serial program has another result");
} catch (const std::exception& e) {
  std::fprintf(stderr, "heat: %s\n", e.what());
  return EXIT_FAILURE;
}

// SPDX-License-Identifier: Apache-2.0
// life [SIZE [GENERATIONS]]: Conway's game of life on a torus, as a graph.
//
// A node is a block of cells in one generation. It needs the same block and those around it, one generation before, and nothing
// else: so no generation waits until the one before it is whole.
#include <sennit/sennit.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

class torus {
 public:
  explicit torus(int size)
      : size_(size), cells_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)) {}

  int size() const { return size_; }
  char& at(int x, int y) { return cells_[place(x, y)]; }
  char at(int x, int y) const { return cells_[place(x, y)]; }

  int alive_around(int x, int y) const {
    int alive = -at(x, y);
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) alive += at((x + dx + size_) % size_, (y + dy + size_) % size_);
    }
    return alive;
  }

  std::ptrdiff_t alive() const { return sennit::parallel_count(cells_, 1); }
  bool operator==(const torus&) const = default;

 private:
  std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(x);
  }

  int size_;
  std::vector<char> cells_;
};

// The cells from (x0, y0) up to (x1, y1), one generation later.
void next(torus& to, const torus& from, int x0, int y0, int x1, int y1) {
  for (int y = y0; y < y1; ++y) {
    for (int x = x0; x < x1; ++x) {
      const int around = from.alive_around(x, y);
      to.at(x, y) = around == 3 || (around == 2 && from.at(x, y) == 1) ? 1 : 0;
    }
  }
}

// Two generations are enough. A block is written when all blocks around it have the generation before: whoever was to read what
// the block had two generations before has read it.
torus after(const torus& first, int generations) {
  constexpr int block = 64;
  const int size = first.size();
  const int blocks = (size + block - 1) / block;
  std::array<torus, 2> cells{first, torus(size)};

  // Generation, and block in both directions. The generation behind the last is the sink.
  using key = std::array<int, 3>;
  const auto before = [=](key k) {
    const auto [generation, bx, by] = k;
    std::vector<key> needed;
    if (generation > generations) {
      for (int y = 0; y < blocks; ++y) {
        for (int x = 0; x < blocks; ++x) needed.push_back({generations, x, y});
      }
    } else if (generation > 1) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx)
          needed.push_back({generation - 1, (bx + dx + blocks) % blocks, (by + dy + blocks) % blocks});
      }
    }
    return needed;
  };
  const auto compute = [&](key k) {
    const auto [generation, bx, by] = k;
    if (generation > generations) return;
    next(cells[generation % 2], cells[(generation - 1) % 2], bx * block, by * block,
         std::min(size, (bx + 1) * block), std::min(size, (by + 1) * block));
  };
  sennit::graph::run(key{generations + 1, 0, 0},
                     sennit::graph::nodes{.predecessors = before,
                                          .compute = compute,
                                          .keys = sennit::graph::dense(generations + 2, blocks, blocks)});
  return cells[generations % 2];
}

torus random_cells(int size) {
  torus cells(size);
  std::mt19937 random(1);
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) cells.at(x, y) = random() % 3 == 0 ? 1 : 0;
  }
  return cells;
}

// The argument at a position, or else what is usual.
int number(int argc, char** argv, int position, std::string_view what, int usual, int most) {
  if (position >= argc) return usual;
  const std::string_view text = argv[position];
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
    throw std::runtime_error(std::string(what) + " is from 1 to " + std::to_string(most) + ", not '" +
                             std::string(text) + "'");
  return value;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 3) throw std::runtime_error("usage: life [SIZE [GENERATIONS]]");
  const torus first = random_cells(number(argc, argv, 1, "the size", 300, 20'000));
  const int generations = number(argc, argv, 2, "the number of generations", 20, 10'000);

  const torus last = after(first, generations);
  std::printf("%td cells are alive at first, %td after %d generations\n", first.alive(), last.alive(),
              generations);

  torus serial = first;
  for (int i = 0; i < generations; ++i) {
    const torus from = serial;
    next(serial, from, 0, 0, from.size(), from.size());
  }
  if (last != serial) throw std::runtime_error("the serial program has another result");
} catch (const std::exception& e) {
  std::fprintf(stderr, "life: %s\n", e.what());
  return EXIT_FAILURE;
}

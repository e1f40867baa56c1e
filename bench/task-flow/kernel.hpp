// SPDX-License-Identifier: Apache-2.0
// The tasks of a tiled Cholesky factorization, which do next to nothing: what it costs to submit a task with the data that it uses,
// and to run it when it may. --size is the number of tasks: 45760 for 64 x 64 tiles.
//
// A tile is a word on a line of its own. A task mixes the words of its tiles, in a way that tells whether its predecessors have
// run before, and each of them once.
//
// A way has
//   run(tiles)      all tasks, submitted by each()
//   prepare(tiles)  if there is something to do before the time is taken
//   finish()        if there is something to do before others read the tiles
#pragma once

#include "common/program.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace task_flow {

struct alignas(64) tile {
  std::uint64_t word;
};

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return (a ^ b) * 0x9e3779b97f4a7c15U + (a >> 32);
}

class tiles {
 public:
  explicit tiles(std::size_t side) : side_(side), tiles_(side * side) {
    for (std::size_t i = 0; i < tiles_.size(); ++i) tiles_[i].word = i + 1;
  }
  std::size_t side() const { return side_; }
  tile* at(std::size_t row, std::size_t column) { return &tiles_[row * side_ + column]; }
  std::uint64_t sum() const {
    std::uint64_t sum = 0;
    for (const tile& t : tiles_) sum = mixed(sum, t.word);
    return sum;
  }

  static void factorize(tile* a) { a->word = mixed(a->word, 1); }
  static void solve(const tile* factor, tile* a) { a->word = mixed(a->word, factor->word); }
  static void update(const tile* left, tile* a) { a->word = mixed(a->word, left->word + 2); }
  static void update(const tile* left, const tile* right, tile* a) {
    a->word = mixed(a->word, mixed(left->word, right->word));
  }

  // Calls `submit` with one to three tiles, in the order of the serial program: the last one is written.
  template <class Submit>
  void each(const Submit& submit) {
    for (std::size_t k = 0; k < side_; ++k) {
      submit(at(k, k));
      for (std::size_t i = k + 1; i < side_; ++i) submit.solve(at(k, k), at(i, k));
      for (std::size_t i = k + 1; i < side_; ++i) {
        submit.update(at(i, k), at(i, i));
        for (std::size_t j = k + 1; j < i; ++j) submit(at(i, k), at(j, k), at(i, j));
      }
    }
  }

 private:
  std::size_t side_;
  std::vector<tile> tiles_;
};

inline std::size_t side_for(std::uint64_t tasks) {
  std::size_t side = 1;
  while ((side + 1) * (side + 2) * (side + 3) / 6 <= tasks) ++side;
  return side;
}

template <class Way>
class kernel {
 public:
  explicit kernel(Way& way) : way_(way) {}

  void prepare(std::uint64_t tasks) {
    tiles_ = tiles(side_for(tasks));
    if constexpr (requires { way_.prepare(tiles_); }) way_.prepare(tiles_);
  }
  void run() { way_.run(tiles_); }
  std::uint64_t check() const {
    if constexpr (requires { way_.finish(); }) way_.finish();
    return tiles_.sum();
  }

 private:
  Way& way_;
  tiles tiles_{1};
};

template <class Way>
int run_with(bench::program& program, Way&& way) {
  return program.run(kernel<std::remove_reference_t<Way>>(way));
}

}  // namespace task_flow

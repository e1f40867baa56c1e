// SPDX-License-Identifier: Apache-2.0
// jacobi-2d: each number becomes the mean of itself and its four neighbors, as a sweep over a square of all ranks.
#include "gallery/jacobi_2d.hpp"

#include "integrations/mpi/programs/square.hpp"

#include <sennit/mpi/sweep.hpp>

namespace {

class jacobi_2d : public programs::square {
  void fill(range rows) override {
    for (auto& u : u_) {
      u.emplace(n_, n_);
      for (auto i = rows.first; i < rows.last; ++i) {
        for (std::int64_t j = 0; j < n_; ++j)
          u->row(i)[j] = static_cast<double>(i * (j + 2) % 1021 + 2) / 1021;
      }
    }
  }

  void compute() override {
    sennit::mpi::sweep(
        *blocks_, {.together = together_}, steps_, {1, n_ - 1},
        [&](std::int64_t s, range rows) {
          return sennit::effects(sennit::reads(u_[s % 2]->region(rows.grown(1))),
                                 sennit::writes(u_[(s + 1) % 2]->region(rows)));
        },
        [&](std::int64_t s, range rows) {
          for (auto i = rows.first; i < rows.last; ++i)
            gallery::five_points::row(u_[s % 2]->row(i), u_[(s + 1) % 2]->row(i), n_, {1, n_ - 1});
        },
        *u_[0], *u_[1]);
  }

  programs::outcome check() override { return against(gallery::jacobi_2d(n_), *u_[steps_ % 2]); }

  std::optional<grid> u_[2];
};

}  // namespace

int main(int argc, char** argv) {
  jacobi_2d j;
  return programs::run(j, "jacobi-2d", "Means of five neighbors in a square", argc, argv);
}

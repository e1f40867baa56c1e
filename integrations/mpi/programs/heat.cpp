// SPDX-License-Identifier: Apache-2.0
// heat: heat spreads in a plate, as a sweep over a grid of all ranks.
#include "integrations/mpi/programs/heat.hpp"

#include <sennit/mpi/sweep.hpp>

namespace {

class swept_heat : public programs::heat {
  void compute() override {
    const sennit::range all{0, rows_};
    sennit::mpi::sweep(
        *blocks_, {.together = together_}, steps_, all,
        [&](std::int64_t step, sennit::range rows) {
          return sennit::effects(sennit::reads(plate_[step % 2]->region(rows.grown(1).within(all))),
                                 sennit::writes(plate_[(step + 1) % 2]->region(rows)));
        },
        [&](std::int64_t step, sennit::range rows) {
          for (auto i = rows.first; i < rows.last; ++i) diffuse_row(step, i);
        },
        *plate_[0], *plate_[1]);
  }
};

}  // namespace

int main(int argc, char** argv) {
  swept_heat h;
  return programs::run(h, "heat", "Heat spreads in a plate", argc, argv);
}

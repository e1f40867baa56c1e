// SPDX-License-Identifier: Apache-2.0
// heat by hand, on StarPU-MPI: blocks of rows, whose first and last rows are data handles of their own, so that only these are
// sent. All ranks submit all tasks, and StarPU finds what is computed where, and what is sent.
#include "integrations/mpi/programs/heat.hpp"

#include <starpu.h>
#include <starpu_mpi.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::int64_t rows_of_block = 64;

class heat_by_hand : public programs::heat {
  // On each side of the plate: the first row, the last one, and what is between them, as far as there is any.
  struct block {
    int rank;
    std::int64_t first;
    std::int64_t last;
    std::vector<starpu_data_handle_t> parts[2];
  };

  void prepare() override {
    programs::heat::prepare();
    if (starpu_init(nullptr) != 0 || starpu_mpi_init_comm(nullptr, nullptr, 0, MPI_COMM_WORLD) != 0)
      throw std::runtime_error("StarPU cannot begin");
  }
  // MPI is still in use here.
  programs::outcome check() override {
    starpu_mpi_shutdown();
    starpu_shutdown();
    return programs::heat::check();
  }

  static void run_step(void** buffers, void* packed) {
    heat_by_hand* self = nullptr;
    std::int64_t step = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
    starpu_codelet_unpack_args(packed, &self, &step, &first, &last);
    // The neighbors' rows come first.
    int next = 0;
    const auto neighbor = [&] {
      return reinterpret_cast<const float*>(STARPU_VECTOR_GET_PTR(buffers[next++]));
    };
    const float* const above = first > 0 ? neighbor() : nullptr;
    const float* const below = last < self->rows_ ? neighbor() : nullptr;
    const auto width = static_cast<std::size_t>(self->width_);
    for (std::int64_t i = first; i < last; ++i) {
      const float* const here = self->plate_[step % 2]->row(i);
      gallery::heat::diffuse(width,
                             i > first ? here - width
                             : i == 0  ? here
                                       : above,
                             here,
                             i + 1 < last           ? here + width
                             : i + 1 == self->rows_ ? here
                                                    : below,
                             self->plate_[(step + 1) % 2]->row(i));
    }
  }

  void register_rows(block& of, int side, std::int64_t first, std::int64_t last) {
    if (first >= last) return;
    const bool mine = of.rank == programs::rank();
    starpu_data_handle_t& made = of.parts[side].emplace_back();
    starpu_vector_data_register(&made, mine ? STARPU_MAIN_RAM : -1,
                                mine ? reinterpret_cast<std::uintptr_t>(plate_[side]->row(first)) : 0,
                                static_cast<std::uint32_t>((last - first) * width_), sizeof(float));
    starpu_mpi_data_register(made, 2 * first + side, of.rank);
  }

  void compute() override {
    std::vector<block> blocks;
    for (int r = 0; r < programs::ranks(); ++r) {
      const sennit::range of = blocks_->of(r);
      for (std::int64_t i = of.first; i < of.last; i += rows_of_block)
        blocks.push_back({r, i, std::min(i + rows_of_block, of.last), {}});
    }
    for (block& b : blocks) {
      for (const int side : {0, 1}) {
        register_rows(b, side, b.first, b.first + 1);
        register_rows(b, side, b.first + 1, b.last - 1);
        register_rows(b, side, std::max(b.first + 1, b.last - 1), b.last);
      }
    }
    static starpu_codelet codelet;
    starpu_codelet_init(&codelet);
    codelet.cpu_funcs[0] = run_step;
    codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
    heat_by_hand* self = this;
    std::vector<starpu_data_descr> used;
    for (std::int64_t step = 0; step < steps_; ++step) {
      const auto from = static_cast<std::size_t>(step % 2);
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        block& of = blocks[b];
        used.clear();
        if (b > 0) used.push_back({blocks[b - 1].parts[from].back(), STARPU_R});
        if (b + 1 < blocks.size()) used.push_back({blocks[b + 1].parts[from].front(), STARPU_R});
        for (const starpu_data_handle_t h : of.parts[from]) used.push_back({h, STARPU_R});
        for (const starpu_data_handle_t h : of.parts[1 - from]) used.push_back({h, STARPU_W});
        starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_VALUE, &self, sizeof self, STARPU_VALUE,
                               &step, sizeof step, STARPU_VALUE, &of.first, sizeof of.first, STARPU_VALUE,
                               &of.last, sizeof of.last, STARPU_DATA_MODE_ARRAY, used.data(),
                               static_cast<int>(used.size()), 0);
      }
    }
    starpu_task_wait_for_all();
    for (block& b : blocks) {
      for (const auto& parts : b.parts) {
        for (const starpu_data_handle_t h : parts) starpu_data_unregister(h);
      }
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  heat_by_hand h;
  return programs::run(h, "heat_by_hand", "Heat spreads in a plate, by hand", argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
// cholesky by hand, on StarPU-MPI: all ranks submit all tasks in serial order with the tiles that they read and write, and StarPU
// finds from that what is computed where, and what is sent.
#include "integrations/mpi/programs/cholesky.hpp"

#include <starpu.h>
#include <starpu_mpi.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

class cholesky_by_hand : public programs::cholesky {
  void prepare() override {
    programs::cholesky::prepare();
    if (starpu_init(nullptr) != 0 || starpu_mpi_init_comm(nullptr, nullptr, 0, MPI_COMM_WORLD) != 0)
      throw std::runtime_error("StarPU cannot begin");
  }
  // MPI is still in use here.
  programs::outcome check() override {
    starpu_mpi_shutdown();
    starpu_shutdown();
    return programs::cholesky::check();
  }

  static void run_step(void**, void* packed) {
    cholesky_by_hand* self = nullptr;
    std::uint32_t k = 0;
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    starpu_codelet_unpack_args(packed, &self, &k, &row, &column);
    const auto of = [&](std::uint32_t r) {
      return static_cast<const double*>(starpu_data_get_local_ptr(self->handle(r, k)));
    };
    self->step(k, row, column, column > k ? of(row) : nullptr, row > k ? of(column) : nullptr);
  }

  void compute() override {
    const std::uint32_t all = count();
    static starpu_codelet codelet;
    starpu_codelet_init(&codelet);
    codelet.cpu_funcs[0] = run_step;
    codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
    handles_.resize(std::size_t{all} * all);
    for (std::uint32_t row = 0; row < all; ++row) {
      for (std::uint32_t column = 0; column <= row; ++column) {
        const tile& t = at(row, column);
        starpu_vector_data_register(&handle(row, column), t ? STARPU_MAIN_RAM : -1,
                                    t ? reinterpret_cast<std::uintptr_t>(t->data()) : 0,
                                    static_cast<std::uint32_t>(cells_of_tile()), sizeof(double));
        starpu_mpi_data_register(handle(row, column), row * all + column, rank_of(row, column));
      }
    }
    cholesky_by_hand* self = this;
    for (std::uint32_t k = 0; k < all; ++k) {
      for (std::uint32_t column = k; column < all; ++column) {
        for (std::uint32_t row = column; row < all; ++row) {
          std::vector<starpu_data_descr> used{{handle(row, column), STARPU_RW}};
          if (column > k) used.push_back({handle(row, k), STARPU_R});
          if (row > k && row != column) used.push_back({handle(column, k), STARPU_R});
          starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_VALUE, &self, sizeof self, STARPU_VALUE, &k,
                                 sizeof k, STARPU_VALUE, &row, sizeof row, STARPU_VALUE, &column,
                                 sizeof column, STARPU_DATA_MODE_ARRAY, used.data(),
                                 static_cast<int>(used.size()), 0);
        }
      }
    }
    starpu_task_wait_for_all();
    for (std::uint32_t row = 0; row < all; ++row) {
      for (std::uint32_t column = 0; column <= row; ++column) starpu_data_unregister(handle(row, column));
    }
  }

  starpu_data_handle_t& handle(std::uint32_t row, std::uint32_t column) {
    return handles_[std::size_t{row} * count() + column];
  }

  std::vector<starpu_data_handle_t> handles_;
};

}  // namespace

int main(int argc, char** argv) {
  cholesky_by_hand c;
  return programs::run(c, "cholesky_by_hand", "The Cholesky factor of a matrix, by hand", argc, argv);
}

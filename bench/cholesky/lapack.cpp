// SPDX-License-Identifier: Apache-2.0
#include "cholesky/kernel.hpp"

// The whole matrix in one call, by rows in one piece, with as many threads of OpenBLAS's own as there are workers.
class kernel {
 public:
  explicit kernel(bench::program& program) {
    program.describe(openblas_get_config());
    openblas_set_num_threads(static_cast<int>(program.workers()));
  }

  void prepare(std::uint64_t n) {
    n_ = n;
    cells_.assign(n * n, 0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) cells_[i * n + j] = cholesky::given(n, i, j);
  }
  void run() { cholesky::factorize(n_, cells_.data(), n_); }
  std::uint64_t check() const {
    return cholesky::is_factor(n_, [this](std::size_t i, std::size_t j) { return cells_[i * n_ + j]; }) ? n_
                                                                                                        : 0;
  }

 private:
  std::size_t n_ = 0;
  std::vector<double> cells_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return program.run(kernel(program));
}

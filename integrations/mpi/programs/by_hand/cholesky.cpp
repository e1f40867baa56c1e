// SPDX-License-Identifier: Apache-2.0
// cholesky by hand, on MPI and OpenMP: column by column of tiles, each of which goes to the ranks that need it as soon as it is
// complete; then all tiles to the right of the column are updated.
#include "integrations/mpi/programs/cholesky.hpp"

#include <omp.h>

#include <deque>
#include <set>
#include <utility>

namespace {

class cholesky_by_hand : public programs::cholesky {
  void compute() override {
    const auto me = programs::rank();
    const std::uint32_t all = count();
    std::vector<MPI_Request> sends;
    std::vector<tile> column(all);
    const auto send = [&](const tile& t, std::uint32_t tag, const std::set<int>& readers) {
      for (const int r : readers) {
        if (r == me) continue;
        sends.push_back(MPI_REQUEST_NULL);
        MPI_Isend(t->data(), static_cast<int>(t->size()), MPI_DOUBLE, r, static_cast<int>(tag),
                  MPI_COMM_WORLD, &sends.back());
      }
    };
    const auto receive = [&](int from, std::uint32_t tag) {
      const auto t = std::make_shared<std::vector<double>>(cells_of_tile());
      MPI_Recv(t->data(), static_cast<int>(t->size()), MPI_DOUBLE, from, static_cast<int>(tag),
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      return t;
    };
    for (std::uint32_t k = 0; k < all; ++k) {
      // The tile of the diagonal, for the tiles below it.
      std::set<int> below;
      for (std::uint32_t row = k + 1; row < all; ++row) below.insert(rank_of(row, k));
      if (rank_of(k, k) == me) {
        step(k, k, k, nullptr, nullptr);
        column[k] = at(k, k);
        send(column[k], k * all + k, below);
      } else if (below.contains(me)) {
        column[k] = receive(rank_of(k, k), k * all + k);
      }
      // The tiles below it, for those to their right, and for those below the one to their right on the diagonal.
      std::vector<std::uint32_t> own;
      for (std::uint32_t row = k + 1; row < all; ++row)
        if (rank_of(row, k) == me) own.push_back(row);
#pragma omp parallel for schedule(dynamic)
      for (std::size_t i = 0; i < own.size(); ++i) step(k, own[i], k, nullptr, column[k]->data());
      for (std::uint32_t row = k + 1; row < all; ++row) {
        std::set<int> readers;
        for (std::uint32_t c = k + 1; c <= row; ++c) readers.insert(rank_of(row, c));
        for (std::uint32_t r = row; r < all; ++r) readers.insert(rank_of(r, row));
        if (rank_of(row, k) == me) {
          column[row] = at(row, k);
          send(column[row], k * all + row, readers);
        }
      }
      for (std::uint32_t row = k + 1; row < all; ++row) {
        bool needed = false;
        for (std::uint32_t c = k + 1; c <= row; ++c) needed = needed || rank_of(row, c) == me;
        for (std::uint32_t r = row; r < all; ++r) needed = needed || rank_of(r, row) == me;
        if (needed && rank_of(row, k) != me) column[row] = receive(rank_of(row, k), k * all + row);
      }
      // All to the right of the column.
      std::vector<std::pair<std::uint32_t, std::uint32_t>> right;
      for (std::uint32_t row = k + 1; row < all; ++row) {
        for (std::uint32_t c = k + 1; c <= row; ++c)
          if (rank_of(row, c) == me) right.emplace_back(row, c);
      }
#pragma omp parallel for schedule(dynamic)
      for (std::size_t i = 0; i < right.size(); ++i)
        step(k, right[i].first, right[i].second, column[right[i].first]->data(),
             column[right[i].second]->data());
    }
    MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
  }
};

}  // namespace

int main(int argc, char** argv) {
  cholesky_by_hand c;
  return programs::run(c, "cholesky_by_hand", "The Cholesky factor of a matrix, by hand", argc, argv);
}

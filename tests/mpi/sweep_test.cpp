// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include <sennit/join.hpp>
#include <sennit/mpi.hpp>
#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace mpi = sennit::mpi;
using sennit::effects;
using sennit::range;
using sennit::reads;
using sennit::writes;

constexpr std::int64_t width = 40;

double at_first(std::int64_t i, std::int64_t j) { return static_cast<double>((i * 7 + j * 13) % 31) / 3; }

// A stencil that reads `reach` rows to each side, in two grids by turns.
struct stencil {
  std::int64_t reach;
  mpi::grid<double> u[2];

  stencil(std::int64_t rows, std::int64_t r) : reach(r), u{{rows, width}, {rows, width}} {}
  void fill(range rows) {
    for (auto& g : u) {
      for (auto i = rows.first; i < rows.last; ++i) {
        for (std::int64_t j = 0; j < width; ++j) g.row(i)[j] = at_first(i, j);
      }
    }
  }
  range swept() const { return {reach, u[0].rows() - reach}; }
  effects effects_of(std::int64_t s, range rows) const {
    return {reads(u[s % 2].region(rows.grown(reach))), writes(u[(s + 1) % 2].region(rows))};
  }
  void body(std::int64_t s, range rows) {
    for (auto i = rows.first; i < rows.last; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        double sum = 0;
        for (auto k = -reach; k <= reach; ++k) sum += u[s % 2].row(i + k)[j] / static_cast<double>(2 + k * k);
        u[(s + 1) % 2].row(i)[j] = sum / static_cast<double>(2 * reach + 1);
      }
    }
  }
};

// Three fields, of which two are written from the third, and the third from both, as in fdtd-2d.
struct fields {
  mpi::grid<double> x, y, z;

  explicit fields(std::int64_t rows) : x(rows, width), y(rows, width), z(rows, width) {}
  void fill(range rows) {
    for (auto i = rows.first; i < rows.last; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        x.row(i)[j] = at_first(i, j);
        y.row(i)[j] = at_first(j, i);
        z.row(i)[j] = at_first(i + j, i);
      }
    }
  }
  range swept() const { return {1, x.rows() - 1}; }
  effects effects_of(std::int64_t s, range rows) const {
    if (s % 2 == 0) {
      return {reads(z.region({rows.first - 1, rows.last})), writes(x.region(rows)), writes(y.region(rows))};
    }
    return {reads(x.region({rows.first, rows.last + 1})), reads(y.region(rows)), writes(z.region(rows))};
  }
  void body(std::int64_t s, range rows) {
    for (auto i = rows.first; i < rows.last; ++i) {
      for (std::int64_t j = 1; j < width; ++j) {
        if (s % 2 == 0) {
          x.row(i)[j] -= 0.5 * (z.row(i)[j] - z.row(i - 1)[j]);
          y.row(i)[j] -= 0.5 * (z.row(i)[j] - z.row(i)[j - 1]);
        } else {
          z.row(i)[j] -= 0.7 * (x.row(i + 1)[j] - x.row(i)[j] + y.row(i)[j] - y.row(i)[j - 1]);
        }
      }
    }
  }
};

template <class Kernel>
auto functions_of(Kernel& k) {
  return std::tuple([&k](std::int64_t s, range rows) { return k.effects_of(s, rows); },
                    [&k](std::int64_t s, range rows) { k.body(s, rows); });
}

class Sweeps : public testing::TestWithParam<std::tuple<unsigned, std::int64_t, std::int64_t>> {};
INSTANTIATE_TEST_SUITE_P(WorkersRowsTogether, Sweeps,
                         testing::Combine(testing::Values(1U, 2U), testing::Values(13, 97, 400),
                                          testing::Values(1, 3, 16)));

template <class Grid>
void expect_equal(Grid& got, const Grid& wanted, const mpi::row_blocks& blocks) {
  const range own = blocks.mine();
  for (auto i = own.first; i < own.last; ++i) {
    for (std::int64_t j = 0; j < width; ++j) ASSERT_EQ(got.row(i)[j], wanted.row(i)[j]) << i << ", " << j;
  }
}

// Catches: halos that are too small, rows that are computed from old ones, rows that go to the wrong rank.
TEST_P(Sweeps, AreThoseOfOneRank) {
  const auto [workers, rows, together] = GetParam();
  sennit::runtime runtime(workers);
  const mpi::row_blocks blocks(rows);
  constexpr std::int64_t steps = 23;
  for (const std::int64_t reach : {1, 2}) {
    stencil here(rows, reach);
    here.fill(blocks.mine());
    stencil whole(rows, reach);
    whole.fill({0, rows});
    for (std::int64_t s = 0; s < steps; ++s) whole.body(s, whole.swept());
    const auto [effects_of, body] = functions_of(here);
    runtime.run([&, &effects_of = effects_of, &body = body, together = together] {
      mpi::sweep(blocks, {.together = together, .block = 3}, steps, here.swept(), effects_of, body, here.u[0],
                 here.u[1]);
    });
    for (int g : {0, 1}) expect_equal(here.u[g], whole.u[g], blocks);
  }
}

// Catches: a reach that is taken to be the same on both sides, in all grids and in all steps.
TEST_P(Sweeps, OverSeveralFieldsAreThoseOfOneRank) {
  const auto [workers, rows, together] = GetParam();
  sennit::runtime runtime(workers);
  const mpi::row_blocks blocks(rows);
  constexpr std::int64_t steps = 20;
  fields here(rows);
  here.fill(blocks.mine());
  fields whole(rows);
  whole.fill({0, rows});
  for (std::int64_t s = 0; s < steps; ++s) whole.body(s, whole.swept());
  const auto [effects_of, body] = functions_of(here);
  runtime.run([&, &effects_of = effects_of, &body = body, together = together] {
    mpi::sweep(blocks, {.together = together}, steps, here.swept(), effects_of, body, here.x, here.y, here.z);
  });
  expect_equal(here.x, whole.x, blocks);
  expect_equal(here.y, whole.y, blocks);
  expect_equal(here.z, whole.z, blocks);
}

// Catches: messages for each step, and halos that are deeper than the steps need.
TEST(Sweeps, SendOneMessageForManySteps) {
  constexpr std::int64_t rows = 400;
  constexpr std::int64_t steps = 64;
  const mpi::row_blocks blocks(rows);
  const auto neighbors =
      static_cast<std::uint64_t>((blocks.rank() > 0 ? 1 : 0) + (blocks.rank() + 1 < blocks.ranks() ? 1 : 0));
  for (const std::int64_t together : {1, 4, 16}) {
    stencil here(rows, 1);
    here.fill(blocks.mine());
    const auto [effects_of, body] = functions_of(here);
    const mpi::sweep_report took = mpi::sweep(blocks, {.together = together}, steps, here.swept(), effects_of,
                                              body, here.u[0], here.u[1]);
    EXPECT_EQ(took.messages, neighbors * static_cast<std::uint64_t>(steps / together));
    // Step i of those together computes as many rows of a neighbor as steps follow it.
    EXPECT_EQ(took.rows_of_others,
              neighbors * static_cast<std::uint64_t>(steps / together * (together * (together - 1) / 2)));
  }
}

// Catches: a message for each field, or for each phase of a step; halos that grow with each field that a phase writes.
TEST(Sweeps, OverSeveralFieldsSendOneMessageForManySteps) {
  constexpr std::int64_t rows = 400;
  constexpr std::uint64_t phases = 64;
  const mpi::row_blocks blocks(rows);
  const std::uint64_t above = blocks.rank() > 0 ? 1 : 0;
  const std::uint64_t below = blocks.rank() + 1 < blocks.ranks() ? 1 : 0;
  for (const std::uint64_t steps : {1, 2, 8}) {
    fields here(rows);
    here.fill(blocks.mine());
    const auto [effects_of, body] = functions_of(here);
    const mpi::sweep_report took = mpi::sweep(blocks, {.together = static_cast<std::int64_t>(2 * steps)},
                                              phases, here.swept(), effects_of, body, here.x, here.y, here.z);
    const std::uint64_t exchanges = phases / (2 * steps);
    EXPECT_EQ(took.messages, (above + below) * exchanges);
    // A step needs one row more to each side, and that of the row below in its first phase already.
    EXPECT_EQ(took.rows_of_others, exchanges * (above * steps * (steps - 1) + below * steps * steps));
  }
}

// Catches: ranks that wait forever for the rows of a rank whose step threw; an error without rank, step and rows; rows of the failed
// sweep that a later one receives.
TEST(Sweeps, AFailureEndsTheSweepOnAllRanks) {
  constexpr std::int64_t rows = 200;
  constexpr std::int64_t steps = 20;
  const mpi::row_blocks blocks(rows);
  for (const std::int64_t fails : {0, 7, 19}) {
    stencil here(rows, 1);
    here.fill(blocks.mine());
    const auto [effects_of, body] = functions_of(here);
    const int last = blocks.ranks() - 1;
    try {
      mpi::sweep(
          blocks, {.together = 4}, steps, here.swept(), effects_of,
          [&, &body = body](std::int64_t s, range r) {
            if (s == fails && blocks.rank() == last) throw std::runtime_error("a burst pipe");
            body(s, r);
          },
          here.u[0], here.u[1]);
      ADD_FAILURE() << "no error";
    } catch (const mpi::sweep_error& e) {
      EXPECT_EQ(e.rank(), last);
      const std::string text = e.what();
      EXPECT_NE(text.find("a burst pipe"), std::string::npos) << text;
      EXPECT_NE(text.find("step " + std::to_string(fails) + ", rows ["), std::string::npos) << text;
    }
    EXPECT_EQ(mpi::allreduce(1, MPI_SUM), blocks.ranks());
    EXPECT_THROW(mpi::sweep(
                     blocks, {.together = 4}, steps, here.swept(),
                     [&](std::int64_t s, range) -> effects {
                       if (s == fails) throw std::runtime_error("no such step");
                       return {};
                     },
                     body, here.u[0], here.u[1]),
                 mpi::sweep_error);
    MPI_Status status;
    int left = 0;
    mpi::barrier();
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &left, &status);
    EXPECT_EQ(left, 0) << "a message of a failed sweep is left";
    mpi::barrier();
  }
}

// Catches: a sweep that has failed and keeps the worker, so that the sweep beside it never begins, for which another rank waits.
TEST(Sweeps, AFailedOneLeavesItsWorkerToOthers) {
  constexpr std::int64_t rows = 40;
  MPI_Comm comms[2];
  for (MPI_Comm& c : comms) MPI_Comm_dup(MPI_COMM_WORLD, &c);
  const auto sweep_on = [&](MPI_Comm comm, bool fails) {
    const mpi::row_blocks blocks(rows, comm);
    stencil here(rows, 1);
    here.fill(blocks.mine());
    const auto [effects_of, body] = functions_of(here);
    mpi::sweep(
        blocks, {}, 4, here.swept(),
        [&, &effects_of = effects_of](std::int64_t s, range r) {
          if (fails && blocks.rank() == 0) throw std::runtime_error("a burst pipe");
          return effects_of(s, r);
        },
        body, here.u[0], here.u[1]);
  };
  const auto failing = [&] { EXPECT_THROW(sweep_on(comms[0], true), mpi::sweep_error); };
  const auto other = [&] { sweep_on(comms[1], false); };
  sennit::runtime one_worker(1);
  one_worker.run([&] {
    if (rank() == 0) {
      sennit::join(failing, other);
    } else {
      other();
      failing();
    }
  });
  for (MPI_Comm& c : comms) MPI_Comm_free(&c);
}

// Catches: a rank that waits forever for rows of a rank that does not know of it, as a rank between them needs none.
TEST(Sweeps, RowsOfARankBeyondOneThatExchangesNoneAreRefused) {
  const mpi::row_blocks blocks(40);
  if (blocks.ranks() < 3) GTEST_SKIP() << "no rank lies between others";
  mpi::grid<double> g(40, width);
  const range first = blocks.of(0);
  try {
    mpi::sweep(
        blocks, {}, 1, {0, 40},
        [&](std::int64_t, range r) -> effects {
          if (r.last <= blocks.of(2).first || r.first >= blocks.of(2).last) return {writes(g.region(r))};
          return {reads(g.region({first.first, r.last})), writes(g.region(r))};
        },
        [](std::int64_t, range) {}, g);
    ADD_FAILURE() << "no error";
  } catch (const mpi::sweep_error& e) {
    EXPECT_NE(std::string(e.what()).find("needs rows of rank 0"), std::string::npos) << e.what();
  }
}

// Catches: rows of a grid that end at the wrong place of the root.
TEST(Grids, AreGathered) {
  const mpi::row_blocks blocks(29);
  mpi::grid<double> g(29, width);
  for (auto i = blocks.mine().first; i < blocks.mine().last; ++i) {
    for (std::int64_t j = 0; j < width; ++j) g.row(i)[j] = at_first(i, j);
  }
  const int root = blocks.ranks() - 1;
  mpi::gather(g, blocks, root);
  if (blocks.rank() == root) {
    for (std::int64_t i = 0; i < 29; ++i) {
      for (std::int64_t j = 0; j < width; ++j) ASSERT_EQ(g.row(i)[j], at_first(i, j));
    }
  }
  EXPECT_THROW(mpi::grid<double>(-1, 5), std::invalid_argument);
  EXPECT_THROW(mpi::grid<double>(std::int64_t{1} << 40, std::int64_t{1} << 40), std::invalid_argument);
}

}  // namespace

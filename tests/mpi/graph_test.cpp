// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include <sennit/mpi/detail/value_messages.hpp>
#include <sennit/mpi/graph.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/region.hpp>
#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace mpi = sennit::mpi;
using cell = std::array<int, 2>;

std::vector<cell> before(cell c) {
  std::vector<cell> all;
  if (c[0] > 0) all.push_back({c[0] - 1, c[1]});
  if (c[1] > 0) all.push_back({c[0], c[1] - 1});
  return all;
}

// Calls of MPI that fail on this rank from now on.
enum class failing { none, looks, receives, sends, sums };
std::atomic<failing> fails_here{failing::none};
std::atomic<int> failures_left{0};
std::atomic<int> sends_here{0};

bool fails(failing what) { return fails_here == what && failures_left.fetch_sub(1) > 0; }

class Graphs : public testing::TestWithParam<unsigned> {
 protected:
  sennit::runtime runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Graphs, testing::Values(1U, 2U, 4U));

// Catches: nodes that no rank or several compute, values that are mixed up, ranks that wait for each other.
TEST_P(Graphs, AGridOverAllRanks) {
  constexpr int side = 20;
  std::vector<std::uint64_t> ways(side * side);
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      std::uint64_t& w = ways[static_cast<std::size_t>(i * side + j)];
      w = i == 0 && j == 0 ? 1 : 0;
      if (i > 0) w += ways[static_cast<std::size_t>((i - 1) * side + j)];
      if (j > 0) w += ways[static_cast<std::size_t>(i * side + j - 1)];
    }
  }
  for (const int spread : {1, 3, 7}) {
    std::atomic<int> computed{0};
    std::atomic<std::uint64_t> last{0};
    const auto color = [=](cell c) { return (c[0] / spread + c[1]) % ranks(); };
    runtime_.run([&] {
      mpi::run(MPI_COMM_WORLD, std::vector<cell>{{side - 1, side - 1}},
               mpi::nodes{.predecessors = before,
                          .compute = [&](cell c, auto& node) -> std::uint64_t {
                            EXPECT_EQ(color(c), rank());
                            std::uint64_t sum = c == cell{0, 0} ? 1 : 0;
                            for (const cell& p : node.predecessors()) sum += node.value(p);
                            EXPECT_EQ(sum, ways[static_cast<std::size_t>(c[0] * side + c[1])]);
                            ++computed;
                            if (c == cell{side - 1, side - 1}) last = sum;
                            return sum;
                          },
                          .color = color});
    });
    EXPECT_EQ(mpi::allreduce(computed.load(), MPI_SUM), side * side);
    EXPECT_EQ(mpi::allreduce(last.load(), MPI_MAX), ways.back());
  }
}

struct named_value {
  std::string name;
  std::shared_ptr<const std::vector<double>> numbers;  // none for an empty name
};
void pack(mpi::packed_bytes& bytes, const named_value& v) {
  mpi::put(bytes, v.name);
  mpi::put(bytes, v.numbers);
}
void unpack(mpi::packed_bytes& bytes, named_value& v) {
  v.name = mpi::get<std::string>(bytes);
  v.numbers = mpi::get<std::shared_ptr<const std::vector<double>>>(bytes);
}

// Catches: values that are no plain bytes, shared ones and none, keys with a length, nodes without values, several sinks, constructs inside nodes.
TEST_P(Graphs, KeysAndValuesOfAnyKind) {
  const auto shorter = [](const std::string& k) {
    return k.empty() ? std::vector<std::string>()
                     : std::vector<std::string>{k.substr(1), k.substr(0, k.size() - 1)};
  };
  const auto color = [](const std::string& k) {
    return mpi::rank_and_place{.rank = static_cast<int>(k.size()) % ranks(), .place = 0};
  };
  runtime_.run([&] {
    mpi::run(MPI_COMM_WORLD, std::vector<std::string>{"sennit", "strand", "st"},
             mpi::nodes{.predecessors = shorter,
                        .compute = [&](const std::string& k, auto& node) -> named_value {
                          named_value v{"<" + k + ">", nullptr};
                          if (!k.empty()) v.numbers = std::make_shared<std::vector<double>>(k.size(), 1);
                          for (const std::string& p : node.predecessors()) {
                            EXPECT_EQ(node.value(p).name, "<" + p + ">");
                            const auto& numbers = node.value(p).numbers;
                            EXPECT_EQ(numbers == nullptr ? 0 : numbers->size(), p.size());
                          }
                          std::atomic<int> inside{0};
                          sennit::parallel_for(0, 10, [&](int) { ++inside; });
                          EXPECT_EQ(inside, 10);
                          return v;
                        },
                        .color = color});
    std::atomic<int> computed{0};
    mpi::run(MPI_COMM_WORLD, std::vector<cell>{{5, 5}},
             mpi::nodes{.predecessors = before,
                        .compute = [&](cell) { ++computed; },
                        .color = [](cell c) { return (c[0] + c[1]) % ranks(); }});
    EXPECT_EQ(mpi::allreduce(computed.load(), MPI_SUM), 36);
  });
}

// Catches: ranks that hang because another one failed; an error without the node and the rank; MPI that cannot be used afterwards.
TEST_P(Graphs, AFailureEndsTheGraphOnAllRanks) {
  runtime_.run([&] {
    for (const cell fails : {cell{0, 0}, cell{4, 4}, cell{9, 9}}) {
      const auto color = [](cell c) { return (c[0] + 2 * c[1]) % ranks(); };
      try {
        mpi::run(MPI_COMM_WORLD, std::vector<cell>{{9, 9}},
                 mpi::nodes{.predecessors = before,
                            .compute =
                                [&](cell c) {
                                  if (c == fails) throw std::runtime_error("no more paper");
                                },
                            .color = color});
        ADD_FAILURE() << "no error";
      } catch (const mpi::graph_error& e) {
        EXPECT_EQ(e.rank(), color(fails));
        const std::string text = e.what();
        EXPECT_NE(text.find("no more paper"), std::string::npos) << text;
        EXPECT_NE(text.find("(" + std::to_string(fails[0]) + ", " + std::to_string(fails[1]) + ")"),
                  std::string::npos)
            << text;
      }
      EXPECT_EQ(mpi::allreduce(1, MPI_SUM), ranks());
    }
  });
}

std::vector<int> one_before(int k) { return k > 0 ? std::vector<int>{k - 1} : std::vector<int>(); }

struct torn {
  int value = 0;
};
void pack(mpi::packed_bytes& bytes, const torn& t) { mpi::put(bytes, t.value); }
void unpack(mpi::packed_bytes& bytes, torn& t) {
  t.value = mpi::get<int>(bytes);
  if (t.value == 3) throw std::runtime_error("the paper is torn");
}

// Catches: nodes that wait for a value forever, because unpack() threw in the strand that receives.
TEST_P(Graphs, AReceiveThatFailsEndsTheGraphOnAllRanks) {
  if (ranks() == 1) GTEST_SKIP() << "one rank receives nothing";
  runtime_.run([&] {
    try {
      mpi::run(MPI_COMM_WORLD, std::vector<int>{9},
               mpi::nodes{.predecessors = one_before,
                          .compute = [](int k) { return torn{k}; },
                          .color = [](int k) { return k % ranks(); }});
      ADD_FAILURE() << "no error";
    } catch (const mpi::graph_error& e) {
      EXPECT_EQ(e.rank(), 4 % ranks());
      EXPECT_NE(std::string(e.what()).find("the paper is torn"), std::string::npos) << e.what();
    }
    EXPECT_EQ(mpi::allreduce(1, MPI_SUM), ranks());
  });
}

// Catches: ranks that wait forever for a rank whose region was cancelled; a cancelled rank that leaves before its sends have
// completed.
TEST_P(Graphs, ACancelledRegionEndsTheGraphOnAllRanks) {
  if (ranks() == 1) GTEST_SKIP() << "nobody waits for one rank";
  runtime_.run([&] {
    sennit::region around;
    bool told = false;
    try {
      around.run([&] {
        mpi::run(MPI_COMM_WORLD, std::vector<int>{9},
                 mpi::nodes{.predecessors = one_before,
                            .compute =
                                [&](int k) {
                                  if (k == 4) around.cancel();
                                  return k;
                                },
                            .color = [](int k) { return k % ranks(); }});
      });
    } catch (const mpi::graph_error& e) {
      EXPECT_EQ(e.rank(), 4 % ranks());
      told = true;
    }
    EXPECT_TRUE(told);
    EXPECT_EQ(mpi::allreduce(1, MPI_SUM), ranks());
  });
}

// Catches: ranks that describe different graphs, and wait for each other forever.
TEST_P(Graphs, RanksThatDescribeDifferentGraphsAreTold) {
  if (ranks() == 1) GTEST_SKIP() << "one rank agrees with itself";
  runtime_.run([&] {
    const auto compute = [](cell) {};
    const int me = rank();
    const auto run_with = [&](auto predecessors, auto color) {
      try {
        mpi::run(MPI_COMM_WORLD, std::vector<cell>{{6, 6}},
                 mpi::nodes{.predecessors = predecessors, .compute = compute, .color = color});
        return std::string("no error");
      } catch (const mpi::graph_error& e) {
        return std::string(e.what());
      }
    };
    const auto color = [](cell c) { return (c[0] + c[1]) % ranks(); };
    const std::string colors = run_with(
        before, [&](cell c) { return c == cell{3, 3} && me == color(c) ? (me + 1) % ranks() : color(c); });
    EXPECT_NE(colors.find("(3, 3)"), std::string::npos) << colors;
    const std::string edges = run_with(
        [me](cell c) {
          auto all = before(c);
          if (c == cell{2, 3} && me == 6 % ranks()) all.pop_back();
          return all;
        },
        color);
    EXPECT_NE(edges.find("(2, 3) has other predecessors"), std::string::npos) << edges;
    // No rank asks another one for that node.
    const std::string both =
        run_with([](cell c) { return c == cell{6, 6} ? std::vector<cell>{{6, 5}} : std::vector<cell>(); },
                 [&](cell) { return me; });
    EXPECT_NE(both.find("'s there and rank "), std::string::npos) << both;
    const std::string beyond = run_with(before, [&](cell c) { return c == cell{1, 1} ? ranks() : color(c); });
    EXPECT_NE(beyond.find("the rank of node (1, 1) is"), std::string::npos) << beyond;
  });
}

// Catches: ranks that search on for ever, or wait for a rank that left the search alone, as a message of MPI failed there.
TEST_P(Graphs, MessagesThatFailInTheSearchEndItOnAllRanks) {
  if (ranks() == 1) GTEST_SKIP() << "one rank asks nobody";
  runtime_.run([&] {
    constexpr int always = 1 << 30;
    for (const auto& [what, times] : {std::pair(failing::looks, 1),
                                      {failing::looks, always},
                                      {failing::receives, 1},
                                      {failing::sends, 1}}) {
      mpi::barrier();
      if (rank() == 1) {
        failures_left = times;
        fails_here = what;
      }
      try {
        mpi::run(MPI_COMM_WORLD, std::vector<cell>{{9, 9}},
                 mpi::nodes{.predecessors = before,
                            .compute = [](cell) { fails_here = failing::none; },
                            .color = [](cell c) { return (c[0] + c[1]) % ranks(); }});
        ADD_FAILURE() << "no error of " << static_cast<int>(what);
      } catch (const mpi::graph_error& e) {
        EXPECT_EQ(e.rank(), 1);
        EXPECT_NE(std::string(e.what()).find("question for nodes"), std::string::npos) << e.what();
      }
      fails_here = failing::none;
      EXPECT_EQ(mpi::allreduce(1, MPI_SUM), ranks());
    }
  });
}

// Catches: brief values that wait for company as long as their rank computes; each of them in a message of its own.
TEST_P(Graphs, BriefValuesGoTogetherAndSoon) {
  if (ranks() == 1) GTEST_SKIP() << "one rank sends nothing";
  static constexpr int count = 50;
  static constexpr int busy = count;        // on rank 0, after all of those
  static constexpr int beyond = count + 1;  // on rank 1
  std::vector<int> brief(count);
  std::iota(brief.begin(), brief.end(), 0);
  const auto now = [] {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  };
  std::int64_t busy_end = 0;
  std::int64_t read = 0;
  runtime_.run([&] {
    sends_here = 0;
    mpi::run(MPI_COMM_WORLD, std::vector<int>{busy, beyond},
             mpi::nodes{.predecessors = [&](int k) { return k < count ? std::vector<int>() : brief; },
                        .compute = [&](int k, auto& node) -> int {
                          if (k == beyond) {
                            for (const int b : brief) EXPECT_EQ(node.value(b), b);
                            read = now();
                          } else if (k == busy) {
                            const std::int64_t end = now() + 300'000'000;
                            while (now() < end) {
                            }
                            busy_end = end;
                          }
                          return k;
                        },
                        .color = [](int k) { return k == beyond ? 1 : 0; }});
    if (rank() == 0) {
      EXPECT_LT(sends_here, count);
    }
    // The clock is the same for all ranks of a machine.
    EXPECT_LT(mpi::allreduce(read, MPI_MAX), mpi::allreduce(busy_end, MPI_MAX));
  });
}

template <class Value>
Value travelled(const Value& value) {
  const mpi::detail::sent_value<Value> sent(value);
  mpi::detail::received_value<Value> came;
  const auto bytes = sent.bytes();
  std::byte* const room = came.room(bytes.size());
  if (!bytes.empty()) std::memcpy(room, bytes.data(), bytes.size());
  return came.take();
}

// Catches: a value that is mixed up with none, or with an empty one; a message that is taken for a value of another size.
TEST(Values, TravelAsTheyAre) {
  for (const std::size_t size : {0, 1, 2, 100}) {
    const std::vector<double> numbers(size, 0.5);
    EXPECT_EQ(travelled(numbers), numbers);
    EXPECT_EQ(travelled(std::string(size, 'x')), std::string(size, 'x'));
    EXPECT_EQ(*travelled(std::make_shared<const std::vector<double>>(numbers)), numbers);
    const std::vector<char> letters(size, 'x');
    EXPECT_EQ(*travelled(std::make_shared<std::vector<char>>(letters)), letters);
  }
  EXPECT_EQ(travelled(std::shared_ptr<const std::vector<double>>()), nullptr);
  EXPECT_EQ(travelled(std::shared_ptr<std::vector<char>>()), nullptr);
  mpi::detail::received_value<std::vector<double>> other;
  EXPECT_THROW(other.room(12), std::runtime_error);
}

// Catches: values that stay until the run ends although they have been sent, and nobody here reads them.
TEST_P(Graphs, WhatHasBeenSentIsFreed) {
  if (ranks() == 1) GTEST_SKIP() << "one rank sends nothing";
  std::atomic<int> alive{0};
  std::atomic<int> most{0};
  const auto make = [&] {
    most = std::max(most.load(), ++alive);
    return std::shared_ptr<std::vector<double>>(new std::vector<double>(10'000, 1),
                                                [&](std::vector<double>* v) {
                                                  --alive;
                                                  delete v;
                                                });
  };
  runtime_.run([&] {
    mpi::run(MPI_COMM_WORLD, std::vector<int>{99},
             mpi::nodes{.predecessors = one_before,
                        .compute = [&](int k, auto& node) -> std::shared_ptr<std::vector<double>> {
                          EXPECT_EQ(k == 0 ? 10'000U : node.value(k - 1)->size(), 10'000U);
                          return make();
                        },
                        .color = [](int k) { return k % 2; }});
  });
  EXPECT_LE(most, 20);
  EXPECT_EQ(alive, 0);
}

// Catches: priorities that do not reach the nodes of a rank, also where the graph has one rank and one sink.
TEST_P(Graphs, PrioritiesCount) {
  if (GetParam() != 1) GTEST_SKIP() << "several workers take several at a time";
  std::vector<int> order;
  runtime_.run([&] {
    for (const int last : {0, ranks() - 1}) {
      order.clear();
      mpi::run(MPI_COMM_WORLD, std::vector<int>{10},
               mpi::nodes{.predecessors =
                              [](int k) {
                                return k < 10 ? std::vector<int>()
                                              : std::vector<int>{0, 5, 1, 6, 2, 7, 3, 8, 4, 9};
                              },
                          .compute = [&](int k) { order.push_back(k); },
                          .color = [&](int k) { return k < 10 ? 0 : last; },
                          .priority = [](int k) { return -k; }});
      if (rank() != 0) continue;
      order.resize(10);
      EXPECT_TRUE(std::ranges::is_sorted(order));
    }
  });
}

// A test of its own: all ranks end.
TEST(DISABLED_Graphs, ASumThatFailsEndsAllRanks) {
  failures_left = rank() == 1 ? 1 : 0;
  fails_here = failing::sums;
  mpi::run(MPI_COMM_WORLD, std::vector<cell>{{9, 9}},
           mpi::nodes{.predecessors = before,
                      .compute = [](cell) {},
                      .color = [](cell c) { return (c[0] + c[1]) % ranks(); }});
}

}  // namespace

// In the place of MPI's.
extern "C" {
int MPI_Improbe(int from, int tag, MPI_Comm comm, int* found, MPI_Message* message, MPI_Status* status) {
  return fails(failing::looks) ? MPI_ERR_OTHER : PMPI_Improbe(from, tag, comm, found, message, status);
}
int MPI_Imrecv(void* into, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  const int code = PMPI_Imrecv(into, count, type, message, request);
  if (!fails(failing::receives)) return code;
  PMPI_Wait(request, MPI_STATUS_IGNORE);
  return MPI_ERR_OTHER;
}
int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++sends_here;
  return fails(failing::sends) ? MPI_ERR_OTHER : PMPI_Isend(from, count, type, to, tag, comm, request);
}
int MPI_Iallreduce(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  return fails(failing::sums) ? MPI_ERR_OTHER : PMPI_Iallreduce(from, into, count, type, op, comm, request);
}
}

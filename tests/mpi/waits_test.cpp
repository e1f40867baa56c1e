// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include <sennit/join.hpp>
#include <sennit/mpi.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/region.hpp>
#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
namespace mpi = sennit::mpi;

std::atomic<int> failing_looks{0};
std::atomic<int> failed_looks{0};

int after(int r) { return (r + 1) % ranks(); }
int before(int r) { return (r + ranks() - 1) % ranks(); }

class Waits : public testing::TestWithParam<unsigned> {
 protected:
  sennit::runtime runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Waits, testing::Values(1U, 2U, 4U));

// Catches: a wait that blocks its worker, so that no other strand sends what all of them wait for; messages that are mixed up.
TEST_P(Waits, ManyMoreStrandsThanWorkersExchangeMessages) {
  constexpr int count = 300;
  const int me = rank();
  std::vector<int> got(count);
  runtime_.run([&] {
    sennit::join(
        [&] {
          sennit::parallel_for(0, count, [&](int i) {
            mpi::recv(std::span(&got[static_cast<std::size_t>(i)], 1), before(me), i);
          });
        },
        [&] {
          sennit::parallel_for(0, count, [&](int i) {
            const int value = me * 1000 + i;
            mpi::send(std::span(&value, 1), after(me), i);
          });
        });
  });
  for (int i = 0; i < count; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], before(me) * 1000 + i);
}

// Catches: a worker that waits for a message although there is work.
TEST_P(Waits, TheWorkerDoesSomethingElseMeanwhile) {
  const int me = rank();
  std::atomic<int> done{0};
  runtime_.run([&] {
    sennit::join(
        [&] {
          int token = 0;
          mpi::recv(std::span(&token, 1), before(me), 0);
          EXPECT_EQ(token, 7);
          EXPECT_EQ(done, 100);  // the message is sent after that work
        },
        [&] {
          sennit::parallel_for(0, 100, [&](int) { ++done; });
          mpi::barrier();
          const int token = 7;
          mpi::send(std::span(&token, 1), after(me), 0);
        });
  });
}

// Catches: collectives with wrong types or sizes.
TEST_P(Waits, CollectivesAreThoseOfMpi) {
  const int me = rank();
  const int n = ranks();
  const auto size = static_cast<std::size_t>(n);
  runtime_.run([&] {
    EXPECT_EQ(mpi::allreduce(me + 1, MPI_SUM), n * (n + 1) / 2);
    EXPECT_EQ(mpi::allreduce(std::uint64_t{1} << me, MPI_BOR), (std::uint64_t{1} << n) - 1);
    EXPECT_EQ(mpi::allreduce(0.5 * me, MPI_MAX), 0.5 * (n - 1));
    std::vector<double> values{1.0 * me, 2.0 * me};
    std::vector<double> sums(me == 0 ? 2 : 0);
    mpi::reduce(values, sums, MPI_SUM, 0);
    if (me == 0) {
      EXPECT_EQ(sums, (std::vector<double>{n * (n - 1) / 2.0, n * (n - 1.0)}));
    }
    struct weighted {
      int key;
      float weight;
    };
    std::vector<weighted> pairs{{me, 1.5F}};
    mpi::bcast(pairs, n - 1);
    EXPECT_EQ(pairs[0].key, n - 1);
    std::vector<int> all(size);
    mpi::allgather(std::vector{me * me}, all);
    for (int r = 0; r < n; ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], r * r);
    std::vector<int> gathered(me == 0 ? size : 0);
    mpi::gather(std::vector{me}, gathered, 0);
    std::vector<int> part(1);
    mpi::scatter(gathered, part, 0);
    EXPECT_EQ(part[0], me);
    std::vector<int> out(size);
    std::vector<int> in(size);
    std::iota(out.begin(), out.end(), me * 10);
    mpi::alltoall(out, in);
    for (int r = 0; r < n; ++r) EXPECT_EQ(in[static_cast<std::size_t>(r)], r * 10 + me);
    std::vector<int> prefix(1);
    mpi::scan(std::vector{me + 1}, prefix, MPI_SUM);
    EXPECT_EQ(prefix[0], (me + 1) * (me + 2) / 2);
    mpi::exscan(std::vector{me + 1}, prefix, MPI_SUM);
    if (me > 0) {
      EXPECT_EQ(prefix[0], me * (me + 1) / 2);
    }
    mpi::barrier();
    EXPECT_THROW(mpi::allgather(std::vector{1, 2}, part), std::invalid_argument);
  });
}

// Catches: a message of unknown size that is cut off; one that is no whole number of values.
TEST_P(Waits, AMessageOfUnknownSize) {
  const int me = rank();
  std::vector<double> values(static_cast<std::size_t>(me) * 100 + 1, me);
  runtime_.run([&] {
    sennit::join([&] { mpi::send(values, after(me), 1); },
                 [&] {
                   const auto got = mpi::recv_vector<double>(before(me), 1);
                   EXPECT_EQ(got,
                             std::vector<double>(static_cast<std::size_t>(before(me)) * 100 + 1, before(me)));
                 });
    const char three[3] = {};
    sennit::join([&] { mpi::send(three, me, 2); },
                 [&] { EXPECT_THROW(mpi::recv_vector<int>(me, 2), std::runtime_error); });
  });
}

// Catches: an error that ends the program, or that does not say which call of the program failed.
TEST_P(Waits, ErrorsOfMpiAreExceptions) {
  runtime_.run([&] {
    const int value = 1;
    try {
      mpi::send(std::span(&value, 1), ranks() + 5, 0);
      ADD_FAILURE() << "no error for a rank that does not exist";
    } catch (const mpi::error& e) {
      EXPECT_EQ(e.error_class(), MPI_ERR_RANK);
      EXPECT_NE(std::string(e.what()).find("waits_test.cpp"), std::string::npos) << e.what();
    }
    // A message that is longer than the room for it, and there first: Open MPI 4.1 tells nobody if the receive is.
    const std::vector<int> four(4);
    std::vector<int> two(2);
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Isend(four.data(), 4, MPI_INT, rank(), 3, MPI_COMM_WORLD, &sent);
    try {
      mpi::recv(two, rank(), 3);
      ADD_FAILURE() << "no error for a message that is too long";
    } catch (const mpi::error& e) {
      EXPECT_EQ(e.error_class(), MPI_ERR_TRUNCATE) << e.what();
    }
    mpi::wait(sent);
  });
}

// Catches: a receive that outlives the cancellation of its region, and a message that is lost because of it.
TEST_P(Waits, CancellingARegionEndsItsReceives) {
  runtime_.run([&] {
    sennit::region some;
    int value = 0;
    const bool completed = some.run([&] {
      sennit::join([&] { mpi::recv(std::span(&value, 1), rank(), 4); },
                   [&] {
                     std::this_thread::sleep_for(5ms);
                     some.cancel();
                   });
    });
    EXPECT_FALSE(completed);
    const int sent = 9;
    mpi::sendrecv(std::span(&sent, 1), rank(), 4, std::span(&value, 1), rank(), 4);
    EXPECT_EQ(value, 9);
  });
}

// Catches: calls from threads that run no strand.
TEST(Waits, OutsideAnyRegion) {
  const int me = rank();
  std::vector<std::thread> threads;
  std::atomic<int> sum{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      int got = 0;
      mpi::sendrecv(std::span(&t, 1), after(me), 10 + t, std::span(&got, 1), before(me), 10 + t);
      sum += got;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(sum, 3);
}

// Catches: a request that somebody else completes is waited for forever; null requests.
TEST(Waits, ForRequestsOfThePrograms) {
  std::vector<int> out(4);
  std::vector<int> in(4);
  std::iota(out.begin(), out.end(), 0);
  std::vector<MPI_Request> requests(9, MPI_REQUEST_NULL);
  for (int i = 0; i < 4; ++i) {
    const auto at = static_cast<std::size_t>(i);
    MPI_Irecv(&in[at], 1, MPI_INT, rank(), 20 + i, MPI_COMM_WORLD, &requests[at]);
    MPI_Isend(&out[at], 1, MPI_INT, rank(), 20 + i, MPI_COMM_WORLD, &requests[at + 4]);
  }
  mpi::wait_all(requests);
  EXPECT_EQ(in, out);
  EXPECT_EQ(requests, std::vector<MPI_Request>(9, MPI_REQUEST_NULL));
}

// Catches: a persistent request that is freed or lost by a wait, and one that has not been started and is waited for forever.
TEST(Waits, ForPersistentRequests) {
  int out = 0;
  int in = 0;
  MPI_Request both[2];
  MPI_Recv_init(&in, 1, MPI_INT, rank(), 30, MPI_COMM_WORLD, &both[0]);
  MPI_Send_init(&out, 1, MPI_INT, rank(), 30, MPI_COMM_WORLD, &both[1]);
  mpi::wait_all(both);
  for (out = 1; out < 4; ++out) {
    MPI_Start(&both[0]);
    // The receive is in the list of what is awaited before its message comes.
    std::thread sends([&] {
      std::this_thread::sleep_for(1ms);
      mpi::exclusive([&] { MPI_Start(&both[1]); });
    });
    mpi::wait(both[0]);
    sends.join();
    mpi::wait(both[1]);
    EXPECT_EQ(in, out);
    EXPECT_NE(both[0], MPI_REQUEST_NULL);
  }
  for (MPI_Request& r : both) MPI_Request_free(&r);
}

// Catches: a receive that throws while MPI may still write to its memory, because a look at all requests failed.
TEST(Waits, ALookThatFailsEndsNoRequest) {
  int in = 0;
  std::thread sends([] {
    while (failed_looks == 0) {
      failing_looks = 1;
      std::this_thread::sleep_for(1ms);
    }
    std::this_thread::sleep_for(1ms);
    const int out = 8;
    mpi::send(std::span(&out, 1), rank(), 31);
  });
  mpi::recv(std::span(&in, 1), rank(), 31);
  EXPECT_EQ(in, 8);
  sends.join();
}

}  // namespace

// In the place of MPI's.
extern "C" int MPI_Testsome(int count, MPI_Request* requests, int* done, int* which, MPI_Status* statuses) {
  if (failing_looks.exchange(0) != 0) {
    ++failed_looks;
    return MPI_ERR_OTHER;
  }
  return PMPI_Testsome(count, requests, done, which, statuses);
}

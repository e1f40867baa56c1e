// SPDX-License-Identifier: Apache-2.0
// Programs written for oneTBB's algorithms, which say nothing of Sennit.
#include <gtest/gtest.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// Catches headers that do not tell the version: programs choose by it what they use.
static_assert(TBB_INTERFACE_VERSION >= 12000);

namespace {

constexpr std::size_t sizes[] = {0, 1, 2, 1000, 300'000};

// Catches headers of oneTBB that were found first: the loop would run on threads that are not Sennit's, or on the calling one
// alone.
TEST(tbb, runs_on_the_workers) {
  const char* const workers = std::getenv("SENNIT_WORKERS");
  ASSERT_NE(workers, nullptr);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  tbb::parallel_for(0, 64, [&](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size() > 1, std::string(workers) != "1");
}

// Catches indices that are left out or visited twice, and steps that wrap around at the end of a small type.
TEST(tbb, loops_over_indices_and_ranges) {
  for (const std::size_t n : sizes) {
    std::vector<int> visits(n);
    const auto visit = [&](const tbb::blocked_range<std::size_t>& r) {
      for (std::size_t i = r.begin(); i != r.end(); ++i) ++visits[i];
    };
    const tbb::blocked_range<std::size_t> all(0, n, 100);
    tbb::affinity_partitioner again;
    tbb::parallel_for(all, visit);
    tbb::parallel_for(all, visit, tbb::simple_partitioner());
    tbb::parallel_for(all, visit, tbb::static_partitioner());
    tbb::parallel_for(all, visit, again);
    tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) { ++visits[i]; });
    tbb::parallel_for(std::size_t{0}, n, std::size_t{3}, [&](std::size_t i) { visits[i] += 10; });
    for (std::size_t i = 0; i != n; ++i) ASSERT_EQ(visits[i], 5 + (i % 3 == 0 ? 10 : 0)) << i;
  }
  std::atomic<int> sum = 0;
  tbb::parallel_for<short>(32'000, 32'767, 500, [&](short i) { sum += i; });
  EXPECT_EQ(sum, 32'000 + 32'500);
  EXPECT_THROW(tbb::parallel_for(0, 1, 0, [](int) {}), std::invalid_argument);
}

// Catches a grain that is no bound: what is documented for simple_partitioner is at most a grain and at least half of one.
TEST(tbb, a_simple_partitioner_keeps_to_the_grain) {
  std::atomic<std::size_t> most = 0;
  std::atomic<std::size_t> least = 1000;
  tbb::parallel_for(
      tbb::blocked_range<int>(0, 100'000, 64),
      [&](const tbb::blocked_range<int>& r) {
        for (std::size_t m = most; r.size() > m && !most.compare_exchange_weak(m, r.size());) {
        }
        for (std::size_t m = least; r.size() < m && !least.compare_exchange_weak(m, r.size());) {
        }
      },
      tbb::simple_partitioner());
  EXPECT_LE(most, 64u);
  EXPECT_GE(least, 32u);
  std::atomic<long> cells = 0;
  tbb::parallel_for(tbb::blocked_range2d<int>(0, 300, 7, 0, 200, 9), [&](const tbb::blocked_range2d<int>& r) {
    cells += static_cast<long>(r.rows().size() * r.cols().size());
  });
  EXPECT_EQ(cells, 300 * 200);
}

struct longest_run {
  explicit longest_run(const std::vector<int>& in) : in_(in) {}
  longest_run(longest_run& other, tbb::split) : in_(other.in_) {}
  void operator()(const tbb::blocked_range<std::size_t>& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) seen.push_back(in_[i]);
  }
  void join(const longest_run& right) { seen.insert(seen.end(), right.seen.begin(), right.seen.end()); }

  std::vector<int> seen;

 private:
  const std::vector<int>& in_;
};

// Catches parts of a reduction that are left out or joined in another order.
TEST(tbb, reduces_in_order) {
  for (const std::size_t n : sizes) {
    std::vector<int> in(n);
    std::iota(in.begin(), in.end(), 0);
    const tbb::blocked_range<std::size_t> all(0, n);
    longest_run first(in);
    tbb::parallel_reduce(all, first);
    EXPECT_EQ(first.seen, in);
    longest_run second(in);
    tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, n, 50), second, tbb::simple_partitioner());
    EXPECT_EQ(second.seen, in);
    const long sum = tbb::parallel_reduce(
        all, 0L,
        [&](const tbb::blocked_range<std::size_t>& r, long s) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) s += in[i];
          return s;
        },
        [](long a, long b) { return a + b; });
    EXPECT_EQ(sum, std::accumulate(in.begin(), in.end(), 0L));
  }
}

// Catches a deterministic reduction whose tree depends on who takes its parts.
TEST(tbb, reduces_deterministically) {
  const auto sum = [] {
    return tbb::parallel_deterministic_reduce(
        tbb::blocked_range<int>(1, 50'000, 10), 0.0f,
        [](const tbb::blocked_range<int>& r, float s) {
          for (int i = r.begin(); i != r.end(); ++i) s += 1.0f / static_cast<float>(i);
          return s;
        },
        [](float a, float b) { return a + b; });
  };
  const float first = sum();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(sum(), first);
}

// Catches an exception that is lost, and a context that goes on after one.
TEST(tbb, an_exception_cancels_the_context) {
  tbb::task_group_context context;
  const auto fail = [](int i) {
    if (i == 500) throw std::runtime_error("at 500");
  };
  EXPECT_THROW(tbb::parallel_for(0, 1000, fail, context), std::runtime_error);
  EXPECT_TRUE(context.is_group_execution_cancelled());
  std::atomic<int> calls = 0;
  tbb::parallel_for(0, 1000, [&](int) { ++calls; }, context);
  EXPECT_EQ(calls, 0);
  context.reset();
  tbb::parallel_for(0, 1000, [&](int) { ++calls; }, context);
  EXPECT_EQ(calls, 1000);
}

}  // namespace

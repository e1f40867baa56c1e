// SPDX-License-Identifier: Apache-2.0
// SENNIT_TRACE: what is written of programs as users write them. Each runs in a process of its own, which reads the variable.
#include "trace_support.hpp"

#include <sennit/sennit.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

namespace process {
namespace {

void spread(sennit::task_group& group, int depth, std::atomic<int>& visited) {
  busy_for(60us);
  ++visited;
  for (int k = 0; depth > 0 && k < 2; ++k)
    group.spawn([&group, depth, &visited] { spread(group, depth - 1, visited); });
}

struct outer_failure {};

std::string thrown_by_join(bool right_only) {
  try {
    sennit::join(
        [&] {
          (void)tree(1);
          if (!right_only) throw std::runtime_error("left");
        },
        [] {
          (void)tree(1);
          throw std::runtime_error("right");
        });
  } catch (const std::runtime_error& failure) {
    return failure.what();
  }
  return {};
}

// Programs as users write them, which look at their results.
void all_programs() {
  EXPECT_EQ(fib(24), 46368);
  EXPECT_EQ(tree(5), 32);
  std::vector<std::atomic<int>> seen(40 * 500);
  sennit::parallel_for(0, 40, [&](int i) {
    sennit::parallel_for(0, 500, [&](int j) { ++seen[static_cast<std::size_t>(i * 500 + j)]; });
  });
  EXPECT_TRUE(std::ranges::all_of(seen, [](int n) { return n == 1; }));
  EXPECT_EQ(sennit::parallel_reduce(0, 1'000'000, 0L, [](int i) { return long{i}; }), 499'999'500'000L);
  std::vector<unsigned> numbers(300'000);
  std::iota(numbers.begin(), numbers.end(), 0U);
  for (unsigned& n : numbers) n = n * 2654435761U;
  sennit::parallel_sort(numbers.begin(), numbers.end());
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  {
    std::atomic<int> visited{0};
    sennit::task_group group;
    spread(group, 5, visited);
    group.wait();
    EXPECT_EQ(visited, 63);
  }
  {
    std::vector<int> squares(5000);
    sennit::task_group group;
    for (std::size_t i = 0; i < squares.size(); ++i)
      group.spawn([&squares, i] { squares[i] = static_cast<int>(i * i); });
    group.wait();
    EXPECT_EQ(squares[4999], 4999 * 4999);
  }
  EXPECT_EQ(thrown_by_join(false), "left");
  EXPECT_EQ(thrown_by_join(true), "right");
  {
    sennit::region stopped;
    EXPECT_FALSE(stopped.run([&] {
      sennit::join([&] { stopped.cancel(); }, [] { (void)tree(3); });
      sennit::parallel_for(0, 100, [](int) { busy_for(60us); });
    }));
  }
  std::vector<std::size_t> lengths;
  const std::vector<std::string> lines(100, "line");
  sennit::pipeline(sennit::source(lines), sennit::stage([](const std::string& line) { return line.size(); }),
                   sennit::stage(sennit::ordered, [&](std::size_t n) { lengths.push_back(n); }));
  EXPECT_EQ(lengths.size(), lines.size());
  std::atomic<int> computed{0};
  const auto before = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; };
  sennit::graph::run(100, sennit::graph::nodes{.predecessors = before, .compute = [&](int) { ++computed; }});
  EXPECT_EQ(computed, 101);
  sennit::region().run([&] {
    sennit::graph::run(100,
                       sennit::graph::nodes{.predecessors = before, .compute = [&](int) { ++computed; }});
    (void)tree(2);
  });
  EXPECT_EQ(computed, 202);
  const auto program = [] { EXPECT_EQ(tree(4), 16); };
  const sennit::schedule recorded = sennit::record(program);
  sennit::replay(recorded, sennit::strict_unordered, program);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { EXPECT_EQ(tree(4), 16); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(sennit::named("a \"name\"", [] { return tree(2); }), 4);
}

class TracedWith : public testing::TestWithParam<int> {};

TEST_P(TracedWith, ProgramsRunAsWithoutATrace) {
  // Catches: results and exceptions that a trace changes, bodies outside the bodies that they are in, parts of loops that are lost
  // or told twice, a strand that a thief runs and that is taken for another.
  const trace_path file;
  EXPECT_THAT(traced(file, GetParam(), all_programs), ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  EXPECT_EQ(trace[0]["args"]["workers"], GetParam());
  EXPECT_FALSE(of_kind(trace, "leaf").empty());
  EXPECT_FALSE(of_kind(trace, "child").empty());
  EXPECT_FALSE(of_kind(trace, "wait").empty());
}
INSTANTIATE_TEST_SUITE_P(Workers, TracedWith, testing::Values(1, 2, 4, 8));

TEST(Trace, TellsTheTreeOfForks) {
  // Catches: forks that are left out although they are long, a right branch whose end is taken for the end of what follows it.
  const trace_path file;
  EXPECT_THAT(traced(file, 1, [] { (void)tree(3); }), ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  const std::vector<json> forks = of_kind(trace, "fork");
  ASSERT_EQ(forks.size(), 7U);
  EXPECT_EQ(of_kind(trace, "right").size(), 7U);
  EXPECT_EQ(of_kind(trace, "region").size(), 1U);
  double shortest = 1e9;
  for (const json& fork : forks) shortest = std::min(shortest, fork["dur"].get<double>());
  EXPECT_GE(shortest, 120);
  // A branch ends with the serial work behind its own fork.
  const json outermost =
      *std::ranges::max_element(forks, {}, [](const json& f) { return f["dur"].get<double>(); });
  const auto in_left =
      std::ranges::find_if(forks, [&](const json& f) { return f["args"]["in"] == outermost["args"]["id"]; });
  ASSERT_NE(in_left, forks.end());
  EXPECT_GE(begin_of(outermost) + outermost["args"]["left"].get<double>() - end_of(*in_left), 59);
}

TEST(Trace, CountsBriefForksInsteadOfTellingThem) {
  // Catches: a trace that grows with the number of forks, and one that leaves out long forks with the brief ones.
  const trace_path file;
  EXPECT_THAT(traced(file, 1,
                     [] {
                       EXPECT_EQ(fib(27), 196418);
                       EXPECT_EQ(fib(27), 196418);
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  std::uint64_t skipped = 0;
  for (const json& e : trace)
    if (e["ph"] == "X") skipped += e["args"].value("skipped", std::uint64_t{0});
  EXPECT_GT(skipped, 0U);
  const std::size_t forks = of_kind(trace, "fork").size();
  EXPECT_GT(forks, 10U);
  EXPECT_LT(forks, 20'000U) << "of 800'000";
}

TEST(Trace, CountsWhatIsTooBriefByItsPlace) {
  // Catches: brief loops and forks of which nothing is told; an estimate that forgets what the strand did while it was left
  // alone, or that counts serial work after the loops, too.
  const trace_path file;
  EXPECT_THAT(traced(file, 1,
                     [] {
                       sennit::region r;
                       r.run([] {
                         for (int t = 0; t < 400; ++t)
                           sennit::parallel_for(0, 10, [](int) { busy_for(5us); });
                         busy_for(100ms);
                       });
                       r.run([] {
                         for (int t = 0; t < 400; ++t)
                           sennit::join([] { busy_for(10us); }, [] { busy_for(30us); });
                       });
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  double loops_us = 0;
  double forks_us = 0;
  double left_us = 0;
  for (const json& e : of_kind(trace, "brief")) {
    const json& args = e["args"];
    EXPECT_LE(args["seen"], args["count"]) << e;
    EXPECT_LE(args["took"].get<double>(), e["dur"].get<double>() + 0.01) << e;
    if (args.contains("left")) {
      forks_us += args["took"].get<double>();
      left_us += args["left"].get<double>();
    } else {
      EXPECT_GE(args["n"], 4) << e;
      EXPECT_LE(args["n"], 10) << e;
      loops_us += args["took"].get<double>();
    }
  }
  // Of 20 ms and 16 ms, if nothing disturbs them; the first loops are told.
  EXPECT_GT(loops_us, 10'000);
  EXPECT_LT(loops_us, 60'000);
  EXPECT_GT(forks_us, 8'000);
  EXPECT_NEAR(left_us / forks_us, 0.25, 0.15);
}

TEST(Trace, TellsChildrenWhereTheyWereSpawned) {
  // Catches: children that have no group or another one, that are told twice, and those that another strand spawns.
  const trace_path file;
  EXPECT_THAT(traced(file, 2,
                     [] {
                       sennit::runtime::default_runtime().run([] {
                         sennit::named("tasks", [] {
                           sennit::task_group group;
                           for (int i = 0; i < 8; ++i) group.spawn([] { busy_for(300us); });
                           group.wait();
                         });
                       });
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  const std::vector<json> children = of_kind(trace, "child");
  ASSERT_EQ(children.size(), 8U);
  const std::vector<json> waits = of_kind(trace, "wait");
  ASSERT_EQ(waits.size(), 1U);
  const std::vector<json> named = of_kind(trace, "named");
  ASSERT_EQ(named.size(), 1U);
  EXPECT_EQ(named[0]["name"], "tasks");
  for (const json& child : children) {
    EXPECT_EQ(child["args"]["group"], waits[0]["args"]["group"]);
    EXPECT_EQ(child["args"]["in"], named[0]["args"]["id"]);
  }
}

void feed(sennit::task_group& group, int depth, std::atomic<int>& fed) {
  if (depth == 0) {
    group.spawn([&fed] { ++fed; });
    return;
  }
  sennit::join([&] { feed(group, depth - 1, fed); }, [&] { feed(group, depth - 1, fed); });
}

TEST(Trace, LosesNoChildThatABriefPartSpawns) {
  // Catches: children of a part that is left alone in a region that the waiting strand may not work for, so that it waits for ever.
  const trace_path file;
  EXPECT_THAT(traced(file, 1,
                     [] {
                       for (const unsigned workers : {1U, 3U}) {
                         sennit::runtime own({.workers = workers});
                         std::atomic<int> fed{0};
                         own.run([&] {
                           for (int round = 0; round < 50; ++round) {
                             sennit::task_group group;
                             feed(group, 6, fed);
                             group.wait();
                           }
                         });
                         EXPECT_EQ(fed, 50 * 64);
                       }
                     }),
              ExitedWith(0));
  expect_well_formed(parsed(file));
}

// Groups that outlast the part: made in it on the heap, or fed in its right branch by the strand that made them before.
using kept_groups = std::span<std::unique_ptr<sennit::task_group>>;
void make_groups(kept_groups made, std::atomic<long>& ran) {
  if (made.size() > 1) {
    sennit::join([&] { make_groups(made.first(made.size() / 2), ran); },
                 [&] { make_groups(made.subspan(made.size() / 2), ran); });
    return;
  }
  const auto count = [&ran] {
    busy_for(5us);
    ran += 1;
  };
  const auto make = [&] {
    made[0] = std::make_unique<sennit::task_group>();
    for (int i = 0; i < 3; ++i) made[0]->spawn([=] { sennit::join(count, count); });
  };
  sennit::task_group fed;
  sennit::join([&] { sennit::join(make, [] {}); }, [&] { fed.spawn([=] { sennit::join(count, count); }); });
  fed.wait();
}
TEST(Trace, LosesNoChildThatOutlastsABriefPart) {
  // Catches: children of a part's region that is used again, or gone, before they run.
  const trace_path path;
  const ending run = traced(path, 4, [] {
    sennit::runtime all({.workers = 4});
    std::atomic<long> ran{0};
    for (int round = 0; round < 50; ++round) {
      all.run([&] {
        std::vector<std::unique_ptr<sennit::task_group>> made(64);
        make_groups(made, ran);
        for (const auto& group : made) group->wait();
      });
    }
    EXPECT_EQ(ran, 50 * 64 * 8);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Trace, HasNoBranchThatResumesAStrand) {
  // Catches: a strand that goes on and is told as a child, with the numbers of whatever was in memory.
  const trace_path file;
  EXPECT_THAT(traced(file, 2,
                     [] {
                       sennit::runtime(2U).run([] {
                         for (int i = 0; i < 20; ++i) {
                           sennit::event came;
                           std::thread outside([&] {
                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                             came.set();
                           });
                           came.wait();
                           outside.join();
                         }
                       });
                     }),
              ExitedWith(0));
  EXPECT_TRUE(of_kind(parsed(file), "child").empty());
}

TEST(Trace, NamedReturnsWhatTheFunctionReturns) {
  // Catches: a copy of what is returned by reference, an exception that does not end the section.
  const ending run = apart([] {
    int value = 0;
    EXPECT_EQ(&sennit::named("value", [&]() -> int& { return value; }), &value);
    EXPECT_THROW(sennit::named("failure", [] { throw outer_failure(); }), outer_failure);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

}  // namespace
}  // namespace process

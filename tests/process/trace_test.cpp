// SPDX-License-Identifier: Apache-2.0
// SENNIT_TRACE: what is written of programs as users write them. Each runs in a process of its own, which reads the variable.
#include "trace_support.hpp"

#include <sennit/sennit.hpp>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

namespace process {
namespace {

long tree(int depth) {
  if (depth == 0) {
    busy_for(60us);
    return 1;
  }
  auto [left, right] = sennit::join([=] { return tree(depth - 1); }, [=] { return tree(depth - 1); });
  busy_for(60us);
  return left + right;
}

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

// The nodes of the trace's graphs by their graphs and numbers; none ends before one begins that it comes after.
std::map<std::uint64_t, std::map<std::uint64_t, json>> nodes_of_graphs(const json& trace) {
  constexpr double rounding = 0.0025;
  std::map<std::uint64_t, std::map<std::uint64_t, json>> nodes;
  for (const json& e : of_kind(trace, "node")) {
    const json& args = e["args"];
    EXPECT_TRUE(nodes[args["in"].get<std::uint64_t>()].emplace(args["node"].get<std::uint64_t>(), e).second)
        << e;
  }
  for (const auto& [graph, all] : nodes) {
    for (const auto& [number, e] : all) {
      for (const json& before : e["args"].value("after", json::array()))
        EXPECT_LE(begin_of(all.at(before.get<std::uint64_t>())), end_of(e) + rounding) << e;
      for (const json& then : e["args"].value("then", json::array()))
        EXPECT_LE(begin_of(e), end_of(all.at(then.get<std::uint64_t>())) + rounding) << e;
    }
  }
  return nodes;
}

constexpr int rows = 6;  // of a square, in which nodes come after those above and to the left

void run_squares() {
  using cell = std::array<int, 2>;
  const auto before = [](cell c) {
    std::vector<cell> cells;
    if (c[0] > 0) cells.push_back({c[0] - 1, c[1]});
    if (c[1] > 0) cells.push_back({c[0], c[1] - 1});
    return cells;
  };
  const cell last{rows - 1, rows - 1};
  const auto spend = [](cell) { busy_for(200us); };
  const auto count = [](cell c, auto& node) -> long {
    busy_for(200us);
    long ways = c == cell{0, 0} ? 1 : 0;
    for (const cell& p : node.predecessors()) ways += node.value(p);
    return ways;
  };
  sennit::graph::run(last, sennit::graph::nodes{.predecessors = before, .compute = spend});
  EXPECT_EQ(sennit::graph::run(last, sennit::graph::nodes{.predecessors = before, .compute = count}), 252);
  sennit::graph::run(
      last, sennit::graph::nodes{.predecessors = before, .compute = spend, .color = [](cell) { return 0; }});
  sennit::graph::static_graph fixed;
  sennit::graph::task_graph tasks;
  std::vector<sennit::graph::task<>> all;
  fixed.add(rows * rows);
  for (std::uint32_t i = 0; i < rows * rows; ++i) {
    all.push_back(tasks.add([] { busy_for(200us); }).name("task " + std::to_string(i)));
    if (i >= rows) {
      fixed.edge(i - rows, i);
      all[i - rows].before(all[i]);
    }
    if (i % rows != 0) {
      fixed.edge(i - 1, i);
      all[i - 1].before(all[i]);
    }
  }
  fixed.run([](std::uint32_t) { busy_for(200us); });
  tasks.run();
  all[0].priority(1);
  tasks.run();
}

TEST_P(TracedWith, TellsNodesOfGraphs) {
  // Catches: graphs of a kind whose nodes are not told, nodes that are told twice or with others' predecessors, a graph that one
  // worker runs alone because it is traced.
  const trace_path file;
  EXPECT_THAT(traced(file, GetParam(), run_squares), ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  const auto graphs = nodes_of_graphs(trace);
  EXPECT_EQ(graphs.size(), 6);
  std::set<int> workers;
  std::set<std::string> names;
  for (const auto& [graph, nodes] : graphs) {
    EXPECT_EQ(nodes.size(), rows * rows);
    std::size_t edges = 0;
    for (const auto& [number, e] : nodes) {
      edges += e["args"].value("after", json::array()).size() + e["args"].value("then", json::array()).size();
      workers.insert(e["tid"].get<int>());
      names.insert(e["name"].get<std::string>());
      EXPECT_GE(e["dur"].get<double>(), 200) << e;
    }
    EXPECT_EQ(edges, 2 * rows * (rows - 1));
  }
  EXPECT_TRUE(names.contains("(2, 3)") && names.contains("task 7"));
  EXPECT_EQ(workers.size() > 1, GetParam() > 1);
}

TEST_P(TracedWith, TellsTasksOfFlows) {
  // Catches: tasks that run one after the other because they are traced, tasks with others' effects or predecessors, constructs in
  // them that are said to be in another body, a loop in a task that is lost.
  const trace_path file;
  EXPECT_THAT(traced(file, GetParam(),
                     [] {
                       std::vector<double> blocks(8 * 1000, 1);
                       const auto block = [&](int i) {
                         return sennit::memory_range(blocks.data(), sennit::range(i * 1000, (i + 1) * 1000));
                       };
                       sennit::region().run([&] {
                         sennit::graph::task_flow flow;
                         for (int i = 0; i < 8; ++i)
                           flow.submit(sennit::writes(block(i)), [] { busy_for(2ms); }, {.name = "fill"});
                         for (int i = 1; i < 8; ++i) {
                           flow.submit({sennit::reads(block(i - 1)), sennit::writes(block(i))},
                                       [] { sennit::parallel_for(0, 4, [](int) { busy_for(200us); }); },
                                       {.name = "add"});
                         }
                         flow.wait();
                       });
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  const auto flows = nodes_of_graphs(trace);
  ASSERT_EQ(flows.size(), 1U);
  const auto& tasks = flows.begin()->second;
  ASSERT_EQ(tasks.size(), 15U);
  std::set<int> workers;
  std::set<std::uint64_t> ids;
  for (const auto& [number, task] : tasks) {
    const json& args = task["args"];
    workers.insert(task["tid"].get<int>());
    ids.insert(args["id"].get<std::uint64_t>());
    EXPECT_EQ(task["name"], number <= 8 ? "fill" : "add");
    EXPECT_EQ(args["writes"].size(), 1U);
    EXPECT_EQ(args["writes"][0][1], 8000);
    if (number <= 8) continue;
    EXPECT_EQ(args["reads"][0], tasks.at(number - 8)["args"]["writes"][0]) << task;
    const std::vector<std::uint64_t> before = args["after"];
    EXPECT_THAT(before, testing::IsSupersetOf({number - 7, number == 9 ? 1 : number - 1})) << task;
  }
  EXPECT_EQ(workers.size() > 1, GetParam() > 1);
  std::size_t loops = 0;
  for (const json& loop : of_kind(trace, "loop"))
    loops += ids.contains(loop["args"]["in"].get<std::uint64_t>());
  EXPECT_EQ(loops, 7U);
}

TEST(Trace, TellsTheFirstOfBriefNodes) {
  // Catches: a trace that grows with the number of brief nodes, and one that tells them in each run.
  const trace_path file;
  EXPECT_THAT(traced(file, 2,
                     [] {
                       sennit::graph::static_graph chain;
                       chain.add(100'000);
                       for (std::uint32_t i = 1; i < 100'000; ++i) chain.edge(i - 1, i);
                       for (int run = 0; run < 3; ++run) chain.run([](std::uint32_t) {});
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  const std::vector<json> graphs = of_kind(trace, "graph");
  ASSERT_EQ(graphs.size(), 3);
  EXPECT_TRUE(graphs[0]["args"].contains("until"));
  const std::size_t told = of_kind(trace, "node").size();
  EXPECT_EQ(told, graphs[0]["args"]["nodes"].get<std::size_t>());
  EXPECT_GT(told, 1000);
  EXPECT_LT(told, 10'000);
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

TEST(Trace, TellsMessagesBetweenProcesses) {
  // Catches: messages with the other's rank, tag or size; waits of another length; a clock that is ahead in the wrong direction.
  const trace_path file;
  EXPECT_THAT(traced(file, 1,
                     [] {
                       using namespace sennit::detail;
                       trace_rank(2, 4, -1'000'000);
                       sennit::runtime(2U).run([] {
                         const std::uint64_t since = time_in_trace();
                         busy_for(std::chrono::milliseconds(2));
                         trace_outside_wait("recv from rank 3", since);
                         trace_message({.sent = false, .peer = 3, .tag = 5, .bytes = 800});
                         trace_message({.sent = true, .peer = 1, .tag = 7, .bytes = std::uint64_t{1} << 40});
                       });
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  const auto rank = std::ranges::find(trace, "rank", [](const json& e) { return e["name"]; });
  ASSERT_NE(rank, trace.end());
  EXPECT_EQ((*rank)["args"]["rank"], 2);
  EXPECT_EQ((*rank)["args"]["ranks"], 4);
  EXPECT_EQ((*rank)["args"]["clock_ns"].get<std::int64_t>() + 1'000'000,
            trace[0]["args"]["clock_ns"].get<std::int64_t>());
  const std::vector<json> messages = of_kind(trace, "message");
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0]["args"], (json{{"from", 3}, {"tag", 5}, {"bytes", 800}}));
  EXPECT_EQ(messages[1]["args"], (json{{"to", 1}, {"tag", 7}, {"bytes", std::uint64_t{1} << 40}}));
  const std::vector<json> waits = of_kind(trace, "outside");
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0]["name"], "recv from rank 3");
  EXPECT_GE(waits[0]["dur"].get<double>(), 2000);
  EXPECT_LE(end_of(waits[0]), begin_of(messages[0]));
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

TEST(Trace, IsNoPointOfCancellation) {
  // Catches: a program that ends because a thread was to be cancelled as it wrote a line, where nothing may be thrown.
  const trace_path path;
  const ending run = traced(path, 2, [] {
    pthread_t thread{};
    const auto runs = [](void*) -> void* {
      pthread_cancel(pthread_self());
      sennit::runtime({.workers = 2}).run([] { EXPECT_EQ(tree(4), 16); });
      return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, nullptr, runs, nullptr), 0);
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
  });
  EXPECT_THAT(run, ExitedWith(0));
  expect_well_formed(parsed(path));
}

TEST(Trace, IsTheParentsAlone) {
  // Catches: a child of fork(2) that writes into the file, closes it, or writes what the parent's threads had kept.
  const trace_path file;
  EXPECT_THAT(traced(file, 2,
                     [] {
                       (void)tree(3);
                       const pid_t child = fork_again();
                       if (child == 0) {
                         (void)tree(3);
                         std::exit(0);
                       }
                       int status = -1;
                       waitpid(child, &status, 0);
                       EXPECT_EQ(status, 0);
                       (void)tree(3);
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  EXPECT_EQ(of_kind(trace, "region").size(), 2U);
}

TEST(Trace, IsTheParentsAloneInARegion) {
  // Catches: a child that was forked inside a region and tells its end, or writes what the parent had kept by then.
  if (with_tsan) GTEST_SKIP() << "the tool follows only the fiber that forked";
  const trace_path file;
  EXPECT_THAT(traced(file, 1,
                     [] {
                       pid_t child = -1;
                       sennit::region().run([&] {
                         busy_for(110ms);  // what is kept is written at the end of the region
                         (void)tree(3);
                         child = fork_again();
                         (void)tree(3);
                       });
                       if (child == 0) std::exit(0);
                       int status = -1;
                       waitpid(child, &status, 0);
                       EXPECT_EQ(status, 0);
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  EXPECT_EQ(of_kind(trace, "region").size(), 1U);
}

TEST(Trace, IsUsefulAfterACrash) {
  // Catches: lines that are cut in the middle, a file that is empty until the program ends.
  const trace_path file;
  EXPECT_THAT(traced(file, 2,
                     [] {
                       for (int i = 0; i < 200; ++i) (void)tree(5);
                       raise(SIGKILL);
                     }),
              WasKilledBy(SIGKILL));
  std::ifstream in(file.text());
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const json trace = json::parse(text + "]");
  EXPECT_GT(of_kind(trace, "region").size(), 10U);
}

}  // namespace
}  // namespace process

// SPDX-License-Identifier: Apache-2.0
// Random task graphs, with values, limits, priorities, colors, choices, graphs within graphs, exceptions and
// cancellations, against what they have to compute.
#include "support.hpp"

#include <sennit/join.hpp>
#include <sennit/limit.hpp>
#include <sennit/runtime.hpp>
#include <sennit/task_graph.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using graph::task;
using graph::task_graph;
using sennit::limit;

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct planned_failure : std::runtime_error {
  planned_failure() : std::runtime_error("planned") {}
};

// A graph whose tasks count how often they ran and check what has to hold then.
class random_tasks {
 public:
  explicit random_tasks(std::uint64_t seed) : random_(seed) {
    const std::uint64_t kind = draw(64);
    for (std::uint64_t l = draw(4); l > 0; --l) make_limit();
    // Limits of tasks within come after those of tasks that run a graph.
    for (int depth = 0; depth < 2 && draw(3) == 0; ++depth) make_graph(1 + draw(20), kind, false);
    for (std::uint64_t l = draw(3); l > 0; --l) make_limit();
    whole_ = &make_graph(1 + draw(draw(4) == 0 ? 400 : 60), kind, true);
  }
  task_graph& whole() { return whole_->graph; }

  // What a run leaves if nothing failed.
  void expect_complete(const std::string& trace) const {
    for (const auto& part : parts_) {
      for (std::size_t i = 0; i < part->runs.size(); ++i) {
        const std::uint64_t times = part->starts * (part->turns > 0 && part->looped[i] ? part->turns : 1);
        EXPECT_EQ(part->runs[i], times) << trace << ", task " << i;
      }
    }
    expect_clean(trace);
  }
  void expect_clean(const std::string& trace) const {
    EXPECT_EQ(wrong_, 0) << trace;
    for (const room& r : rooms_) {
      EXPECT_EQ(r.permits.free(), r.permits.most()) << trace;
      EXPECT_EQ(r.inside, 0) << trace;
    }
  }
  void forget() {
    for (const auto& part : parts_) {
      part->starts = 0;
      std::fill(part->runs.begin(), part->runs.end(), 0);
    }
    for (room& r : rooms_) r.inside = 0;
  }
  // The n-th task from now on throws; 0: none.
  void fail_at(std::uint64_t n) { until_failure_ = static_cast<std::int64_t>(n); }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

 private:
  struct room {
    explicit room(std::size_t most) : permits(most) {}
    limit permits;
    std::atomic<int> inside{0};
  };
  struct part {
    task_graph graph;
    std::vector<std::uint64_t> runs;
    std::vector<std::vector<std::size_t>> before;
    std::vector<bool> looped;
    std::uint64_t turns = 0;
    std::uint64_t turn = 0;
    std::uint64_t starts = 0;
  };

  void make_limit() { rooms_.emplace_back(1 + draw(3)); }

  void visit(part& p, std::size_t i, const std::vector<room*>& within) {
    // A join in a cancelled run throws.
    struct visitor {
      const std::vector<room*>& rooms;
      ~visitor() {
        for (room* r : rooms) r->inside.fetch_sub(1);
      }
    } const inside{within};
    for (room* r : within) {
      if (r->inside.fetch_add(1) >= static_cast<int>(r->permits.most())) ++wrong_;
    }
    if (i % 7 == 0) sennit::join([] { std::this_thread::yield(); }, [] {});
    // In a loop, those before it that are in the loop, too, have run as often in this turn.
    for (const std::size_t b : p.before[i]) {
      if (p.runs[b] <= p.runs[i] && p.looped[b] == p.looped[i]) ++wrong_;
    }
    ++p.runs[i];
    if (until_failure_ > 0 && until_failure_.fetch_sub(1) == 1) throw planned_failure();
  }

  part& make_graph(std::size_t count, std::uint64_t kind, bool has_parts) {
    const std::size_t inner = has_parts ? parts_.size() : 0;
    part& p = *parts_.emplace_back(std::make_unique<part>());
    if ((kind & 1) != 0) p.graph.color_by({.of = graph::places::workers});
    const std::size_t reach = 1 + draw(draw(2) == 0 ? 5 : count);
    p.runs.resize(count);
    p.before.resize(count);
    p.looped.assign(count, false);
    // The latter part of the tasks is in a loop: all of it comes after `begin`, and before `again`.
    const std::size_t loop = (kind & 2) != 0 && count > 3 ? count / 2 : count;
    if (loop < count) p.turns = 1 + draw(4);
    std::vector<task<>> tasks;
    task<> begin;
    task<> again;
    const task<> start = p.graph.add([&p] {
      ++p.starts;
      p.turn = 0;
    });
    if (loop < count) {
      again = p.graph.choose([&p] { return ++p.turn < p.turns ? 0 : 1; }).name("again");
      begin = p.graph.add([] {}).after(start).name("begin");
      again.before(begin);
    }
    for (std::size_t i = 0; i < count; ++i) {
      p.looped[i] = i >= loop;
      std::vector<room*> within;
      if ((kind & 4) != 0) {
        const std::size_t first = has_parts ? 0 : rooms_.size() / 2;
        for (std::uint64_t k = draw(3); k > 0 && first < rooms_.size(); --k) {
          room* const r = &rooms_[first + draw(rooms_.size() - first)];
          if (std::find(within.begin(), within.end(), r) == within.end()) within.push_back(r);
        }
      }
      const task<> t = p.graph.add([this, &p, i, within] { visit(p, i, within); });
      for (room* r : within) t.within(r->permits);
      if ((kind & 8) != 0) t.priority(static_cast<int>(draw(5)));
      if ((kind & 1) != 0 && draw(3) != 0) t.color(static_cast<unsigned>(draw(5)));
      t.after(p.looped[i] ? begin : start);
      for (std::uint64_t e = draw(4); e > 0 && i > 0; --e) {
        const std::size_t b = i - 1 - draw(std::min(reach, i));
        if (p.looped[b] != p.looped[i]) continue;
        t.after(tasks[b]);
        p.before[i].push_back(b);
      }
      if (p.looped[i]) t.before(again);
      tasks.push_back(t);
    }
    for (std::size_t k = 0; k < inner; ++k) p.graph.add(parts_[k]->graph).after(tasks[draw(loop)]);
    return p;
  }

  std::mt19937_64 random_;
  std::deque<room> rooms_;
  std::vector<std::unique_ptr<part>> parts_;
  part* whole_ = nullptr;
  std::atomic<int> wrong_{0};
  std::atomic<std::int64_t> until_failure_{0};
};

// Catches: a task that runs too often, too early, or beside others that its limits exclude; permits that are kept; a
// run that is spoiled by the failure before it.
TEST(random_task_graph, does_what_its_edges_say) {
  const std::uint64_t first = number("TEST_SEED", 1);
  const std::uint64_t count = number("TEST_SEEDS", static_cast<std::uint64_t>(scaled(50)));
  for (const unsigned workers : {1U, 2U, 5U}) {
    sennit::runtime rt(workers);
    for (std::uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
      const std::string trace = "repeat with TEST_SEED=" + std::to_string(seed) + " TEST_SEEDS=1, " +
                                std::to_string(workers) + " workers";
      random_tasks tasks(seed);
      rt.run([&] {
        for (int round = 0; round < 2; ++round) {
          tasks.forget();
          tasks.whole().run();
          tasks.expect_complete(trace);
          tasks.forget();
          tasks.fail_at(1 + tasks.draw(30));
          try {
            tasks.whole().run();
          } catch (const graph::node_error&) {
          }
          tasks.fail_at(0);
          tasks.expect_clean(trace);
          const graph::pending_run run = tasks.whole().async();
          if (tasks.draw(2) == 0) std::this_thread::yield();
          run.cancel();
          (void)run.wait();
          tasks.expect_clean(trace);
        }
        tasks.forget();
        const graph::pending_run run = tasks.whole().async();
        EXPECT_TRUE(run.wait());
        tasks.expect_complete(trace);
      });
    }
  }
}

}  // namespace
}  // namespace sennit_test

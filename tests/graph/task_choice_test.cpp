// SPDX-License-Identifier: Apache-2.0
// task_graph: tasks that choose which of their successors go on, and loops that come of it.
#include "support.hpp"

#include <sennit/task_graph.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

using graph::task;
using graph::task_graph;

// Catches: a loop that ends too early, or never; a count that is not restored for the next turn.
TEST(task_choice, loops_until_a_condition_holds) {
  with_workers([] {
    task_graph g;
    int i = -1;
    int turns = 0;
    int ended = 0;
    const auto begin = g.add([&] { i = 0; });
    const auto body = g.add([&] {
      ++i;
      ++turns;
    });
    const auto again = g.choose([&] { return i < 5 ? 0 : 1; });
    const auto done = g.add([&] { ++ended; });
    begin.before(body);
    body.before(again);
    again.before(body, done);
    g.run();
    EXPECT_EQ(i, 5);
    g.run_n(10);
    EXPECT_EQ(turns, 55);
    EXPECT_EQ(ended, 11);
    EXPECT_EQ(g.edge_count(), 4U);
  });
}

// Catches: a task that chooses itself and waits for itself; a loop that needs stack or memory for each turn.
TEST(task_choice, may_choose_itself) {
  task_graph g;
  int turns = 0;
  const auto begin = g.add([&] { turns = 0; });
  const auto count = g.choose([&] { return ++turns < 100'000 ? 0 : 1; });
  const auto done = g.add([&] { EXPECT_EQ(turns, 100'000); });
  begin.before(count);
  count.before(count, done);
  g.run_n(3);
  EXPECT_EQ(turns, 100'000);
}

// Catches: successors that go on although they were not chosen; a position out of range that is taken for one.
TEST(task_choice, switches_between_cases) {
  with_workers([] {
    for (int wanted = -1; wanted <= 3; ++wanted) {
      task_graph g;
      std::vector<int> seen;
      const auto source = g.add([] {});
      const auto which = g.choose([&] { return wanted; });
      std::vector<task<>> cases;
      for (int c = 0; c < 3; ++c) {
        cases.push_back(g.choose([&seen, c] {
          seen.push_back(c);
          return 0;
        }));
      }
      const auto target = g.add([&] { seen.push_back(9); });
      source.before(which);
      which.before(cases[0], cases[1], cases[2]);
      target.after(cases[0], cases[1], cases[2]);
      g.run();
      if (wanted < 0 || wanted > 2) {
        EXPECT_TRUE(seen.empty());
      } else {
        EXPECT_EQ(seen, (std::vector<int>{wanted, 9}));
      }
    }
  });
}

// Catches: a branch that is left out where several are chosen.
TEST(task_choice, may_choose_several) {
  with_workers([] {
    task_graph g;
    std::atomic<int> ran{0};
    const auto which = g.choose([] { return std::vector<int>{0, 2, 7}; });
    for (int bit : {1, 2, 4}) which.before(g.add([&ran, bit] { ran += bit; }));
    g.run();
    EXPECT_EQ(ran, 5);
  });
}

// Catches: nested choices that wait for one another.
TEST(task_choice, nests) {
  for (int start = 0; start < 5; ++start) {
    task_graph g;
    int i = 0;
    std::string seen;
    const auto begin = g.add([&] { i = start; });
    const auto first = g.choose([&] { return i > 1 ? 1 : 0; });
    const auto second = g.choose([&] { return i > 2 ? 1 : 0; });
    const auto third = g.choose([&] { return i > 3 ? 1 : 0; });
    const auto say = [&](const char* text) { return g.add([&seen, text] { seen += text; }); };
    begin.before(first);
    first.before(say("up to 1"), second);
    second.before(say("2"), third);
    third.before(say("3"), say("more"));
    g.run();
    EXPECT_EQ(seen, start <= 1 ? "up to 1" : start == 2 ? "2" : start == 3 ? "3" : "more");
  }
}

// Catches: a walk by chance that loses its way where branches lead back to the beginning.
TEST(task_choice, retries_from_the_start_at_each_failure) {
  with_workers([] {
    task_graph g;
    std::vector<int> tries(5);
    std::uint32_t state = 1;
    const auto coin = [&] {
      state = state * 1664525 + 1013904223;
      return static_cast<int>(state >> 31);
    };
    int finished = 0;
    const auto begin = g.add([] {});
    std::vector<task<>> flips;
    for (std::size_t k = 0; k < tries.size(); ++k) {
      flips.push_back(g.choose([&, k] {
        ++tries[k];
        return coin();
      }));
    }
    begin.before(flips[0]);
    for (std::size_t k = 0; k + 1 < flips.size(); ++k) flips[k].before(flips[k + 1], flips[0]);
    flips.back().before(g.add([&] { ++finished; }), flips[0]);
    g.run_n(200);
    EXPECT_EQ(finished, 200);
    for (std::size_t k = 0; k + 1 < tries.size(); ++k) EXPECT_GE(tries[k], tries[k + 1]);
  });
}

// Catches: edges from tasks that did not choose, counted as choices; a join that begins with its first predecessor.
TEST(task_choice, forks_and_joins_within_a_loop) {
  with_workers([] {
    task_graph g;
    int turn = 0;
    std::atomic<int> work{0};
    const auto begin = g.add([&] {
      turn = 0;
      work = 0;
    });
    const auto split = g.add([] {});
    const auto join = g.add([&] { EXPECT_EQ(work, 8 * ++turn); });
    for (int i = 0; i < 8; ++i) g.add([&] { ++work; }).after(split).before(join);
    const auto again = g.choose([&] { return turn < 50 ? 0 : 1; });
    begin.before(split);
    join.before(again);
    again.before(split);
    for (int round = 0; round < scaled(5); ++round) {
      g.run();
      EXPECT_EQ(turn, 50);
    }
  });
}

// Catches: a graph that is taken for done although nothing of it, or a part of it, can begin.
TEST(task_choice, needs_a_task_that_can_begin) {
  task_graph g;
  int turns = 0;
  const auto a = g.choose([&] { return ++turns < 3 ? 0 : 1; }).name("a");
  const auto b = g.add([] {}).name("b");
  a.before(b);
  b.before(a);
  const auto never = [&] { return text_of<std::logic_error>([&] { g.run(); }); };
  EXPECT_NE(never().find("\"a\" of a task_graph can never begin"), std::string::npos);
  // Now a waits for b, too, which only a can choose.
  const auto c = g.add([] {});
  c.before(a);
  EXPECT_NE(never().find("\"a\""), std::string::npos);
  c.before(b);
  g.run();
  EXPECT_EQ(turns, 1);
}

// Catches: a task that is run by two workers at once, because two choices lead to it.
TEST(task_choice, refuses_to_begin_a_task_that_is_underway) {
  with_workers([] {
    task_graph g;
    const auto both = g.choose([] { return std::vector<int>{0, 0}; });
    both.before(g.add([] {}).name("target"));
    EXPECT_NE(text_of<std::logic_error>([&] { g.run(); }).find("\"target\""), std::string::npos);
  });
}

// Catches: a value from outside a loop that is gone in the second turn, and nobody says so.
TEST(task_choice, reads_values_again_in_each_turn) {
  task_graph g;
  int turn = 0;
  const auto text = g.add([] { return std::string("x"); }).name("text");
  const auto longer = g.add([&](std::string s) { return s + std::to_string(turn++); }, text);
  const auto again = g.choose([](const std::string& s) { return s == "x3" ? 1 : 0; }, longer);
  again.before(longer);
  EXPECT_NE(text_of<graph::node_error>([&] { g.run(); }).find("\"text\" has no value"), std::string::npos);
  text.keep();
  turn = 0;
  g.run();
  EXPECT_EQ(longer.result(), "x3");
}

// Catches: a failure in the middle of a loop that leaves counts behind.
TEST(task_choice, can_be_run_again_after_a_failure) {
  with_workers([] {
    task_graph g;
    int turn = 0;
    bool bad = true;
    const auto begin = g.add([&] { turn = 0; });
    const auto body = g.add([&] {
                         if (++turn == 3 && bad) throw std::runtime_error("third turn");
                       }).name("body");
    const auto again = g.choose([&] { return turn < 6 ? 0 : 1; });
    begin.before(body);
    body.before(again);
    again.before(body);
    for (int round = 0; round < 3; ++round) {
      bad = true;
      EXPECT_EQ(text_of<graph::node_error>([&] { g.run(); }),
                "sennit: running the task \"body\": third turn");
      EXPECT_EQ(turn, 3);
      bad = false;
      g.run();
      EXPECT_EQ(turn, 6);
    }
  });
}

// Catches: what follows a loop and reads its value, and begins beside the choice, after the first turn.
TEST(task_choice, lets_what_follows_a_loop_read_its_value) {
  with_workers([] {
    task_graph g;
    int turns = 0;
    int read = 0;
    int ended = 0;
    auto begin = g.add([&] { turns = 0; });
    auto body = g.add([&] { return ++turns; });
    auto more = g.choose([](int n) { return n < 5 ? 0 : 1; }, body);
    auto done = g.add(
        [&](int n) {
          read = n;
          ++ended;
        },
        body);
    begin.before(body);
    more.before(body, done);
    g.run_n(3);
    EXPECT_EQ(read, 5);
    EXPECT_EQ(ended, 3);
  });
}

// Catches: a task that nobody has chosen, and that runs because its predecessors have.
TEST(task_choice, of_nobody_lets_nobody_begin) {
  with_workers([] {
    task_graph g;
    int ran = 0;
    auto value = g.add([] { return 99; });
    auto choice = g.choose([](int n) { return n; }, value);
    choice.before(g.add([&](int) { ++ran; }, value));
    g.run();
    EXPECT_EQ(ran, 0);
  });
}

}  // namespace
}  // namespace sennit_test

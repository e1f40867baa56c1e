// SPDX-License-Identifier: Apache-2.0
// What graphs and pipelines share: local queues against thieves, counts, lists and turns. Each case explores all orders.
#include "system/brief_lock.hpp"
#include "world.hpp"

#include <sennit/detail/graph/growing.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/number_table.hpp>
#include <sennit/detail/graph/value_readers.hpp>
#include <sennit/detail/graph/waiting_nodes.hpp>
#include <sennit/detail/graph/work_pool.hpp>
#include <sennit/detail/pipeline/item.hpp>
#include <sennit/detail/pipeline/turns.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using explore::against;
using explore::expect_none;
using explore::expect_none_of;
using explore::program;
using explore::thief;
using explore::world;
using sennit::detail::pipeline_item;

// --- Work pools: the items of a strand, of which thieves take the older half.

struct counted_items;
using pool = sennit::detail::work_pool<counted_items, int>;
struct counted_items {
  world& w;
  pool& whole;
  bool within = false;
  template <class Session>
  void work(Session& own) {
    while (own.more()) {
      const int item = own.todo.take();
      if (item == 0) {
        own.todo.add(1);
        within ? own.todo.add_within(2) : own.todo.add(2);
      }
      w.ran(static_cast<unsigned>(item));
      own.did_one();
      own.consider_others();
    }
    // Then it knows what the others did.
    if (whole.is_alone())
      explore::check(w.count[0] <= 1 && w.count[1] <= 1 && w.count[2] <= 1, "at most once");
  }
};
template <bool Within>
void pool_of_three(world& w) {
  pool all;
  counted_items items{w, all, Within};
  all.run(items, {0});
  w.all_ran(3);
}
against of_three(bool fenced, std::vector<std::function<void(world&)>> thieves, bool within = false) {
  return {.fenced = fenced,
          .branches = 3,
          .owner = within ? &pool_of_three<true> : &pool_of_three<false>,
          .thieves = std::move(thieves),
          .prepare = &explore::thieves_own_deques};
}
TEST(Pool, ThreeItems) { expect_none(of_three(false, {thief(1)}).explore()); }
TEST(Pool, ThreeItemsFenced) { expect_none(of_three(true, {thief(1)}).explore()); }
TEST(Pool, AddedWithinFenced) { expect_none(of_three(true, {thief(1)}, true).explore()); }
// The first of many orders.
void expect_none_at_first(const against& program) {
  const explore::findings found = program.explore({.most_executions = 2000});
  EXPECT_TRUE(found.fault.empty()) << found.fault;
}
// Catches: the last strand does not pass on what the one before it did.
TEST(Pool, TwoThievesFenced) { expect_none_at_first(of_three(true, {thief(1), thief(1)})); }
// A thief that comes again gets what the owner has split off meanwhile, or the owner takes that back. Catches: one of them
// frees the part before the other one has done with it; a claim tells thieves of items that they do not see.
TEST(Pool, TwoToBeginWith) {
  against program = of_three(false, {thief(2)});
  program.owner = [](world& w) {
    w.ran(0);
    pool all;
    counted_items items{w, all};
    all.run(items, {1, 2});
  };
  expect_none_at_first(program);
}

// --- Nodes.

// A node waits for two; the last of these goes on with it. Catches: it does not see what the other one did.
TEST(Graph, TheLastPredecessorGoesOn) {
  struct node {
    std::uint32_t waiting = 2;
    int did[2] = {};
    int went_on = 0;
  };
  const auto ends = [](unsigned which) {
    return [which](node& n) {
      n.did[which] = 1;
      if (!sennit::detail::count_down(n.waiting, 1)) return;
      explore::check(n.did[0] == 1 && n.did[1] == 1, "what both did is seen");
      ++n.went_on;
    };
  };
  expect_none_of<node>({ends(0), ends(1)}, [](node& n) { explore::check(n.went_on == 1, "once"); });
}

// Two nodes wait for a third one, which is computed. Catches: one of them is neither told nor sees that the third one is
// computed; or is told before its count can be read.
TEST(Graph, NodesWaitForAnother) {
  struct graph {
    sennit::detail::node_state state{.successors = 1, .waiting = 0};
    sennit::detail::waiting_nodes waiting;
    sennit::detail::numbering::supply numbers[2];
    int count[2] = {};
    int went_on[2] = {};
    int computed = 0;
  };
  const auto waits = [](unsigned which) {
    return [which](graph& g) {
      using outcome = sennit::detail::waiting_nodes::outcome;
      g.count[which] = 1;
      if (g.waiting.wait_for(g.state, which, g.numbers[which]) != outcome::done) return;
      explore::check(g.computed == 1, "what it waited for is seen");
      ++g.went_on[which];
    };
  };
  // As a strand of a run does it.
  const auto computes = [](graph& g) {
    g.computed = 1;
    const std::uint64_t waited =
        sennit::detail::successors(g.state).exchange(sennit::detail::computed, std::memory_order_acq_rel);
    for (auto l = static_cast<std::uint32_t>(waited >> 32); l != 0; l = g.waiting[l].next) {
      const sennit::detail::node_number n = g.waiting[l].node;
      explore::check(g.count[n] == 1, "its count is seen");
      ++g.went_on[n];
    }
  };
  expect_none_of<graph>({computes, waits(0), waits(1)}, [](graph& g) {
    explore::check(g.went_on[0] == 1 && g.went_on[1] == 1, "each goes on once");
  });
}
// Nobody has made the node: the first who waits for it does.
TEST(Graph, WhoWaitsFirstMakesTheNode) {
  struct graph {
    sennit::detail::node_state state{.successors = 0, .waiting = 0};
    sennit::detail::waiting_nodes waiting;
    sennit::detail::numbering::supply numbers[2];
    int written[2] = {};
    int made = 0;
  };
  const auto waits = [](unsigned which) {
    return [which](graph& g) {
      using outcome = sennit::detail::waiting_nodes::outcome;
      g.written[which] = 1;
      const outcome came = g.waiting.wait_for(g.state, which, g.numbers[which]);
      if (came == outcome::done) explore::check(g.made == 1, "what it waited for is seen");
      if (came != outcome::made) return;
      // It computes the node at once.
      g.made = 1;
      const std::uint64_t waited =
          sennit::detail::successors(g.state).exchange(sennit::detail::computed, std::memory_order_acq_rel);
      explore::check(static_cast<std::uint32_t>(waited) == which + 1, "it has made the node");
      for (auto l = static_cast<std::uint32_t>(waited >> 32); l != 0; l = g.waiting[l].next)
        explore::check(g.written[g.waiting[l].node] == 1, "what that one wrote is seen");
    };
  };
  const auto reads = [](graph& g) {
    if (sennit::detail::successors(g.state).load(std::memory_order_acquire) == sennit::detail::computed)
      explore::check(g.made == 1, "what it did is seen");
  };
  expect_none_of<graph>({waits(0), waits(1), reads});
}

// Readers of a value, the last of whom frees it. Catches: it is freed while somebody reads it, or by none, or by two.
struct read_value {
  read_value() {
    count.begin();
    count.add(1);
  }
  void read_and_leave() {
    explore::check(*value == 7, "the value is there");
    leave();
  }
  void leave() {
    if (!count.remove()) return;
    value.reset();
    ++freed;
  }
  sennit::detail::reader_count count;
  std::unique_ptr<int> value = std::make_unique<int>(7);
  int freed = 0;
};
TEST(Graph, TheLastReaderFreesTheValue) {
  const auto reads = [](read_value& v) { v.read_and_leave(); };
  expect_none_of<read_value>({reads, reads}, [](read_value& v) { explore::check(v.freed == 1, "once"); });
}
// One comes late: it reads the value, or has come too late.
TEST(Graph, ALateReader) {
  const auto late = [](read_value& v) {
    v.count.add();
    if (v.count.is_freed()) return;
    v.read_and_leave();
  };
  const auto reads = [](read_value& v) { v.read_and_leave(); };
  expect_none_of<read_value>({reads, reads, late},
                             [](read_value& v) { explore::check(v.freed == 1, "once"); });
}

// Nothing is left to explore: who sees that has seen all readers.
TEST(Graph, AllIsExplored) {
  struct graph {
    sennit::detail::unexplored_nodes left;
    int noted[2] = {};
    int created = 0;
  };
  const auto made = std::array<sennit::detail::node_number, 2>{0, 1};
  const auto explores = [](unsigned which) {
    return [which](graph& g) {
      g.noted[which] = 1;
      if (g.left.explored({}, [](auto) {})) {
        explore::check(g.noted[0] == 1 && g.noted[1] == 1, "what all noted is seen");
      }
    };
  };
  const auto looks = [](graph& g) {
    if (g.left.none()) explore::check(g.noted[0] == 1 && g.noted[1] == 1, "what all noted is seen");
  };
  const auto looks_at_nodes = [](graph& g) {
    if (g.left.all_explored()) explore::check(g.noted[0] == 1 && g.noted[1] == 1, "what all noted is seen");
  };
  for (const auto& look : {std::function<void(graph&)>(looks), std::function<void(graph&)>(looks_at_nodes)}) {
    expect_none(explore::explore([&] {
      auto g = std::make_shared<graph>();
      (void)g->left.explored(made, [](auto) {});
      program p;
      for (unsigned i = 0; i < 2; ++i)
        p.threads.emplace_back("explores", [f = explores(i), g = g.get()] { f(*g); });
      p.threads.emplace_back("looks", [&look, g = g.get()] { look(*g); });
      p.at_end = [g] {};
      return p;
    }));
  }
  // A running node creates others, and one of these is explored at once.
  expect_none_of<graph>({[](graph& g) {
                           g.left.begin_creating();
                           g.created = 1;
                           g.left.end_creating();
                           (void)g.left.explored({}, [](auto) {});
                         },
                         [](graph& g) {
                           if (g.left.none()) explore::check(g.created == 1, "what was created is seen");
                         }});
  expect_none_of<graph>({[](graph& g) {
                           g.created = 1;
                           g.left.end_creating();
                         },
                         [](graph& g) {
                           if (g.left.none()) explore::check(g.created == 1, "what was created is seen");
                         },
                         [](graph& g) {
                           g.left.begin_creating();
                           (void)g.left.explored({}, [](auto) {});
                         }});
}

// --- Tables and arrays.

TEST(Graph, AnArrayGrows) {
  struct grown {
    sennit::detail::growing<std::uint32_t> all;
  };
  const auto writes = [](std::uint32_t which) {
    return [which](grown& g) {
      g.all.ensure(which);
      explore::check(g.all[which] == 0, "it is zero until it is written");
      g.all[which] = 1;
    };
  };
  expect_none_of<grown>({writes(1), writes(2)});
}

// Two look for a key, and add it if it is not there. Catches: it is there twice; or its number is there before the key.
TEST(Graph, OneKeyOneNumber) {
  struct table {
    table() {
      // The first one who adds makes room.
      const auto nothing = numbers.find(0, [](auto) { return false; });
      (void)numbers.add(0, 1, nothing);
    }
    sennit::detail::number_table numbers;
    int key[3] = {};
    std::uint32_t found[3] = {};
  };
  const auto adds = [](unsigned which) {
    return [which](table& t) {
      t.key[which] = 5;
      for (;;) {
        const auto met = t.numbers.find(0, [&t](std::uint32_t n) { return t.key[n] == 5; });
        t.found[which] = met.number;
        if (met.number != 0) return;
        if (t.numbers.add(0, which, met)) {
          t.found[which] = which;
          return;
        }
      }
    };
  };
  expect_none_of<table>({adds(1), adds(2)},
                        [](table& t) { explore::check(t.found[1] == t.found[2], "one number"); });
}
TEST(Graph, AnEmptyTable) {
  struct table {
    sennit::detail::number_table numbers;
    int key[3] = {};
  };
  const auto adds = [](unsigned which) {
    return [which](table& t) {
      t.key[which] = 5;
      // In different parts, which share memory.
      const std::uint64_t hash = std::uint64_t{which} << 58;
      for (;;) {
        const auto met = t.numbers.find(hash, [&t](std::uint32_t n) { return t.key[n] == 5; });
        if (met.number != 0 || t.numbers.add(hash, which, met)) return;
      }
    };
  };
  const auto finds = [](table& t) {
    const auto met = t.numbers.find(std::uint64_t{1} << 58, [&t](std::uint32_t n) { return t.key[n] == 5; });
    explore::check(met.number <= 1, "that number or none");
  };
  expect_none_of<table>({adds(1), adds(2), finds});
}

TEST(Graph, BriefLocks) {
  struct guarded {
    sennit::detail::brief_lock lock;
    int count = 0;
  };
  const auto adds = [](guarded& g) {
    g.lock.lock();
    ++g.count;
    g.lock.unlock();
  };
  expect_none_of<guarded>({adds, adds}, [](guarded& g) { explore::check(g.count == 2, "two"); });
}

// --- Pipelines: items that take turns in a stage. Catches: two items are in the stage at once, or an item is in it never.

template <class Turns>
struct stage {
  void pass(pipeline_item* item) {
    if (!turns.enter(*item)) return;
    while (item != nullptr) {
      ++passed;
      in_order = in_order && item->number == passed;
      did[item->number] = static_cast<int>(item->stage);
      item = turns.leave(item->number);
    }
  }
  void bring(unsigned number) {
    items[number] = {.number = number, .next = nullptr, .stage = 3, .gone = false};
    pass(&items[number]);
  }
  Turns turns{4};
  pipeline_item items[4];
  int did[4] = {};
  std::uint64_t passed = 0;
  bool in_order = true;
};
template <class Turns>
void explore_stage(unsigned items, bool in_order) {
  std::vector<std::function<void(stage<Turns>&)>> threads;
  for (unsigned i = 1; i <= items; ++i) threads.push_back([i](stage<Turns>& s) { s.bring(i); });
  expect_none_of<stage<Turns>>(threads, [items, in_order](stage<Turns>& s) {
    explore::check(s.passed == items, "each item has passed");
    explore::check(!in_order || s.in_order, "in order");
  });
}
TEST(Pipeline, TurnsInOrder) { explore_stage<sennit::detail::turns_in_order>(3, true); }
TEST(Pipeline, TurnsAsTheyCome) { explore_stage<sennit::detail::turns_as_they_come>(3, false); }

}  // namespace

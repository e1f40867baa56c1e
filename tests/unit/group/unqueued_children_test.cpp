// SPDX-License-Identifier: Apache-2.0
// The children of a group that were not pushed by its own strand: in whatever order they begin and end, what they leave is in
// serial order. Strands are simulated, in random order, by the thread that runs the test.
#include "fork/views.hpp"
#include "group/unqueued_children.hpp"
#include "runtime/runtime.hpp"
#include "stack/strand_state.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sennit::detail;
using sennit::detail::group_member;  // unistd.h has another one

struct text_view final : view {
  explicit text_view(const std::shared_ptr<reducer_base>& whole) noexcept : view(whole) {}
  void append(view& right) noexcept override { text += static_cast<text_view&>(right).text; }
  std::string text;
};

fiber* never_runs(frame&) noexcept { return nullptr; }
void is_never_called(group_member&) {}

struct child final : group_member {
  explicit child(group_state& group) : group_member(group, true, &never_runs, &is_never_called, &end) {}
  static void end(group_member& m) noexcept { ++static_cast<child&>(m).ends; }
  int ends = 0;
};

// A group, and a place for its children in a runtime of which no thread is at work.
struct group_alone {
  group_alone() {
    rt.run([] {});
    place = &core_of(&rt).worker_at(0);
  }
  ~group_alone() { all.let_go(); }
  group_alone(const group_alone&) = delete;
  group_alone& operator=(const group_alone&) = delete;

  child& make() { return children.emplace_back(group); }
  void write(const std::string& text) const {
    view* found = find_view(log.get());
    if (found == nullptr) add_view(*(found = new text_view(log)));
    static_cast<text_view*>(found)->text += text;
  }
  // What the running strand has written; it has not any more.
  std::string take_text() const {
    const std::unique_ptr<view> taken(remove_view(log.get()));
    return taken ? static_cast<text_view&>(*taken).text : std::string();
  }

  sennit::runtime rt{{.workers = 1}};
  worker* place = nullptr;
  group_state group{false, when_many_wait::run_at_once};
  std::deque<child> children;
  std::shared_ptr<reducer_base> log = std::make_shared<reducer_base>();
  unqueued_children& all = *unqueued_children::make(nullptr);
  completion done{1};
};

// What a strand does, in order.
enum class does : unsigned char {
  write,
  spawn,
  note,  // a child has run at once, and thrown
  fork,  // the right branch of a join begins in a strand of its own
  join
};
struct action_of_strand {
  does what;
  std::string text{};
  std::size_t script = 0;  // of the strand that begins, or ends
  int thrown = 0;
};
struct script {
  std::vector<action_of_strand> actions;
  bool is_branch = false;
  int throws = 0;  // at its end
};

class program {
 public:
  program(std::mt19937& random, bool forks) : random_(random), forks_(forks) {
    scripts_.emplace_back();
    make(0, 0);
  }
  const script& at(std::size_t i) const { return scripts_[i]; }
  std::size_t children() const { return children_; }
  bool forks() const { return forks_; }
  // Without what the root writes after its last child.
  std::string serial_text() const {
    std::string all = text_of(0);
    return all.substr(0, all.size() - tail_.size());
  }
  const std::string& tail() const { return tail_; }
  int first_thrown() const { return thrown_of(0); }

 private:
  std::size_t add_script(bool is_branch) {
    scripts_.emplace_back().is_branch = is_branch;
    if (!is_branch) ++children_;
    return scripts_.size() - 1;
  }
  // True: something in it has thrown that ran at once.
  bool make(std::size_t at, int depth) {
    std::vector<action_of_strand> actions;
    std::size_t forked = 0;
    bool failed = false;
    bool branch_failed = false;
    const auto write = [&] { actions.push_back({does::write, std::to_string(next_++) + " "}); };
    const auto spawn = [&] {
      const std::size_t child = add_script(false);
      actions.push_back({.what = does::spawn, .script = child});
      make(child, depth + 1);
    };
    const auto join = [&] {
      actions.push_back({.what = does::join, .script = std::exchange(forked, 0)});
      failed = failed || branch_failed;
    };
    for (unsigned n = random_() % 6; n > 0; --n) {
      switch (random_() % 6) {
        case 0: write(); break;
        case 1:
          // What is spawned after that is dropped.
          if (!std::exchange(failed, true)) actions.push_back({.what = does::note, .thrown = ++thrown_});
          break;
        case 2:
          if (forked != 0) {
            join();
          } else if (forks_ && at != 0 && !failed && depth < 3) {
            forked = add_script(true);
            actions.push_back({.what = does::fork, .script = forked});
            branch_failed = make(forked, depth + 1);
          }
          break;
        default:
          if (!failed && depth < 4 && scripts_.size() < 14) spawn();
      }
    }
    if (forked != 0) join();
    if (at == 0 && children_ == 0) {
      actions.clear();
      spawn();
    }
    // So that whatever child ends last leaves something: see run().
    if (at != 0) write();
    if (at != 0 && !scripts_[at].is_branch && random_() % 4 == 0) scripts_[at].throws = ++thrown_;
    for (const action_of_strand& a : actions) {
      if (at == 0) tail_ = a.what == does::spawn ? std::string() : tail_ + a.text;
    }
    scripts_[at].actions = std::move(actions);
    return failed;
  }
  std::string text_of(std::size_t i) const {
    std::string text;
    for (const action_of_strand& a : scripts_[i].actions)
      text += a.what == does::spawn || a.what == does::join ? text_of(a.script) : a.text;
    return text;
  }
  int thrown_of(std::size_t i) const {
    for (const action_of_strand& a : scripts_[i].actions) {
      const int thrown = a.what == does::spawn || a.what == does::join ? thrown_of(a.script) : a.thrown;
      if (thrown != 0) return thrown;
    }
    return scripts_[i].throws;
  }

  std::mt19937& random_;
  const bool forks_;
  std::vector<script> scripts_;
  std::size_t children_ = 0;
  std::string tail_;
  int next_ = 0;
  int thrown_ = 0;
};

int value_of(const std::exception_ptr& thrown) {
  if (!thrown) return 0;
  try {
    std::rethrow_exception(thrown);
  } catch (int value) {
    return value;
  }
}

// The strands of a program, by turns.
class simulation {
 public:
  simulation(const program& p, std::mt19937& random) : program_(p), random_(random) {
    // What is before all others. So each of them finds a neighbor to its left when it ends, and takes that in.
    child& first = spawn_from(nullptr);
    begin(first);
    g_.write("first ");
    g_.all.close(first, nullptr);
    (void)g_.all.finished(first, exchange_views(nullptr), g_.done);
    at_work_.push_back({.script = 0});
  }

  void run() {
    while (!at_work_.empty() || !spawned_.empty()) {
      const std::size_t chosen = random_() % (at_work_.size() + spawned_.size());
      if (chosen >= at_work_.size()) {
        const auto at = spawned_.begin() + static_cast<std::ptrdiff_t>(chosen - at_work_.size());
        strand begun = *at;
        spawned_.erase(at);
        begin(*begun.of);
        begun.views = exchange_views(nullptr);
        at_work_.push_back(begun);
      } else if (go_on(chosen)) {
        at_work_.erase(at_work_.begin() + static_cast<std::ptrdiff_t>(chosen));
        if (!program_.forks()) expect_merged(g_.all.stray_list());
      }
    }
    EXPECT_TRUE(g_.done.done(-1));
    EXPECT_EQ(first_thrown(), program_.first_thrown());
    for (const child& c : g_.children) EXPECT_EQ(c.ends, 1);
  }

 private:
  struct strand {
    std::size_t script;
    child* of = nullptr;  // null: the root, or a branch
    std::size_t next = 0;
    view* views = nullptr;
  };

  child& spawn_from(const strand* by) {
    child& made = g_.make();
    g_.done.expect();
    if (by == nullptr || by->script == 0) {
      g_.all.add_from_outside(made, *g_.place);
    } else {
      made.mark_stolen(&g_.all.outside());
      g_.all.add(made, g_.all.view_here(), *g_.place);
    }
    return made;
  }
  void begin(child& c) {
    EXPECT_TRUE(listed_frames::reclaim(c));
    store_views(nullptr);
    g_.all.begin(c);
  }
  // Of children that have ended side by side one is left.
  static void expect_merged(const group_link& ring) {
    for (const group_link* l = ring.next; l != &ring; l = l->next) {
      EXPECT_FALSE(l->settled && l->next->settled);
      EXPECT_FALSE(l->merging);
    }
  }
  // True: it has ended.
  bool go_on(std::size_t chosen) {
    strand& s = at_work_[chosen];
    const script& all = program_.at(s.script);
    store_views(s.views);
    if (s.next == all.actions.size()) {
      end(s, all);
      return true;
    }
    const action_of_strand& a = all.actions[s.next];
    if (a.what == does::join && !branches_.contains(a.script)) return false;  // it waits
    ++s.next;
    std::optional<strand> begun;
    switch (a.what) {
      case does::write: g_.write(a.text); break;
      case does::note:
        if (s.script == 0) {
          g_.all.note_outside(std::make_exception_ptr(a.thrown));
        } else {
          g_.all.note_here(std::make_exception_ptr(a.thrown));
        }
        break;
      case does::spawn: spawned_.push_back({.script = a.script, .of = &spawn_from(&s)}); break;
      case does::fork: begun = strand{.script = a.script}; break;
      case does::join: append_views(branches_.at(a.script)); break;
    }
    s.views = exchange_views(nullptr);
    if (begun) at_work_.push_back(*begun);
    return false;
  }
  void end(const strand& s, const script& all) {
    if (all.is_branch) {
      branches_[s.script] = exchange_views(nullptr);
      return;
    }
    if (s.script == 0) {
      EXPECT_EQ(g_.take_text(), program_.tail());
      EXPECT_EQ(load_views(), nullptr);
      return;
    }
    g_.all.close(*s.of, all.throws != 0 ? std::make_exception_ptr(all.throws) : nullptr);
    if (++ended_ == program_.children()) {
      EXPECT_EQ(g_.take_text(), "first " + program_.serial_text());
      EXPECT_EQ(load_views(), nullptr);
    }
    EXPECT_EQ(g_.all.finished(*s.of, exchange_views(nullptr), g_.done), nullptr);
  }
  int first_thrown() {
    int first = 0;
    for (;;) {
      std::exception_ptr thrown;
      group_member* const left = g_.all.take_oldest(g_.all.stray_list(), thrown);
      if (first == 0) first = value_of(thrown);
      if (left == nullptr) return first;
      if (first == 0) first = value_of(left->thrown);
      child::end(*left);
    }
  }

  const program& program_;
  std::mt19937& random_;
  group_alone g_;
  std::vector<strand> at_work_;
  std::vector<strand> spawned_;
  std::map<std::size_t, view*> branches_;  // that have ended
  std::size_t ended_ = 0;
};

// Catches values that are lost, or go before or behind what is beside them in serial order; an exception that hides an earlier
// one; and a child that ends twice, or is kept although nobody needs it.
TEST(unqueued_children, leave_in_serial_order_whatever_order_they_end_in) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const program p(random, seed % 2 == 0);
    simulation(p, random).run();
    if (testing::Test::HasFailure()) return;
  }
}

// Catches a chain of children, each of which spawns the next, that keeps what each of them has added: a child goes on with the
// values before it.
TEST(unqueued_children, go_on_with_what_comes_before_them) {
  group_alone g;
  g.write("before ");
  child& c = g.make();
  g.done.expect();
  g.all.add_from_outside(c, *g.place);
  EXPECT_EQ(g.take_text(), "");
  ASSERT_TRUE(listed_frames::reclaim(c));
  g.all.begin(c);
  g.write("child");
  EXPECT_EQ(g.take_text(), "before child");
  g.all.close(c, nullptr);
  (void)g.all.finished(c, exchange_views(nullptr), g.done);
  EXPECT_EQ(c.ends, 1);
}

// Catches a waiter that claims an older child before a newer one, or one that somebody else has.
TEST(unqueued_children, are_claimed_from_the_newest_on) {
  group_alone g;
  child* made[4];
  for (child*& c : made) g.all.add_from_outside(*(c = &g.make()), *g.place);
  EXPECT_TRUE(listed_frames::reclaim(*made[2]));
  for (const int i : {3, 1, 0}) EXPECT_EQ(g.all.claim_newest(nullptr), made[i]);
  EXPECT_EQ(g.all.claim_newest(nullptr), nullptr);
  for (child* const c : made) {
    g.done.expect();
    g.all.begin(*c);
    g.all.close(*c, nullptr);
    (void)g.all.finished(*c, nullptr, g.done);
    EXPECT_EQ(c->ends, 1);
  }
}

// Catches children without bound that wait to be taken, and a bound that counts those that are at work.
TEST(unqueued_children, have_room_until_many_are_not_begun) {
  group_alone g;
  int room = 0;
  for (; g.all.has_room() && room < 100'000; ++room) g.all.add_from_outside(g.make(), *g.place);
  EXPECT_LT(room, 100'000);
  child& begun = g.children.front();
  ASSERT_TRUE(listed_frames::reclaim(begun));
  g.all.begin(begun);
  EXPECT_TRUE(g.all.has_room());
  for (child& c : g.children) {
    g.done.expect();
    if (&c != &begun) {
      ASSERT_TRUE(listed_frames::reclaim(c));
      g.all.begin(c);
    }
    g.all.close(c, nullptr);
    (void)g.all.finished(c, nullptr, g.done);
  }
}

// Catches a thread that goes to sleep although all children have ended, and one that is not called when they have.
TEST(unqueued_children, call_the_thread_that_waits_for_them) {
  group_alone g;
  unqueued_children::waiting_thread thread{.awaited = -1, .call = {}};
  EXPECT_FALSE(g.all.announce(thread, g.done));
  child& first = g.make();
  child& second = g.make();
  for (child* const c : {&first, &second}) {
    g.done.expect();
    g.all.add_from_outside(*c, *g.place);
    ASSERT_TRUE(listed_frames::reclaim(*c));
    g.all.begin(*c);
  }
  EXPECT_TRUE(g.all.announce(thread, g.done));
  child& third = g.make();
  g.done.expect();
  g.all.add_from_outside(third, *g.place);
  thread.call.park();  // at once: there is something to claim
  g.all.withdraw();
  EXPECT_TRUE(g.all.announce(thread, g.done));
  ASSERT_TRUE(listed_frames::reclaim(third));
  g.all.begin(third);
  for (child* const c : {&first, &second, &third}) {
    g.all.close(*c, nullptr);
    (void)g.all.finished(*c, nullptr, g.done);
  }
  thread.call.park();  // at once
  g.all.withdraw();
  EXPECT_FALSE(g.all.announce(thread, g.done));
}

// Catches a view that is taken for one without children while one of its children is still to end, and the reverse.
TEST(unqueued_children, are_found_open_by_their_region) {
  group_alone g;
  region_state other;
  child& c = g.make();
  g.done.expect();
  store_views(nullptr);
  c.mark_stolen(&g.all.outside());
  g.all.add(c, g.all.view_here(), *g.place);
  EXPECT_TRUE(any_open(load_views(), g.all.outside()));
  EXPECT_FALSE(any_open(load_views(), other));
  view* const spawner = exchange_views(nullptr);
  ASSERT_TRUE(listed_frames::reclaim(c));
  g.all.begin(c);
  g.write("left");
  g.all.close(c, nullptr);
  (void)g.all.finished(c, exchange_views(nullptr), g.done);
  EXPECT_FALSE(any_open(spawner, g.all.outside()));
  view* list = spawner;
  unqueued_children::prune(list);
  EXPECT_EQ(list, spawner);  // the child has left something
  EXPECT_EQ(c.ends, 0);
  end_views(spawner);
  EXPECT_EQ(c.ends, 1);
}

}  // namespace

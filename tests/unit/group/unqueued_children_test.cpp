// The children of a group that were not pushed by its own strand: in whatever order they begin and end, what they leave is in
// serial order. Strands are simulated, in random order, by the thread that runs the test.
#include "core/runtime_core.hpp"
#include "core/unqueued_children.hpp"
#include "core/views.hpp"
#include "core/worker.hpp"

#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <memory>
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
  group_state group{false};
  std::deque<child> children;
  std::shared_ptr<reducer_base> log = std::make_shared<reducer_base>();
  unqueued_children& all = *unqueued_children::make(nullptr);
  completion done{1};
};

// What a strand does, in order.
struct action_of_strand {
  enum { write, spawn, note } what;  // note: a child has run at once, and thrown
  std::string text;
  std::size_t script = 0;  // of the child that is spawned
  int thrown = 0;
};
struct script {
  std::vector<action_of_strand> actions;
  int throws = 0;  // at its end
};

class program {
 public:
  explicit program(std::mt19937& random) : random_(random) {
    scripts_.emplace_back();
    make(0, 0);
  }
  const script& at(std::size_t i) const { return scripts_[i]; }
  std::size_t size() const { return scripts_.size(); }
  // Without what the root writes after its last child.
  std::string serial_text() const {
    std::string all = text_of(0);
    return all.substr(0, all.size() - tail_.size());
  }
  const std::string& tail() const { return tail_; }
  int first_thrown() const { return thrown_of(0); }

 private:
  void make(std::size_t at, int depth) {
    std::vector<action_of_strand> actions;
    bool noted = false;
    const auto write = [&] { actions.push_back({action_of_strand::write, std::to_string(next_++) + " "}); };
    for (unsigned n = random_() % 5; n > 0; --n) {
      switch (random_() % 4) {
        case 0: write(); break;
        case 1:
          // What is spawned after that is dropped.
          if (std::exchange(noted, true)) break;
          actions.push_back({action_of_strand::note, {}, 0, ++thrown_});
          break;
        default:
          if (noted || depth == 3 || scripts_.size() == 12) break;
          actions.push_back({action_of_strand::spawn, {}, scripts_.size()});
          scripts_.emplace_back();
          make(actions.back().script, depth + 1);
      }
    }
    if (at == 0 && scripts_.size() == 1) {
      actions.insert(actions.begin(), {action_of_strand::spawn, {}, 1});
      scripts_.emplace_back();
      make(1, 1);
    }
    // So that whatever child ends last leaves something: see run().
    if (at != 0) write();
    scripts_[at].actions = std::move(actions);
    if (at != 0 && random_() % 4 == 0) scripts_[at].throws = ++thrown_;
    if (at == 0) {
      for (const action_of_strand& a : scripts_[0].actions)
        tail_ = a.what == action_of_strand::spawn ? std::string() : tail_ + a.text;
    }
  }
  std::string text_of(std::size_t i) const {
    std::string text;
    for (const action_of_strand& a : scripts_[i].actions)
      text += a.what == action_of_strand::spawn ? text_of(a.script) : a.text;
    return text;
  }
  int thrown_of(std::size_t i) const {
    for (const action_of_strand& a : scripts_[i].actions) {
      const int thrown = a.what == action_of_strand::spawn ? thrown_of(a.script) : a.thrown;
      if (thrown != 0) return thrown;
    }
    return scripts_[i].throws;
  }

  std::mt19937& random_;
  std::vector<script> scripts_;
  std::string tail_;
  int next_ = 0;
  int thrown_ = 0;
};

struct strand {
  std::size_t script;
  child* of;  // null: the root
  std::size_t next = 0;
  view* views = nullptr;
};

int value_of(const std::exception_ptr& thrown) {
  if (!thrown) return 0;
  try {
    std::rethrow_exception(thrown);
  } catch (int value) {
    return value;
  }
}

// Runs the program's strands by turns. What has ended becomes one with what has ended beside it: so who ends last has it all.
void run(const program& p, std::mt19937& random) {
  group_alone g;
  std::vector<strand> at_work{{0, nullptr}};
  std::vector<strand> spawned;
  std::size_t open = p.size() - 1;
  std::string root_left;
  while (!at_work.empty() || !spawned.empty()) {
    const std::size_t chosen = random() % (at_work.size() + spawned.size());
    if (chosen >= at_work.size()) {
      const auto at = spawned.begin() + static_cast<std::ptrdiff_t>(chosen - at_work.size());
      strand begun = *at;
      spawned.erase(at);
      ASSERT_TRUE(deque::reclaim(*begun.of));
      store_views(nullptr);
      g.all.begin(*begun.of);
      begun.views = exchange_views(nullptr);
      at_work.push_back(begun);
      continue;
    }
    strand& s = at_work[chosen];
    const script& does = p.at(s.script);
    store_views(s.views);
    if (s.next < does.actions.size()) {
      const action_of_strand& a = does.actions[s.next++];
      switch (a.what) {
        case action_of_strand::write: g.write(a.text); break;
        case action_of_strand::note:
          if (s.of == nullptr) {
            g.all.note_outside(std::make_exception_ptr(a.thrown));
          } else {
            g.all.note_here(std::make_exception_ptr(a.thrown));
          }
          break;
        case action_of_strand::spawn: {
          child& made = g.make();
          g.done.expect();
          if (s.of == nullptr) {
            g.all.add_from_outside(made, *g.place);
          } else {
            made.mark_stolen(&g.all.outside());
            g.all.add(made, g.all.view_here(), *g.place);
          }
          spawned.push_back({a.script, &made});
        }
      }
      s.views = exchange_views(nullptr);
      continue;
    }
    if (s.of == nullptr) {
      root_left = g.take_text();
      EXPECT_EQ(load_views(), nullptr);
    } else {
      g.all.close(*s.of, does.throws != 0 ? std::make_exception_ptr(does.throws) : nullptr);
      if (--open == 0) {
        EXPECT_EQ(g.take_text(), p.serial_text());
        EXPECT_EQ(load_views(), nullptr);
      }
      EXPECT_EQ(g.all.finished(*s.of, exchange_views(nullptr), g.done), nullptr);
    }
    at_work.erase(at_work.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  EXPECT_EQ(root_left, p.tail());
  EXPECT_TRUE(g.done.done(-1));
  int first = 0;
  for (;;) {
    std::exception_ptr thrown;
    group_member* const left = g.all.take_oldest(g.all.stray_list(), thrown);
    if (first == 0) first = value_of(thrown);
    if (left == nullptr) break;
    if (first == 0) first = value_of(left->thrown);
    child::end(*left);
  }
  EXPECT_EQ(first, p.first_thrown());
  for (const child& c : g.children) EXPECT_EQ(c.ends, 1);
}

// Catches values that are lost, or go before or behind what is beside them in serial order; an exception that hides an earlier
// one; and a child that ends twice, or is kept although nobody needs it.
TEST(unqueued_children, leave_in_serial_order_whatever_order_they_end_in) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const program p(random);
    run(p, random);
    if (testing::Test::HasFailure()) return;
  }
}

// Catches a waiter that claims an older child before a newer one, or one that somebody else has.
TEST(unqueued_children, are_claimed_from_the_newest_on) {
  group_alone g;
  child* made[4];
  for (child*& c : made) g.all.add_from_outside(*(c = &g.make()), *g.place);
  EXPECT_TRUE(deque::reclaim(*made[2]));
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
  ASSERT_TRUE(deque::reclaim(begun));
  g.all.begin(begun);
  EXPECT_TRUE(g.all.has_room());
  for (child& c : g.children) {
    g.done.expect();
    if (&c != &begun) {
      ASSERT_TRUE(deque::reclaim(c));
      g.all.begin(c);
    }
    g.all.close(c, nullptr);
    (void)g.all.finished(c, nullptr, g.done);
  }
}

// Catches a thread that lies down although all children have ended, and one that is not called when they have.
TEST(unqueued_children, call_the_thread_that_waits_for_them) {
  group_alone g;
  unqueued_children::sleeper thread{.awaited = -1, .call = {}};
  EXPECT_FALSE(g.all.lie_down(thread, g.done));
  child& first = g.make();
  child& second = g.make();
  for (child* const c : {&first, &second}) {
    g.done.expect();
    g.all.add_from_outside(*c, *g.place);
    ASSERT_TRUE(deque::reclaim(*c));
    g.all.begin(*c);
  }
  EXPECT_TRUE(g.all.lie_down(thread, g.done));
  for (child* const c : {&first, &second}) {
    g.all.close(*c, nullptr);
    (void)g.all.finished(*c, nullptr, g.done);
  }
  thread.call.park();  // at once
  g.all.get_up();
  EXPECT_FALSE(g.all.lie_down(thread, g.done));
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
  EXPECT_TRUE(unqueued_children::any_open(load_views(), g.all.outside()));
  EXPECT_FALSE(unqueued_children::any_open(load_views(), other));
  view* const spawner = exchange_views(nullptr);
  ASSERT_TRUE(deque::reclaim(c));
  g.all.begin(c);
  g.write("left");
  g.all.close(c, nullptr);
  (void)g.all.finished(c, exchange_views(nullptr), g.done);
  EXPECT_FALSE(unqueued_children::any_open(spawner, g.all.outside()));
  view* list = spawner;
  unqueued_children::prune(list);
  EXPECT_EQ(list, spawner);  // the child has left something
  EXPECT_EQ(c.ends, 0);
  end_views(spawner);
  EXPECT_EQ(c.ends, 1);
}

}  // namespace

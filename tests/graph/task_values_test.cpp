// SPDX-License-Identifier: Apache-2.0
// task_graph: values of different types that go from task to task.
#include "support.hpp"

#include <sennit/task_graph.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

using graph::task;
using graph::task_graph;

double half_of(int x) { return x / 2.0; }

// Catches: values in the wrong order of arguments; a predecessor without a value that takes an argument's place.
TEST(task_values, go_from_task_to_task) {
  with_workers([] {
    task_graph g;
    int seven = 7;
    bool ready = false;
    const auto begin = g.add([&] { ready = true; });
    const auto number = g.add([&] { return seven; });
    const auto text = g.add([] { return std::string("chords"); });
    const auto half = g.add(half_of, number);
    const auto whole = g.add(
        [&](int n, const std::string& s, double h) -> std::string {
          EXPECT_TRUE(ready);
          return s + " " + std::to_string(n) + (h == 3.5 ? " and a half" : "");
        },
        number, begin, text, half);
    g.run();
    EXPECT_EQ(whole.result(), "chords 7 and a half");
    EXPECT_EQ(half.result(), 3.5);
    EXPECT_EQ(g.edge_count(), 5U);
    seven = 8;
    g.run();
    EXPECT_EQ(whole.result(), "chords 8");
  });
}

// Catches: a copy for the only reader; a value that is moved although others read it.
TEST(task_values, are_copied_only_where_several_tasks_take_them) {
  using shared = std::shared_ptr<int>;
  task_graph g;
  const auto one = g.add([] { return std::make_shared<int>(1); });
  const auto only = g.add([](shared p) { return p.use_count(); }, one);
  const auto two = g.add([] { return std::make_shared<int>(2); });
  const auto first = g.add([](shared p) { return p.use_count(); }, two);
  const auto second = g.add([](const shared& p) { return p.use_count(); }, two);
  const auto kept = g.add([] { return std::make_shared<int>(3); }).keep();
  const auto beside = g.add([](shared&& p) { return p.use_count(); }, kept);
  second.after(first);
  for (int round = 0; round < 3; ++round) {
    g.run();
    EXPECT_EQ(only.result(), 1);
    EXPECT_EQ(first.result(), 2);
    EXPECT_EQ(second.result(), 1);
    EXPECT_EQ(beside.result(), 2);
    EXPECT_EQ(*two.result(), 2);
    EXPECT_EQ(*kept.result(), 3);
    EXPECT_NE(text_of<std::logic_error>([&] { (void)one.result(); }).find("only reader"), std::string::npos);
  }
}

// Catches: a value that lives on after its only reader has taken it.
TEST(task_values, end_with_the_reader_that_takes_them) {
  task_graph g;
  std::weak_ptr<int> watched;
  const auto made = g.add([&] {
    auto p = std::make_shared<int>(1);
    watched = p;
    return p;
  });
  const auto taken = g.add([](std::shared_ptr<int> p) { return *p; }, made);
  g.add(
      [&](int n) {
        EXPECT_EQ(n, 1);
        EXPECT_TRUE(watched.expired());
      },
      taken);
  g.run();
}

// Catches: a stage that copies what cannot be copied.
TEST(task_values, may_be_movable_only) {
  using only = std::unique_ptr<std::string>;
  with_workers([] {
    task_graph g;
    const auto a = g.add([] { return std::make_unique<std::string>("one"); }).name("a");
    const auto b = g.add(
        [](only s) {
          *s += " two";
          return s;
        },
        a);
    const auto c = g.add([](only&& s) { return *s + " three"; }, b);
    const auto d = g.add([](const only& s) { return s->size(); },
                         g.add([] { return std::make_unique<std::string>("1234"); }));
    for (int round = 0; round < 2; ++round) {
      g.run();
      EXPECT_EQ(c.result(), "one two three");
      EXPECT_EQ(d.result(), 4U);
    }
    // Both readers, the value's task and the remedy are named. A task that is refused is not there: it would run without any order,
    // or count as a reader for ever.
    const std::size_t size = g.size();
    const std::string refused = text_of<std::logic_error>([&] { g.add([](const only&) {}, a); });
    for (const char* part : {"\"a\"", "task 1 ", "task 5,", "const T&", "std::shared_ptr"})
      EXPECT_NE(refused.find(part), std::string::npos) << refused;
    EXPECT_EQ(g.size(), size);
    const auto twice = g.add([] { return std::make_unique<std::string>("1"); });
    EXPECT_THROW(g.add([](only, only) {}, twice, twice), std::logic_error);
    g.add([](only) {}, twice);
    g.run();
  });
}

// Catches: a value that is read before there is one.
TEST(task_values, are_missing_before_the_first_run_and_after_a_failure) {
  task_graph g;
  const auto number = g.add([]() -> int { throw std::runtime_error("no"); }).name("number");
  const auto next = g.add([](int n) { return n + 1; }, number);
  EXPECT_NE(text_of<std::logic_error>([&] { (void)next.result(); }).find("has no value"), std::string::npos);
  EXPECT_THROW(g.run(), graph::node_error);
  EXPECT_THROW((void)number.result(), std::logic_error);
}

// Catches: values that are kept for types that have none, or that cost a copy more than the function makes.
TEST(task_values, may_be_of_any_type_that_is_returned) {
  task_graph g;
  std::vector<int> numbers{1, 2, 3};
  const auto reference = g.add([&]() -> const std::vector<int>& { return numbers; });
  const auto sum = g.add([](const auto& all) { return all[0] + all[1] + all[2]; }, reference);
  const auto none = g.add([](int) {}, sum);
  g.run();
  EXPECT_EQ(sum.result(), 6);
  const task<> any = sum;
  EXPECT_TRUE(any == sum);
  EXPECT_TRUE(none);
  numbers[0] = 5;
  EXPECT_EQ(reference.result()[0], 1);
}

// Catches: a value that is read, or kept, while tasks may be writing it.
TEST(task_values, are_not_asked_for_while_the_graph_runs) {
  with_workers([] {
    task_graph g;
    const auto value = g.add([] { return 1; });
    std::string read;
    std::string kept;
    g.add([&] {
       read = text_of<std::logic_error>([&] { (void)value.result(); });
       kept = text_of<std::logic_error>([&] { value.keep(); });
     }).after(value);
    g.run();
    EXPECT_NE(read.find("while it runs"), std::string::npos);
    EXPECT_NE(kept.find("while it runs"), std::string::npos);
    EXPECT_EQ(value.result(), 1);
  });
}

// Catches: a container that says it can be copied, although its elements cannot, so that the program does not compile.
TEST(task_values, of_containers_of_what_moves_only) {
  using pieces = std::vector<std::unique_ptr<int>>;
  const auto make = [] {
    std::pair<pieces, int> made;
    made.first.push_back(std::make_unique<int>(7));
    return made;
  };
  sennit::graph::task_graph g;
  int seen = 0;
  const auto first = g.add(make);
  const auto second = g.add([](std::pair<pieces, int> p) { return std::move(p.first); }, first);
  g.add([&](pieces&& p) { seen = *p.at(0); }, second);
  g.run();
  EXPECT_EQ(seen, 7);
  // Two that take the value are told so.
  EXPECT_THROW(g.add([](pieces) {}, second), std::logic_error);
}

}  // namespace
}  // namespace sennit_test

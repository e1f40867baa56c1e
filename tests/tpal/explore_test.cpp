// SPDX-License-Identifier: Apache-2.0
// The explorer: what it says holds of all runs of the machine, and it finds what is wrong.
#include "tests/tpal/support.hpp"
#include "tools/tpal/explore.hpp"

#include <utility>

namespace tpal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string explored(const image& start, const exploration_bounds& bounds = {}) {
  return report(start, explore(start, bounds));
}
std::string explored(std::string_view text, const std::vector<std::string>& inputs = {}) {
  return explored(loaded(text, inputs));
}

// Digits in their order, by a loop that is split. `policy` is how it joins.
std::string digits(const std::string& policy) {
  return fmt::format(R"(.output c
.input n = 5
main:
  c := 0; p := 1; i := 0; own := 0; j := 0; jump loop
loop: [prppt split]
  left := n - i; if-jump left, end
  c := c * 10; i := i + 1; c := c + i; p := p * 10; jump loop
split:
  left := n - i; t := left < 2; if-jump t, loop
  if-jump own, first
  jump give
first:
  j := jralloc exit; own := 1; jump give
give:
  left := n - i; half := left / 2; m := n - half
  kept-i := i; kept-c := c; kept-p := p; i := m; c := 0; p := 1; fork j, loop
  i := kept-i; c := kept-c; p := kept-p; n := m; jump loop
end:
  t := own = 0; if-jump t, exit
  join j
comb:
  c := c * p2; c := c + c2; p := p * p2; join j
exit: [jtppt {}; {{c -> c2, p -> p2}}; comb]
  halt
)",
                     policy);
}

// Catches a run that is left out: an answer of the machine that the explorer has not seen.
TEST(Explore, SeesWhatTheMachineDoes) {
  const std::vector<std::pair<image, std::string>> programs{
      {loaded_file("prod", {"a=6", "b=2"}), "c = 12\n"},
      {loaded_file("fib", {"n=4"}), "f = 3\n"},
      {loaded_file("plus-reduce", {"xs=1..7"}), "s = 28\n"},
      {loaded_file("spmv", {"rows=0,2,3", "col=0,1,0", "a=1,2,3", "x=1,2"}), "y = 5, 3\n"},
      {loaded(digits("assoc")), "c = 12345\n"}};
  for (const auto& [start, expected] : programs) {
    const exploration e = explore(start, {});
    EXPECT_TRUE(e.is_complete && !e.found) << report(start, e);
    EXPECT_EQ(e.answer, expected);
    std::uint64_t tasks = 0;
    for (std::uint64_t heart = 0; heart < 20; ++heart) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const result r = run(start, beating(heart, seed));
        EXPECT_EQ(outputs(start, r), expected);
        tasks = std::max(tasks, r.done.forks + 1);
      }
    }
    EXPECT_GE(e.tasks, tasks);
    EXPECT_GE(e.tasks, 2U);
  }
}

// Catches joins that are tried in one order only.
TEST(Explore, FindsASecondAnswer) {
  const image start = loaded(digits("assoc-comm"));
  EXPECT_THAT(explored(start),
              AllOf(HasSubstr("the answer depends on the run: here it is c = 12453"),
                    HasSubstr("task 0, line 5: a beat at 'loop'"), HasSubstr("combines with task 1"),
                    HasSubstr("The answer is c = 12345 in this run:")));
}

// A parent and its child, and what each of them does.
std::string family(const std::string& before, const std::string& parent, const std::string& child,
                   const std::string& after) {
  return fmt::format(
      ".zero d = 2\nmain: j := jralloc exit\n  {}\n  fork j, child\n  {}\n  join j\nchild:\n  {}\n  join j\n"
      "comb:\n  {}\n  join j\nexit: [jtppt assoc; {{}}; comb]\n  halt\n",
      before, parent, child, after);
}

// Catches accesses that are ordered and are taken for a race, and races that are missed.
TEST(Explore, FindsRaces) {
  const std::string store = "mem[d] := 1";
  const std::string load = "x := mem[d]";
  const std::string other = "mem[d + 1] := 1";
  const std::string none = "x := 0";
  const auto says = [](const std::string& text) { return explored(text); };
  EXPECT_THAT(says(family(none, store, store, none)),
              AllOf(HasSubstr("test.tpal:8:3: error: a race for d[0]: task 1 stores to it here, and no fork "
                              "or join orders that "
                              "with task 0 in line 5"),
                    HasSubstr("test.tpal:5:3: error: task 0 stores to it here"),
                    HasSubstr("task 0, line 4: forks task 1")));
  EXPECT_THAT(says(family(none, load, store, none)), HasSubstr("a race for d[0]: task 1 stores to it here"));
  EXPECT_THAT(says(family(none, store, load, none)), HasSubstr("a race for d[0]: task 1 loads it here"));
  for (const std::string& ordered :
       {family(none, load, load, none), family(none, other, store, none), family(store, none, store, none),
        family(none, none, store, load), family(store, none, load, store)}) {
    EXPECT_THAT(says(ordered), HasSubstr("no race")) << ordered;
  }
}

// Catches races of which the second access comes in a run whose state had been seen with another history.
TEST(Explore, KeepsHistoriesApart) {
  EXPECT_THAT(explored(R"(.zero d = 1
main:
  j := jralloc exit; fork j, child; t := 0; jump ask
ask: [prppt touch]
  t := 0; x := 0; jump on
touch:
  x := mem[d]; jump ask
on:
  join j
child:
  jump late
late: [prppt touch-late]
  t := 0; x := 0; join j
touch-late:
  mem[d] := 0; jump late
comb:
  join j
exit: [jtppt assoc; {}; comb]
  halt
)"),
              HasSubstr("a race for d[0]: task 1 stores to it here"));
}

TEST(Explore, FindsAnEarlyHalt) {
  EXPECT_THAT(explored("main: j := jralloc exit; fork j, child; halt\nchild: join j\ncomb: join j\n"
                       "exit: [jtppt assoc; {}; comb] halt"),
              AllOf(HasSubstr("test.tpal:1:41: error: task 0 halts while other tasks have not joined"),
                    HasSubstr("forks task 1")));
}

// Catches errors of a run that a beat in the right place brings about, and that seeds would have to meet.
TEST(Explore, FindsErrorsOfOneRun) {
  const std::string text = explored(R"(.output i
main:
  i := 3; k := 1; jump loop
loop: [prppt beat]
  i := i - 1; if-jump i, end
  k := 1; jump loop
beat:
  k := i - 2; x := 1 / k; jump loop
end:
  halt
)");
  EXPECT_THAT(text, AllOf(HasSubstr("test.tpal:8:24: error: division of 1 by zero"),
                          HasSubstr("task 0, line 4: a beat at 'loop'")));
}

TEST(Explore, SaysThatItHasGivenUp) {
  const image start = loaded_file("fib", {"n=8"});
  EXPECT_THAT(explored(start, {100, 100'000}),
              AllOf(HasSubstr("f = 21\nNOT all that the program can do: 100 runs"), Not(HasSubstr("error"))));
  EXPECT_THAT(explored(loaded("x: jump x"), {100, 50}), HasSubstr("no halt after 50 instructions"));
}

}  // namespace
}  // namespace tpal

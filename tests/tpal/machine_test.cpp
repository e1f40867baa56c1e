// SPDX-License-Identifier: Apache-2.0
// The machine's transitions, one by one, and what it says of programs that go wrong.
#include "tests/tpal/support.hpp"

namespace tpal {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Catches the other convention of truth, with which Fig. 2 of Rainey et al., 2021, would never loop.
TEST(Machine, ZeroIsTrue) {
  EXPECT_EQ(answer(loaded(
                ".output a, b, c\nx: a := 1 < 2; b := 2 < 1; c := 5; if-jump a, y; halt\ny: c := 6; halt")),
            "a = 0\nb = 1\nc = 6\n");
}

TEST(Machine, Computes) {
  const auto of = [](const std::string& e) { return answer(loaded(".output c\nx: c := " + e + "; halt")); };
  EXPECT_EQ(of("-7 / 2"), "c = -3\n");
  EXPECT_EQ(of("-7 % 2"), "c = -1\n");
  EXPECT_EQ(of("9223372036854775807 + 1"), "c = -9223372036854775808\n");
  EXPECT_EQ(of("-9223372036854775808 / -1"), "c = -9223372036854775808\n");
  EXPECT_EQ(of("-9223372036854775808 % -1"), "c = 0\n");
  EXPECT_EQ(of("4611686018427387904 * 4"), "c = 0\n");
  EXPECT_EQ(of("6 & 3"), "c = 2\n");
  EXPECT_EQ(of("6 | 3"), "c = 7\n");
  EXPECT_EQ(of("6 ^ 3"), "c = 5\n");
  EXPECT_EQ(of("1 << 65"), "c = 2\n");
  EXPECT_EQ(of("-8 >> 1"), "c = -4\n");
  EXPECT_EQ(of("3 <= 3"), "c = 0\n");
  EXPECT_EQ(of("3 >= 4"), "c = 1\n");
  EXPECT_EQ(of("3 > 2"), "c = 0\n");
  EXPECT_EQ(of("3 = 2"), "c = 1\n");
  EXPECT_EQ(of("3 != 2"), "c = 0\n");
}

// Catches doubles that are cut, compared the wrong way round with a NaN, or printed so that they read as other values.
TEST(Doubles, Compute) {
  const auto of = [](const std::string& e) { return answer(loaded(".output c\nx: c := " + e + "; halt")); };
  EXPECT_EQ(of("1.5 +. 2.25"), "c = 3.75\n");
  EXPECT_EQ(of("0.1 +. 0.2"), "c = 0.30000000000000004\n");
  EXPECT_EQ(of("1.5 -. 2.5"), "c = -1.0\n");
  EXPECT_EQ(of("-1.5 *. 2.0"), "c = -3.0\n");
  EXPECT_EQ(of("1.0 /. 3.0"), "c = 0.3333333333333333\n");
  EXPECT_EQ(of("-1.0 /. 0.0"), "c = -inf\n");
  EXPECT_EQ(of("0.0 /. 0.0"), "c = nan\n");
  EXPECT_EQ(of("-0.0"), "c = -0.0\n");
  EXPECT_EQ(of("1e300"), "c = 1e+300\n");
  EXPECT_EQ(of("5e-324"), "c = 5e-324\n");
  EXPECT_EQ(of("2.5E+2"), "c = 250.0\n");
  EXPECT_EQ(of("1.5 <. 2.0"), "c = 0\n");
  EXPECT_EQ(of("2.0 <=. 2.0"), "c = 0\n");
  EXPECT_EQ(of("2.0 >. 2.0"), "c = 1\n");
  EXPECT_EQ(of("2.0 >=. 2.5"), "c = 1\n");
  EXPECT_EQ(of("2.0 =. 2.0"), "c = 0\n");
  EXPECT_EQ(of("2.0 !=. 2.0"), "c = 1\n");
}

TEST(Doubles, ConvertTowardsZero) {
  const auto of = [](const std::string& e) { return answer(loaded(".output c\nx: c := " + e + "; halt")); };
  EXPECT_EQ(of("int -2.9"), "c = -2\n");
  EXPECT_EQ(of("int -9223372036854775808.0"), "c = -9223372036854775808\n");
  EXPECT_EQ(of("double 3"), "c = 3.0\n");
  EXPECT_EQ(of("double 9007199254740993"), "c = 9007199254740992.0\n");
  EXPECT_EQ(failure_of("x: a := 9223372036854775808.0\n  b := int a; halt"),
            "2:12: 9223372036854775808.0 has no integer of 64 bits");
  EXPECT_EQ(failure_of("x: a := 0.0 /. 0.0; b := int a; halt"), "1:30: nan has no integer of 64 bits");
}

// Catches bits that change their meaning on the way through registers, the stack, the heap, forks and C functions.
TEST(Doubles, GoWhereNumbersGo) {
  EXPECT_EQ(
      answer(loaded(".input s : double, f = 0.5, n : int\n.output s, xs, ys, d\n.data xs = 1.5, -2.0, 1e9\n"
                    ".zero ys : double = n\n.extern hypot(double, double) -> double\n"
                    "x: sp := snew; salloc 2; mem[sp + 1] := f; a := mem[sp + 1]\n"
                    "s := s +. a; d := call hypot(3.0, 4.0); y := mem[xs + 1]; mem[ys] := y; halt",
                    {"s=2", "xs=1,2.5", "n=2"})),
      "s = 2.5\nxs = 1.0, 2.5\nys = 2.5, 0.0\nd = 5.0\n");
}

// Catches bits of a double that are taken for an integer, or the other way round.
TEST(Doubles, DoNotMixWithIntegers) {
  EXPECT_EQ(failure_of("x: a := 1.5; b := a + 1; halt"),
            "1:19: expected an integer; register 'a' holds the double 1.5");
  EXPECT_EQ(failure_of("x: a := 1; b := a +. 1.5; halt"),
            "1:17: expected a double; register 'a' holds the number 1");
  EXPECT_EQ(failure_of("x: a := 1.5; if-jump a, x; halt"),
            "1:22: expected an integer; register 'a' holds the double 1.5");
  EXPECT_EQ(failure_of(".data d = 1.5\nx: a := 1; mem[d] := a; halt"),
            "2:22: expected a double; register 'a' holds the number 1");
  EXPECT_EQ(failure_of(".data d = 1\nx: a := 1.0; mem[d] := a; halt"),
            "2:24: expected an integer; register 'a' holds the double 1.0");
  EXPECT_EQ(failure_of(".extern labs(int) -> int\nx: a := 1.0; a := call labs(a); halt"),
            "2:29: expected an integer; register 'a' holds the double 1.0");
}

TEST(Machine, NamesTheLineOfAFailure) {
  EXPECT_EQ(failure_of("x: a := 0\n  b := 7 / a; halt"), "2:12: division of 7 by zero");
  EXPECT_EQ(failure_of("x: a := 0\n  b := 7 % a; halt"), "2:12: division of 7 by zero");
  EXPECT_EQ(failure_of(".data d = 1, 2\nx: a := mem[d + 2]; halt"),
            "2:4: address 2 is outside the heap, which has 2 cells");
  EXPECT_EQ(failure_of(".data d = 1, 2\nx: mem[d - 1] := 3; halt"),
            "2:4: address -1 is outside the heap, which has 2 cells");
  EXPECT_THAT(failure_of("x: sfree 1; halt"), StartsWith("1:4: the task has no stack"));
  EXPECT_THAT(failure_of("x: sp := snew; sfree 1; halt"), StartsWith("1:16: stack underflow"));
  EXPECT_EQ(failure_of("x: a := 3; jump a"), "1:17: expected a label; register 'a' holds the number 3");
  EXPECT_EQ(failure_of("x: a := x; b := a + 1; halt"),
            "1:17: expected a number; register 'a' holds the label 'x'");
  EXPECT_EQ(failure_of("x: t := 1; if-jump t, y; a := 1; jump y\ny: halt"), "");
  EXPECT_EQ(failure_of("x: t := 0; if-jump t, y; a := 1; jump y\ny: b := a; halt"),
            "2:9: register 'a' is read, but this path has not written it");
}

TEST(Machine, NamesTheMisuseOfARecord) {
  EXPECT_EQ(failure_of("x: a := 3; join a"), "1:17: expected a join record; register 'a' holds the number 3");
  EXPECT_EQ(failure_of("x: j := jralloc e; join j\ne: [jtppt assoc; {}; e] join j"),
            "2:25: join on a record that has been left already: all its tasks have joined");
  EXPECT_EQ(failure_of("x: j := jralloc e; k := jralloc e; join j\ne: [jtppt assoc; {}; e] halt"),
            "1:36: join on a record while a later one of the task is still open: join that first");
  // The child has part in k only.
  EXPECT_EQ(failure_of("x: j := jralloc e; k := jralloc e; fork k, y; join k\n"
                       "y: join j\n"
                       "e: [jtppt assoc; {}; x] halt"),
            "2:4: join on a record that the task has no part in");
  EXPECT_EQ(failure_of("x: j := jralloc e; k := jralloc e; fork k, y; join k\n"
                       "y: fork j, y; join k\n"
                       "e: [jtppt assoc; {}; x] halt"),
            "2:4: the task has no part in this join record, so that it cannot fork under it");
  EXPECT_THAT(failure_of("x: l := y; j := jralloc l; halt\ny: halt"), HasSubstr("'y' is no join target"));
}

// Catches arguments in another order, results that are cut to 32 bits, and a result that is kept although there is none.
TEST(Machine, CallsCFunctions) {
  EXPECT_EQ(answer(loaded(".output a\n.extern labs(int) -> int\nx: a := call labs(-5000000000); halt")),
            "a = 5000000000\n");
  EXPECT_EQ(answer(loaded(".output a\n.extern labs(int) -> int\n.extern srand48(int)\n"
                          "x: b := -3; a := call labs(b); a := a + 1; call labs(7); call srand48(1); halt")),
            "a = 4\n");
}

TEST(Machine, NamesAFunctionThatNobodyHas) {
  try {
    loaded(".extern nobody_has_this(int) -> int\nx: halt");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("test.tpal:1: there is no function 'nobody_has_this'; name"));
  }
}

// Catches a machine that hangs.
TEST(Machine, StopsWhenTheFuelIsUsedUp) {
  const image start = loaded("x: a := 1; jump y\ny: [prppt h] jump y\nh: jump y");
  settings how = beating(0);
  how.fuel = 1000;
  EXPECT_THAT(failure_of(start, how), HasSubstr("no halt after 1000 instructions"));
  EXPECT_THROW(run_on_workers(start, how, 2), run_error);
}

// Catches beats that come too soon. Each of them is paid for by more than `heart` instructions of one task.
TEST(Machine, BeatsAreApart) {
  for (const std::uint64_t heart : {0U, 1U, 7U, 40U}) {
    const result r = run(loaded_file("prod", {"a=500", "b=3"}), beating(heart, 1));
    EXPECT_LE(r.done.beats * (heart + 1), r.done.work) << heart;
    EXPECT_GT(r.done.forks, 0U) << heart;
  }
}

// Catches a handler that is entered again and again without the loop going on: this one finds nothing to promote.
TEST(Machine, HandlersLetTheTaskGoOn) {
  const image start = loaded(".output a\nx: a := 9; jump y\ny: [prppt h] if-jump a, z; a := a - 1; jump "
                             "y\nh: t := 1; t := 2; jump y\nz: halt");
  settings how = beating(0);
  how.fuel = 1000;
  EXPECT_EQ(answer(start, how), "a = 0\n");
}

// Catches a machine whose runs cannot be repeated, and one whose seed changes nothing.
TEST(Machine, TheSeedDecidesTheRun) {
  // Two tasks store to the same cell: the later one wins.
  const image start = loaded(
      ".zero d = 1\n.output d\nx: j := jralloc e; fork j, y; mem[d] := 1; join j\ny: mem[d] := 2; join j\n"
      "e: [jtppt assoc; {}; m] halt\nm: join j");
  std::vector<int> seen(3);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const std::string once = answer(start, beating({}, seed));
    EXPECT_EQ(once, answer(start, beating({}, seed)));
    ++seen[once == "d = 1\n" ? 1 : 2];
  }
  EXPECT_GT(seen[1], 0);
  EXPECT_GT(seen[2], 0);
}

// Digits in the order of the combinations: the parent's, then its children's.
std::string digits(std::string_view policy) {
  return fmt::format(R"(.output r
main: j := jralloc e; r := 1; scale := 10
  own := r; r := 4; fork j, child; r := 3; fork j, child; r := 2; fork j, child; r := own
  join j
child: join j
e: [jtppt {}; {{r -> r2}}; c] halt
c: r := r * 10; r := r + r2; join j
)",
                     policy);
}

// Catches a join resolution that combines in the order of arrival where the serial order is asked for.
TEST(Joins, AssocKeepsTheOrder) {
  const image start = loaded(digits("assoc"));
  for (std::uint64_t seed = 0; seed < 50; ++seed) EXPECT_EQ(answer(start, beating({}, seed)), "r = 1234\n");
  EXPECT_EQ(outputs(start, run_on_workers(start, beating({}), 2)), "r = 1234\n");
}

// Catches one that waits for a certain child though any will do; and shows that the test above can fail.
TEST(Joins, AssocCommTakesWhoeverArrives) {
  const image start = loaded(digits("assoc-comm"));
  std::vector<std::string> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) seen.push_back(answer(start, beating({}, seed)));
  EXPECT_THAT(seen, testing::Contains("r = 1423\n"));
  EXPECT_THAT(seen, testing::Contains("r = 1432\n"));
}

// Catches registers of the child that reach the parent though nothing maps them, and a parent's stack that is lost where the
// child is the last to join.
TEST(Joins, TheParentKeepsItsRegistersAndStack) {
  const image start = loaded(R"(.output a, b, s
main: sp := snew; salloc 1; mem[sp + 0] := 77; j := jralloc e; a := 1; b := 1; fork j, child; join j
child: a := 2; b := 2; n := 50; jump wait
wait: n := n - 1; if-jump n, done; jump wait
done: sp := snew; join j
e: [jtppt assoc; {b -> b}; c] s := mem[sp + 0]; halt
c: join j
)");
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    EXPECT_EQ(answer(start, beating({}, seed)), "a = 1\nb = 2\ns = 77\n");
  }
}

// Catches a child that shares its parent's stack.
TEST(Forks, TheChildHasNoStack) {
  EXPECT_THAT(
      failure_of("x: sp := snew; salloc 1; j := jralloc e; fork j, y; join j\ny: a := mem[sp + 0]; join j\n"
                 "e: [jtppt assoc; {}; e] halt"),
      HasSubstr("2:4: the task has no stack"));
}

// Catches a span that counts both branches, or neither.
TEST(Machine, TheSpanIsTheLongestPath) {
  // main 4 to its fork; the child has 1, the parent 5 until both have joined; then 1 and 1 to the halt.
  const result r =
      run(loaded("x: a := 1; b := 2; j := jralloc e; fork j, y; a := 1; a := 1; a := 1; a := 1; join j\n"
                 "y: join j\ne: [jtppt assoc; {}; m] halt\nm: join j"),
          beating({}));
  EXPECT_EQ(r.span, 11U);
  EXPECT_EQ(r.done.work, 12U);
  EXPECT_EQ(r.done.forks, 1U);
}

}  // namespace
}  // namespace tpal

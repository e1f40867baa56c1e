// SPDX-License-Identifier: Apache-2.0
// The stack in native code: it answers as the machine's, and tells each misuse that the machine tells.
#include "tests/tpal/native_support.hpp"
#include "tests/tpal/random_stacks.hpp"

namespace tpal {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Whether the case is an error, which then is one of the same line in native code.
bool native_like_machine(const program& p, const std::string& executable, int what) {
  const image start = load(p, {fmt::format("what={}", what)});
  const outcome o = shell(fmt::format("{} what={} --heart 0 --workers 1", executable, what));
  const std::string failure = failure_of(start);
  if (failure.empty()) {
    EXPECT_THAT(o.output, StartsWith(answer(start))) << what;
    return false;
  }
  EXPECT_EQ(o.status, 1) << what;
  EXPECT_THAT(o.output, StartsWith("test.tpal:" + failure.substr(0, failure.find(':')) + ": error: "))
      << what << ": " << failure;
  return true;
}

// Misuse of the stack and of marks, one a case; case 0 has none.
constexpr const char* misuse = R"(.input what, n = 3
.output a
main:
  a := 7
  t := what = 1; if-jump t, no-stack
  t := what = 2; if-jump t, no-stack-read
  t := what = 3; if-jump t, no-stack-pop
  t := what = 17; if-jump t, no-stack-none
  t := what = 18; if-jump t, no-stack-freed
  t := what = 19; if-jump t, no-stack-empty
  sp := snew
  t := what = 4; if-jump t, underflow
  t := what = 5; if-jump t, empty-read
  t := what = 6; if-jump t, empty-pop
  t := what = 7; if-jump t, empty-push
  t := what = 8; if-jump t, no-mark
  t := what = 9; if-jump t, mark-freed
  t := what = 10; if-jump t, mark-older
  t := what = 11; if-jump t, mark-twice
  t := what = 20; if-jump t, mark-left
  t := what = 12; if-jump t, wrong-pop
  t := what = 13; if-jump t, negative
  t := what = 14; if-jump t, renewed
  t := what = 15; if-jump t, split-popped
  t := what = 16; if-jump t, good
  salloc 3; a := mem[sp + n]; halt
no-stack: salloc 1; halt
no-stack-none: salloc 0; halt
no-stack-freed: sfree 0; halt
no-stack-empty: a := prmempty; halt
no-stack-read: a := mem[sp + 0]; halt
no-stack-pop: prmpop mem[sp + 0]; halt
underflow: salloc 2; sfree 3; halt
empty-read: salloc 2; sfree 1; a := mem[sp + 1]; halt
empty-pop: prmpop mem[sp + 0]; halt
empty-push: prmpush mem[sp + 0]; halt
no-mark: a := prmsplit; halt
mark-freed: salloc 2; prmpush mem[sp + 1]; sfree 1; sfree 1; halt
mark-older: salloc 3; prmpush mem[sp + 1]; prmpush mem[sp + 2]; halt
mark-left: salloc 4; prmpush mem[sp + 3]; prmpush mem[sp + 1]; prmpop mem[sp + 1]; sfree 4; halt
mark-twice: salloc 3; prmpush mem[sp + 1]; prmpush mem[sp + 1]; halt
wrong-pop: salloc 3; prmpush mem[sp + 1]; prmpop mem[sp + 2]; halt
negative: n := 0 - n; salloc n; halt
renewed: salloc 1; prmpush mem[sp + 0]; sp := snew; halt
split-popped: salloc 2; prmpush mem[sp + 1]; a := prmsplit; prmpop mem[sp + 1]; halt
good:
  salloc 3; prmpush mem[sp + 2]; prmpush mem[sp + 0]; a := prmsplit; t := prmempty; a := a * 10; a := a + t
  prmpop mem[sp + 0]; t := prmempty; a := a * 10; a := a + t; sfree 3
  salloc n; mem[sp + 2] := a; sfree n; salloc 2; prmpush mem[sp + 1]; a := prmsplit; b := mem[sp + 1]; a := a + b; halt
)";

// Catches cells that are read outside the stack, marks that are taken for others, and lines that are another check's.
TEST(NativeStack, TellsMisuseAsTheMachineDoes) {
  const folder here;
  const program p = assemble(misuse, "test.tpal");
  build(p, here.file("misuse"), tools_here);
  for (int what = 0; what < 21; ++what) {
    EXPECT_EQ(native_like_machine(p, here.file("misuse"), what), what != 16) << what;
  }
}

// Catches a check that is left out, or a cell that is not made zero, because of what holds on one of the paths only, or held
// before cells were freed.
TEST(NativeStack, DoesAsTheMachineInRandomPrograms) {
  const folder here;
  toolchain quick = tools_here;
  quick.compiler += " -O1 -g0";
  for (const bool jumps_to_registers : {false, true}) {
    constexpr int cases = 80;
    const random_stacks what{.seed = 7, .cases = cases, .jumps_to_registers = jumps_to_registers};
    const program p = assemble(what.source(), "test.tpal");
    build(p, here.file("stacks"), quick);
    int errors = 0;
    int answers = 0;
    for (int k = 0; k < cases; ++k) {
      const std::string failure = failure_of(load(p, {fmt::format("what={}", k)}));
      // Native code does not check what a cell holds.
      if (failure.find("holds a promotion-ready mark") != std::string::npos) continue;
      ++(native_like_machine(p, here.file("stacks"), k) ? errors : answers);
    }
    EXPECT_GT(errors, cases / 10);
    EXPECT_GT(answers, cases / 10);
  }
}

// Each case comes to one block by two ways, of which the second one has less on its stack, or an older mark. The first way is the
// one that is taken before, so that the block works once.
constexpr const char* two_ways = R"(.input what
.output a
main:
  a := 0; n := 1000; sp := snew
  t := what = 0; if-jump t, beats
  t := what = 1; if-jump t, forks
  t := what = 2; if-jump t, child-joins
  t := what = 3; if-jump t, label
  t := what = 4; if-jump t, middle
  t := what = 5; if-jump t, marks
  t := what = 6; if-jump t, split
  t := what = 7; if-jump t, question
  halt

beats: salloc 3; jump many
many: [prppt beat]
  if-jump n, few
  x := mem[sp + 2]; n := n - 1; jump many
few: sfree 2; jump beaten
beaten: [prppt beat]
  n := n + 1; jump beaten
beat:
  b := mem[sp + 0]
  x := mem[sp + 2]; jump many

forks: salloc 2; j := jralloc forked; fork j, both; jump both
both:
  b := 0
  x := mem[sp + 1]
  join j
forked: [jtppt assoc; {}; forked-add] halt
forked-add: join j

child-joins: salloc 2; j := jralloc joined; fork j, with-one; y := mem[sp + 1]; join j
with-one: sp := snew; salloc 1; k := jralloc inner; fork k, with-none; y := mem[sp + 0]; join k
with-none: sp := snew; join k
inner: [jtppt assoc; {}; inner-add]
  x := mem[sp + 1]; join j
inner-add: join k
joined: [jtppt assoc; {}; joined-add] halt
joined-add: join j

label: salloc 2; to := second; back := second; jump read
read: x := mem[sp + 1]; sfree 1; jump to
second: x := mem[sp + 0]; sfree 1; jump back

middle: salloc 4; jump shrinks
shrinks:
  x := mem[sp + 3]
  t := n = 997; if-jump t, less
  n := n - 1; jump shrinks
less: sfree 1; jump shrinks

marks: salloc 4; prmpush mem[sp + 3]; jump again
again: prmpush mem[sp + 2]; prmpop mem[sp + 2]; n := n - 1
  t := n = 990; if-jump t, newer
  jump again
newer: prmpush mem[sp + 1]; jump again

question: salloc 4; jump asks
asks:
  x := mem[sp + 1]; sfree 2
  x := mem[sp + 0]; jump asks

split: salloc 2; prmpush mem[sp + 1]; prmpush mem[sp + 0]; x := prmsplit; sfree 1; a := 1; halt
)";

// Catches checks that are left out in a handler, a child, a combining block or behind a jump to a register, where less is certain
// than on the way that is seen first.
TEST(NativeStack, ChecksWhatHoldsOnOneOfTwoWays) {
  const folder here;
  const program p = assemble(two_ways, "test.tpal");
  build(p, here.file("ways"), tools_here);
  for (int what = 0; what < 8; ++what) {
    const image start = load(p, {fmt::format("what={}", what)});
    const std::string failure = failure_of(start, beating(100));
    ASSERT_NE(failure, "") << what;
    const outcome o = shell(fmt::format("{} what={} --heart 20 --workers 1", here.file("ways"), what));
    EXPECT_EQ(o.status, 1) << what;
    EXPECT_THAT(o.output, StartsWith("test.tpal:" + failure.substr(0, failure.find(':')) + ": error: "))
        << what << ": " << failure;
  }
}

// Each case reads a cell that nobody has stored to since it was allocated, in another way.
constexpr const char* zeros = R"(.input what, n = 1
.output a
main:
  a := 0; sp := snew; salloc 8
  mem[sp] := 77; mem[sp + 1] := 77; mem[sp + 2] := 77; mem[sp + 3] := 77
  mem[sp + 4] := 77; mem[sp + 5] := 77; mem[sp + 6] := 77; mem[sp + 7] := 77
  sfree 8
  t := what = 0; if-jump t, register
  t := what = 1; if-jump t, freed
  t := what = 2; if-jump t, one-way
  t := what = 3; if-jump t, label
  t := what = 4; if-jump t, marked
  t := what = 5; if-jump t, taken
  t := what = 6; if-jump t, parent
  t := what = 7; if-jump t, some
  halt

register: salloc 3; mem[sp + 0] := 5; a := mem[sp + n]; halt
freed: salloc 3; sfree 1; mem[sp + 0] := 5; a := mem[sp + 1]; halt
one-way: salloc 2; t := n = 1; if-jump t, reads; mem[sp + 1] := 5; jump reads
reads: a := mem[sp + 1]; halt
label: salloc 2; mem[sp + 0] := 5; to := returns; jump to
returns: sfree 1; a := mem[sp + 0]; halt
marked: salloc 2; prmpush mem[sp + 1]; prmpop mem[sp + 1]; a := mem[sp + 1]; halt
taken: salloc 2; prmpush mem[sp + 1]; m := prmsplit; a := mem[sp + m]; halt
parent: salloc 2; j := jralloc joined; fork j, child; join j
child: join j
add: join j
joined: [jtppt assoc; {}; add] a := mem[sp + 1]; halt
some: salloc 3; mem[sp + 0] := 5; salloc n; a := mem[sp + 3]; halt
)";

// Catches a zero that is left out although something reads it: the cells were used before.
TEST(NativeStack, AllocatesZeros) {
  const folder here;
  const program p = assemble(zeros, "test.tpal");
  build(p, here.file("zeros"), tools_here);
  for (int what = 0; what < 8; ++what) {
    EXPECT_FALSE(native_like_machine(p, here.file("zeros"), what)) << what;
  }
}

// Catches a number that is taken for the label of a block which expects more of the stack than the jump can promise.
TEST(NativeStack, NumbersLeadToLabelsOfValuesOnly) {
  const folder here;
  build(assemble(R"(.input to, l = 0
.output a
main: sp := snew; salloc 1; a := 0; if-jump l, go; l := value; jump go
go: jump to
value: a := 1; halt
deep: a := mem[sp + 5]; halt
deeper: salloc 6; jump deep
)",
                 "test.tpal"),
        here.file("numbers"), tools_here);
  EXPECT_THAT(shell(here.file("numbers") + " to=0").output, StartsWith("a = 1\n"));
  for (const int to : {-1, 1, 2, 3, 4, 5}) {
    EXPECT_THAT(shell(fmt::format("{} to={}", here.file("numbers"), to)).output,
                StartsWith("test.tpal:4: error: this leads to what is no label"));
  }
}

// Catches cells and marks that are lost, or point to where they were, when a stack grows; and marks that are promoted in another
// order, or twice.
TEST(NativeStack, Grows) {
  const folder here;
  // The sum of 1 to n, by a recursion whose second part, which a beat takes, is the number itself.
  const program p = assemble(R"(.input n
.output f
main:
  sp := snew; salloc 1; mem[sp + 0] := done; jump sum
done: halt
sum: [prppt split]
  if-jump n, leaf
  salloc 3; mem[sp + 0] := back; mem[sp + 1] := n; prmpush mem[sp + 2]; n := n - 1; jump sum
leaf:
  f := 0; to := mem[sp + 0]; jump to
back:
  prmpop mem[sp + 2]; n := mem[sp + 1]; f := f + n; jump return
return:
  sfree 3; to := mem[sp + 0]; jump to
split:
  t := prmempty; if-jump t, sum
  mark := prmsplit; jr := jralloc joined; mem[sp + mark] := jr
  at := mark - 2; mem[sp + at] := first-done
  at := mark - 1; m := mem[sp + at]
  own := n; n := m; fork jr, child; n := own; jump sum
child:
  f := n; join jr
first-done:
  jr := mem[sp + 2]; join jr
add:
  f := f + f2; join jr
joined: [jtppt assoc-comm; {f -> f2}; add]
  jump return
)",
                             "sum.tpal");
  build(p, here.file("sum"), tools_here);
  for (const int heart : {0, 100, 20}) {
    for (const int workers : {1, 2}) {
      EXPECT_THAT(
          shell(fmt::format("{} n=1000000 --heart {} --workers {}", here.file("sum"), heart, workers)).output,
          StartsWith("f = 500000500000\n"));
    }
  }
  EXPECT_THAT(shell(here.file("sum") + " n=10000000").output, HasSubstr("sum.tpal:8: error: stack overflow"));
}

// Catches a limit that depends on how the stack has grown: here its room was never a power of two.
TEST(NativeStack, EndsAtTheMachinesLimit) {
  const folder here;
  build(assemble(R"(.input n
.output a
main: sp := snew; cells := 5000; a := 0; jump more
more: if-jump n, end
  salloc cells; n := n - 1; a := a + 1; jump more
end: halt
)",
                 "test.tpal"),
        here.file("limit"), tools_here);
  EXPECT_THAT(shell(here.file("limit") + " n=3355").output, StartsWith("a = 3355\n"));
  EXPECT_THAT(shell(here.file("limit") + " n=3356").output, HasSubstr("test.tpal:5: error: stack overflow"));
}

}  // namespace
}  // namespace tpal

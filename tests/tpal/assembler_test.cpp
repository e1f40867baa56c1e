// SPDX-License-Identifier: Apache-2.0
// From text to programs, and what is said of bad ones.
#include "tests/tpal/support.hpp"
#include "tools/tpal/liveness.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace tpal {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Catches a grammar that strays from the paper's: this is Fig. 2 of Rainey et al., 2021, as printed, with the annotations filled in. Only the
// line of inputs is added.
constexpr std::string_view figure_2 = R"(.input a, b
prod: [·] // computes c = a * b
  r := 0; jump loop
exit: [jtppt assoc-comm; {r ↦ r2}; comb]
  c := r; halt
loop: [prppt loop-try-promote]
  if-jump a, exit;
  r := r + b; a := a - 1;
  jump loop
loop-try-promote: [·]
  t := a < 2; if-jump t, loop;
  jr := jralloc exit;
  jump loop-promote
loop-par-try-promote: [·]
  t := a < 2; if-jump t, loop-par;
  jump loop-promote
loop-promote: [·]
  m := a / 2; n := a % 2; a := m;
  tr := r; r := 0;
  fork jr, loop-par;
  a := m + n; r := tr;
  jump loop-par
loop-par: [prppt loop-par-try-promote]
  if-jump a, exit-par;
  r := r + b; a := a - 1;
  jump loop-par
comb : [·]
  r := r + r2; join jr
exit-par: [·]
  join jr
)";

TEST(Assembler, TakesThePapersFigure) {
  const program p = assemble(figure_2, "figure");
  ASSERT_EQ(p.blocks.size(), 9U);
  EXPECT_EQ(p.blocks[1].note.is, annotation::kind::join_target);
  EXPECT_EQ(p.blocks[1].note.policy, join_policy::assoc_comm);
  EXPECT_EQ(p.blocks[p.blocks[1].note.block].name, "comb");
  EXPECT_EQ(p.blocks[p.blocks[2].note.block].name, "loop-try-promote");
  EXPECT_THAT(answer(load(p, {"a=123", "b=7"}), beating(20)), HasSubstr("c = 861\n"));
}

// Catches checks that look at handlers which no annotation leads to: emptied annotations leave a serial program.
TEST(Assembler, TakesTheFigureWithEmptyAnnotations) {
  std::string text(figure_2);
  for (const std::string_view note : {"jtppt assoc-comm; {r ↦ r2}; comb", "prppt loop-try-promote"}) {
    text.replace(text.find(note), note.size(), "·");
  }
  const image start = loaded(text, {"a=123", "b=7"});
  const result r = run(start, beating(20));
  EXPECT_THAT(outputs(start, r), HasSubstr("c = 861\n"));
  EXPECT_EQ(r.done.beats, 0U);
  EXPECT_EQ(r.done.work, run(loaded(figure_2, {"a=123", "b=7"}), beating({})).done.work);
}

// Catches hyphens that end names, or that a difference is read as a name where it is none.
TEST(Assembler, TellsHyphensFromMinus) {
  EXPECT_EQ(answer(loaded(".output c\nx: a-b := 5; c := a-b - 2; c := c -1; halt")), "c = 2\n");
  EXPECT_THAT(complaints_of(".input a\nx: b := a-1; halt"), HasSubstr("put spaces around the minus"));
}

TEST(Assembler, ReadsNumbersUpToTheirLimits) {
  EXPECT_EQ(answer(loaded(
                ".output a, b, c\nx: a := -9223372036854775808; b := 0xff; c := 9223372036854775807; halt")),
            "a = -9223372036854775808\nb = 255\nc = 9223372036854775807\n");
  EXPECT_THAT(complaints_of("x: a := 9223372036854775808; halt"),
              HasSubstr("1:9: 9223372036854775808 does not fit"));
  EXPECT_THAT(complaints_of("x: a := 99999999999999999999; halt"), HasSubstr("does not fit"));
  EXPECT_THAT(complaints_of("x: a := 12z; halt"), HasSubstr("expected a number, found '12z'"));
}

// Catches an assembler that stops at the first error, or lets one error cause others.
TEST(Assembler, TellsAllErrorsAtOnce) {
  EXPECT_EQ(complaints_of("x: [prppt nope]\n"
                          "  b := ;\n"
                          "  fork 3, x\n"
                          "  jump jump\n"
                          "  c := 7 ? 3\n"
                          "y [.]\n"
                          "  .inputs a\n"
                          "  halt\n"),
            "1:11: there is no label 'nope'\n"
            "2:8: expected a register, a number or a label, found ';'\n"
            "3:8: expected a register with a join record, found '3'\n"
            "4:8: expected a register, a number or a label, found 'jump'\n"
            "5:10: '?' means nothing here\n"
            "5:12: expected an operator, ';' or the end of the line, found '3'\n"
            "6:3: expected ':=' after the register, found '['\n"
            "7:3: there is no directive '.inputs': expected .input, .output, .data, .zero or .extern\n");
}

TEST(Assembler, NamesWhatItExpectedAndFound) {
  EXPECT_EQ(complaints_of("x: [jtppt comm; {}; x] halt"),
            "1:11: expected 'assoc' or 'assoc-comm', found 'comm'\n");
  EXPECT_EQ(complaints_of("x: [jtppt assoc; {r r2}; x] halt"),
            "1:21: expected '->' and the parent's register, found 'r2'\n");
  EXPECT_EQ(complaints_of("x: [prppt x halt"), "1:13: expected ']' at the annotation's end, found 'halt'\n");
  EXPECT_EQ(complaints_of("x: a := mem[sp + 0; halt"), "1:19: expected ']' after the address, found ';'\n");
  EXPECT_EQ(complaints_of("x: halt; y: a :="),
            "1:17: expected a register, a number or a label, found the end of the line\n");
  EXPECT_EQ(complaints_of("  halt"), "1:3: expected a label before the first instruction, 'label: [.]'\n");
  EXPECT_EQ(complaints_of("// nothing"),
            "1:11: expected a block, 'label: [.] ...', found the end of the file\n");
  EXPECT_THAT(complaints_of("x: a := sp; halt"), HasSubstr("found 'sp'"));
  EXPECT_THAT(complaints_of("x: x := 3; halt"), HasSubstr("not a label, found 'x'"));
  EXPECT_THAT(complaints_of("x: a := #x; halt"), HasSubstr("expected data, which '#' counts the cells of"));
}

TEST(Assembler, DefinesNamesOnce) {
  EXPECT_THAT(complaints_of("x: halt\nx: halt"), StartsWith("2:1: 'x' is defined already, in line 1"));
  EXPECT_THAT(complaints_of(".data x = 1\nx: halt"), StartsWith("2:1: 'x' is defined already, in line 1"));
  EXPECT_THAT(complaints_of("halt: halt"), StartsWith("1:1: 'halt' is an instruction's word"));
}

// Catches a mark under the wrong column, above all behind characters of several bytes.
TEST(Assembler, ShowsTheLine) {
  try {
    assemble("x: [·] jump 3\n", "f.tpal");
    FAIL();
  } catch (const program_error& error) {
    EXPECT_STREQ(error.what(), "f.tpal:1:14: error: expected a label, or a register that has one\n"
                               "  x: [·] jump 3\n"
                               "              ^\n");
  }
}

// Catches registers that native code would drop at a fork or a join although somebody reads them later, and ones that it keeps for
// nobody.
TEST(Liveness, FollowsForksJoinsAndBeats) {
  const program p = assemble_file(TPAL_PROGRAMS "/prod.tpal");
  const liveness live(p);
  const auto names = [&p](const liveness::set& s) {
    std::set<std::string> found;
    for (std::size_t r = 0; r < s.size(); ++r) {
      if (s[r]) found.insert(p.registers[r]);
    }
    return found;
  };
  const auto at = [&](const std::string& name) {
    const auto found =
        std::find_if(p.blocks.begin(), p.blocks.end(), [&](const block& b) { return b.name == name; });
    return names(live.at({operand::kind::label, found - p.blocks.begin()}));
  };
  using registers = std::set<std::string>;
  EXPECT_EQ(at("prod"), (registers{"a", "b"}));
  EXPECT_EQ(at("loop"), (registers{"a", "b", "r"}));  // jr is written where the handler needs it
  EXPECT_EQ(at("loop-par"), (registers{"a", "b", "r", "jr"}));
  EXPECT_EQ(at("comb"), (registers{"r", "r2", "jr"}));
  EXPECT_EQ(names(live.at_halt()), (registers{"c"}));
  EXPECT_EQ(names(live.before_join()), (registers{"r", "jr"}));     // r2 is the child's r
  EXPECT_EQ(names(live.at({operand::kind::reg, 0})), registers{});  // no label is a value
}

// Catches calls that do not fit their declaration, which native code would make all the same.
TEST(Check, CallsFitTheirDeclarations) {
  const std::string declared = ".extern f(int, int) -> int\n.extern g()\n";
  EXPECT_EQ(complaints_of(declared + "x: a := call f(1, 2); call g(); call f(a, a); halt"), "");
  EXPECT_EQ(complaints_of(declared + "x: a := call f(1); halt"),
            "3:4: 'f' takes 2 arguments, as line 1 says, not 1\n");
  EXPECT_EQ(complaints_of(declared + "x: a := call g(); halt"),
            "3:4: 'g' returns nothing, as line 2 says; say 'call g(...)' alone\n");
  EXPECT_EQ(complaints_of(declared + "x: call f(1, x); halt"),
            "3:14: expected a number or a register, not a label\n");
  EXPECT_EQ(complaints_of(declared + "x: call h(); halt"),
            "3:9: expected a function that .extern declares, found 'h'\n");
  EXPECT_EQ(
      complaints_of(declared + "x: a := f; halt"),
      "3:9: expected a register, a number or a label, not a function; to call it, say 'call', found 'f'\n");
  EXPECT_EQ(complaints_of(".extern f(long)\nx: halt"),
            "1:11: expected a type, int or double, found 'long'\n");
  EXPECT_EQ(complaints_of(".extern a-b()\nx: halt"),
            "1:9: 'a-b' is no name of a C function: it has a hyphen\n");
  EXPECT_THAT(complaints_of(".extern f()\n.extern f()\nx: halt"), HasSubstr("'f' is defined already"));
  EXPECT_THAT(complaints_of(".extern f(int, int, int, int, int, int, int)\nx: halt"),
              HasSubstr("6 are possible"));
}

// Catches a double that is half of a range or an integer, and types that a program says and does not keep.
TEST(Check, DoublesAreNoIntegers) {
  EXPECT_EQ(
      complaints_of("x: a := 1 + 1.5; halt"),
      "1:13: expected an integer, not a double; doubles have '+.', '<.' and the like, and 'int' converts\n");
  EXPECT_EQ(complaints_of("x: a := 1 +. 1.5; halt"),
            "1:9: expected a double, not an integer; a double has a point, 2.0, and 'double' converts\n");
  EXPECT_THAT(complaints_of("x: salloc 1.5; halt"), HasSubstr("1:11: expected an integer"));
  EXPECT_EQ(complaints_of(".data d = 1.5, 2\nx: halt"), "1:16: expected a double, such as 2.0, found '2'\n");
  EXPECT_EQ(complaints_of(".data d = 1, 2.5\nx: halt"),
            "1:14: expected a number without a point, found '2.5'\n");
  EXPECT_EQ(complaints_of(".input d : double = 1\nx: halt"),
            "1:21: expected a double, such as 2.0, found '1'\n");
  EXPECT_EQ(complaints_of(".input d : real\nx: halt"),
            "1:12: expected a type, int or double, found 'real'\n");
  EXPECT_EQ(complaints_of("x: a := 1e999; halt"), "1:9: 1e999 is no double: it is too large or too small\n");
  EXPECT_THAT(complaints_of("x: a := 1.5x; halt"), HasSubstr("expected a number, found '5x'"));
  EXPECT_EQ(complaints_of(".data d = 1..3, 4 .. 5\n.data e = 1.0\nx: halt"), "");
  EXPECT_THAT(complaints_of(".input n : double\n.zero d = n\nx: halt"),
              HasSubstr("must be known from the start"));
}

TEST(Check, BlocksEnd) {
  EXPECT_THAT(complaints_of("x: a := 1"),
              StartsWith("1:1: block 'x' does not end: expected jump, halt or join"));
  EXPECT_THAT(complaints_of("x:\ny: halt"), StartsWith("1:1: block 'x' does not end"));
  EXPECT_THAT(complaints_of("x: halt; a := 1; halt"), StartsWith("1:10: nothing leads here"));
}

// Catches records that could never go on.
TEST(Check, ContinuationsAreJoinTargets) {
  EXPECT_THAT(complaints_of("x: j := jralloc y; join j\ny: halt"),
              StartsWith("1:17: 'y' is where the join record goes on, but is no join target"));
  EXPECT_THAT(complaints_of("x: [prppt h] jump x\nh: [prppt h] halt"),
              HasSubstr("cannot be promotion-ready itself"));
  EXPECT_THAT(complaints_of("x: [jtppt assoc; {a -> b, c -> b}; x] halt"),
              HasSubstr("1:27: register 'b' would receive two values"));
}

TEST(Check, OperandsAreOfTheirKinds) {
  EXPECT_THAT(complaints_of("x: jump 3"), HasSubstr("expected a label, or a register that has one"));
  EXPECT_THAT(complaints_of("x: join x"), HasSubstr("expected a register with a join record"));
  EXPECT_THAT(complaints_of("x: a := x + 1; halt"), HasSubstr("not a label"));
  EXPECT_THAT(complaints_of("x: mem[0] := x; halt"), HasSubstr("the heap has numbers only"));
  EXPECT_THAT(complaints_of("x: sp := snew; salloc -2; halt"), HasSubstr("found less than none"));
  EXPECT_THAT(complaints_of(".output c\nx: halt"), StartsWith("1:9: nothing writes the output 'c'"));
  EXPECT_THAT(complaints_of(".input a, a\nx: halt"), HasSubstr("'a' is an input already"));
  EXPECT_THAT(complaints_of(".zero y = n\nx: n := 1; halt"), HasSubstr("must be known from the start"));
  EXPECT_THAT(complaints_of(".zero y = #z\n.data z = 1\nx: halt"), HasSubstr("must be known from the start"));
}

// Catches a misspelt label that is taken for a register, so that the message leads astray.
TEST(Check, UnknownLabelsAreCalledLabels) {
  EXPECT_EQ(complaints_of("x: jump y"),
            "1:9: there is no label 'y', nor a register of this name that has one\n");
  EXPECT_THAT(complaints_of("x: a := 0; if-jump a, out; halt"), StartsWith("1:23: there is no label 'out'"));
  EXPECT_THAT(complaints_of("x: j := jralloc don; halt"), StartsWith("1:17: there is no label 'don'"));
  EXPECT_THAT(complaints_of("x: j := jralloc e; fork j, chidl; halt\ne: [jtppt assoc; {}; e] join j"),
              StartsWith("1:28: there is no label 'chidl'"));
  EXPECT_THAT(complaints_of("x: jump y; z: y := x; jump y"), HasSubstr("1:9: register 'y' is read, but"));
}

// Catches a flow analysis that misses a way: by a handler, a fork, a join, a label in a register.
TEST(Check, RegistersAreWrittenBeforeTheyAreRead) {
  EXPECT_THAT(complaints_of("x: a := b; halt"),
              StartsWith("1:9: register 'b' is read, but nothing has written it"));
  EXPECT_THAT(complaints_of("x: a := 1; jump y\ny: b := a; c := d; halt"), StartsWith("2:17: register 'd'"));
  EXPECT_EQ(complaints_of("x: [prppt h] a := 1; jump x\nh: b := a; jump x"), "");
  EXPECT_EQ(complaints_of("x: l := y; a := 1; jump l\ny: b := a; halt"), "");
  EXPECT_EQ(complaints_of("x: j := jralloc e; a := 1; fork j, y; join j\n"
                          "y: b := a; join j\n"
                          "e: [jtppt assoc; {a -> a2}; c] b := a; halt\n"
                          "c: a := a2; join j"),
            "");
  EXPECT_THAT(complaints_of("x: j := jralloc e; join j\n"
                            "e: [jtppt assoc; {}; c] halt\n"
                            "c: a := a2; join j"),
              StartsWith("3:9: register 'a2'"));
}

TEST(Inputs, ComeFromWordsAndDefaults) {
  constexpr std::string_view text =
      ".input a, b = 4\n.data xs = 1, 2,\n  5 .. 7, -3\n.zero y = #xs * b\n.output s, xs, n\n"
      "x: s := a + b; n := #y; halt";
  EXPECT_EQ(answer(loaded(text, {"a=1"})), "s = 5\nxs = 1, 2, 5, 6, 7, -3\nn = 24\n");
  EXPECT_EQ(answer(loaded(text, {"a=1", "b=2", "xs=4,1..3"})), "s = 3\nxs = 4, 1, 2, 3\nn = 8\n");
}

TEST(Inputs, NameTheBadWord) {
  const auto complaint = [](std::vector<std::string> words) -> std::string {
    try {
      loaded(".input a\n.data xs = 1\n.zero y = a\nx: halt", words);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint({}), HasSubstr("input 'a' has no value; add a=NUMBER"));
  EXPECT_THAT(complaint({"a"}), HasSubstr("expected an input such as a=6, found 'a'"));
  EXPECT_THAT(complaint({"a=7x"}), HasSubstr("expected a number of 64 bits in 'a=7x', found '7x'"));
  EXPECT_THAT(complaint({"q=7"}), HasSubstr("'q' is no input of test.tpal, which has a, xs, y"));
  EXPECT_THAT(complaint({"a=1", "xs=5..2"}), HasSubstr("a range goes upwards"));
  EXPECT_THAT(complaint({"a=1", "xs=@/nowhere"}), HasSubstr("cannot read /nowhere: No such file"));
  EXPECT_THAT(complaint({"a=-1"}), HasSubstr("'y' would have 1 x -1 cells"));
  EXPECT_THAT(complaint({"a=9000000000"}), HasSubstr("'y' would have 1 x 9000000000 cells"));
}

}  // namespace
}  // namespace tpal

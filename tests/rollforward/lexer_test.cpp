// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/fault.hpp"
#include "tools/rollforward/lexer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace {

using rollforward::fault;
using rollforward::lex;
using rollforward::statement;
using rollforward::statement_kind;
using testing::ElementsAre;

// Catches statements that are cut at a line's end only.
TEST(rollforward_lexer, statements_end_at_semicolons_and_lines) {
  const auto s = lex("a: b: movq %rax, %rbx; ret\n\t.p2align 4,,10 # why\n");
  ASSERT_EQ(s.size(), 5U);
  EXPECT_EQ(s[0].kind, statement_kind::label);
  EXPECT_EQ(s[0].name, "a");
  EXPECT_EQ(s[1].name, "b");
  EXPECT_EQ(s[2].kind, statement_kind::instruction);
  EXPECT_THAT(s[2].operands, ElementsAre("%rax", "%rbx"));
  EXPECT_EQ(s[3].name, "ret");
  EXPECT_EQ(s[4].kind, statement_kind::directive);
  EXPECT_EQ(s[4].line, 2U);
  EXPECT_THAT(s[4].operands, ElementsAre("4", "", "10"));
}

// Catches commas, separators and comment signs that are taken for what they are outside of strings and brackets.
TEST(rollforward_lexer, strings_characters_and_brackets) {
  const auto s = lex(".ascii \"a;b#c\\\",\", \"d\"\nmovl $'#, %eax\nleaq 8(%rax,%rbx,4), %rcx");
  ASSERT_EQ(s.size(), 3U);
  EXPECT_THAT(s[0].operands, ElementsAre("\"a;b#c\\\",\"", "\"d\""));
  EXPECT_THAT(s[1].operands, ElementsAre("$'#", "%eax"));
  EXPECT_THAT(s[2].operands, ElementsAre("8(%rax,%rbx,4)", "%rcx"));
}

// Catches a comment that hides code, and lines that are not counted in one.
TEST(rollforward_lexer, comments) {
  const auto s = lex("nop /* one\n two */ ; ret # three\n/ four\nnop");
  ASSERT_EQ(s.size(), 3U);
  EXPECT_EQ(s[0].name, "nop");
  EXPECT_EQ(s[1].name, "ret");
  EXPECT_EQ(s[1].line, 2U);
  EXPECT_EQ(s[2].line, 4U);
}

// Catches prefixes that are taken for mnemonics, so that what they precede is not seen.
TEST(rollforward_lexer, prefixes) {
  const auto s = lex("lock xaddl %eax, (%rbx)\nnotrack jmp *%rax\ndata16 rex64 call f@PLT\nrep");
  ASSERT_EQ(s.size(), 4U);
  EXPECT_EQ(s[0].prefixes, "lock ");
  EXPECT_EQ(s[0].name, "xaddl");
  EXPECT_EQ(s[1].name, "jmp");
  EXPECT_EQ(s[2].prefixes, "data16 rex64 ");
  EXPECT_EQ(s[3].name, "rep");
}

// Catches a marker that is taken for a comment, in either compiler's form.
TEST(rollforward_lexer, markers) {
  const auto s = lex("#APP\n# 12 \"a.cpp\" 1\n\t# sennit_promotion_point .L6\n# 0 \"\" 2\n#NO_APP\n");
  ASSERT_EQ(s.size(), 1U);
  EXPECT_EQ(s[0].kind, statement_kind::marker);
  EXPECT_EQ(s[0].line, 3U);
  EXPECT_THAT(s[0].operands, ElementsAre(".L6", "", ""));
  EXPECT_THAT(lex("# sennit_promotion_point .L6 31\n")[0].operands, ElementsAre(".L6", "31", ""));
  EXPECT_THAT(lex("# sennit_promotion_point .L6 0 behind_latent_call")[0].operands,
              ElementsAre(".L6", "0", "behind_latent_call"));
}

TEST(rollforward_lexer, assignments_and_quoted_labels) {
  const auto s = lex("x = 3\n\"a b\": nop\n771: jmp 771b");
  ASSERT_EQ(s.size(), 5U);
  EXPECT_EQ(s[0].kind, statement_kind::assignment);
  EXPECT_EQ(s[0].name, "x");
  EXPECT_THAT(s[0].operands, ElementsAre("3"));
  EXPECT_EQ(s[1].name, "\"a b\"");
  EXPECT_EQ(s[3].kind, statement_kind::label);
}

void expect_fault(const char* text, std::size_t line, const char* what) {
  try {
    lex(text);
    ADD_FAILURE() << "no fault in " << text;
  } catch (const fault& f) {
    EXPECT_EQ(f.line(), line);
    EXPECT_THAT(f.what(), testing::HasSubstr(what));
  }
}

TEST(rollforward_lexer, faults) {
  expect_fault("nop\n.ascii \"abc\nnop", 2, "does not end");
  expect_fault("nop\n\n/* abc", 3, "does not end");
  expect_fault("# sennit_promotion_point", 1, "without a label");
}

// Catches names that are changed within registers, numbers, strings and relocations.
TEST(rollforward_lexer, symbols_of_an_expression) {
  const auto loud = [](std::string_view symbol) { return fmt::format("<{}>", symbol); };
  EXPECT_EQ(rollforward::with_symbols(".L5-.L4+8", loud), "<.L5>-<.L4>+8");
  EXPECT_EQ(rollforward::with_symbols("f@GOTPCREL(%rip), $.L3, 0x1f, 1b, \"s\"", loud),
            "<f>@GOTPCREL(%rip), $<.L3>, 0x1f, 1b, \"s\"");
}

}  // namespace

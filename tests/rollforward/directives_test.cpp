// SPDX-License-Identifier: Apache-2.0
// Each directive that may stand in a marked function, and what becomes of it in the second copy.
#include "tools/rollforward/directives.hpp"
#include "tools/rollforward/fault.hpp"
#include "tools/rollforward/rewrite.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <ostream>
#include <string>

namespace {

using rollforward::fault;
using rollforward::rewrite;
using testing::HasSubstr;
using testing::Not;

// A marked function with `body` in it.
std::string function_with(const std::string& body) {
  return fmt::format(R"(	.text
	.globl	f
	.type	f, @function
f:
.LFB0:
	.cfi_startproc
	nop
{}
	# sennit_promotion_point .L2
	ret
.L2:
	ret
	.cfi_endproc
.LFE0:
	.size	f, .-f
)",
                     body);
}

// What rollforward adds behind a file.
std::string second_copy_of(const std::string& source) {
  const std::string text = rewrite(source).text;
  return text.substr(text.find(".text.unlikely.rollforward"));
}

class copied : public testing::TestWithParam<const char*> {};

// Catches a directive that is lost, for which the second copy has other bytes or another frame than the first.
TEST_P(copied, is_in_the_second_copy) {
  EXPECT_THAT(second_copy_of(function_with(GetParam())), HasSubstr(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    rollforward_directives, copied,
    testing::Values("\t.2byte 1\n", "\t.4byte 1\n", "\t.8byte 1\n", "\t.align 8\n", "\t.ascii \"a;b\"\n",
                    "\t.asciz \"a\"\n", "\t.balign 8\n", "\t.byte 0x66\n", "\t.cfi_adjust_cfa_offset 8\n",
                    "\t.cfi_def_cfa 7, 16\n", "\t.cfi_def_cfa_offset 16\n", "\t.cfi_def_cfa_register 6\n",
                    "\t.cfi_escape 0xf,0x3,0x76,0x78,0x6\n", "\t.cfi_offset 3, -16\n",
                    "\t.cfi_personality 0x9b,DW.ref.__gxx_personality_v0\n", "\t.cfi_register 3, 4\n",
                    "\t.cfi_rel_offset 3, 0\n", "\t.cfi_remember_state\n", "\t.cfi_restore 3\n",
                    "\t.cfi_return_column 16\n", "\t.cfi_same_value 3\n", "\t.cfi_signal_frame\n",
                    "\t.cfi_undefined 3\n", "\t.cfi_val_offset 3, 0\n", "\t.hword 1\n", "\t.int 1\n",
                    "\t.long 1\n", "\t.octa 1\n", "\t.p2align 4,,10\n", "\t.quad 1\n", "\t.short 1\n",
                    "\t.sleb128 1\n", "\t.string \"a\"\n", "\t.uleb128 1\n", "\t.value 0x6666\n",
                    "\t.word 1\n", "\t.zero 3\n", "\t.skip 3\n", "\t.space 3\n", "\t.fill 3\n",
                    "\t.cfi_remember_state\n\t.cfi_restore_state\n", "\t.loc 1 2 3\n"));

class left_out : public testing::TestWithParam<const char*> {};

// Catches a symbol that is defined, or has its size given, once more; and data that is there twice.
TEST_P(left_out, is_not_in_the_second_copy) {
  EXPECT_THAT(second_copy_of(function_with(GetParam())), Not(HasSubstr(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(rollforward_directives, left_out,
                         testing::Values("\t.file 2 \"a.hpp\"\n", "\t.global f\n", "\t.globl f\n",
                                         "\t.hidden f\n", "\t.internal f\n", "\t.local f\n",
                                         "\t.protected f\n", "\t.size f, 3\n", "\t.type f, @object\n",
                                         "\t.weak f\n", "\t.section .rodata\n\t.long 77\n\t.text\n",
                                         "\t.data\n\t.long 77\n\t.text\n", "\t.bss\n\t.zero 77\n\t.text\n",
                                         "\t.pushsection .note\n\t.long 77\n\t.popsection\n",
                                         "\t.section .rodata\n\t.long 77\n\t.previous\n"));

// Catches the label of a debug view that is there twice, which no assembler takes.
TEST(rollforward_directives, a_location_loses_its_view) {
  const std::string copy = second_copy_of(function_with("\t.loc 1 2 3 is_stmt 0 view .LVU7\n"));
  EXPECT_THAT(copy, HasSubstr("\t.loc 1 2 3 is_stmt 0\n"));
  EXPECT_THAT(copy, Not(HasSubstr("view")));
}

// Catches a second copy with the first one's exception table.
TEST(rollforward_directives, an_exception_table_is_copied) {
  const std::string table = R"(	.section	.gcc_except_table,"a",@progbits
	.align 4
.LLSDA0:
	.byte	0xff
	.uleb128 .L2-.LFB0
	.text
)";
  const std::string copy = second_copy_of(function_with("\t.cfi_lsda 0x1b,.LLSDA0") + table);
  EXPECT_THAT(copy, HasSubstr("\t.cfi_lsda 0x1b,.LLSDA0.rollforward\n"));
  EXPECT_THAT(
      copy,
      HasSubstr("\n.LLSDA0.rollforward:\n\t.byte\t0xff\n\t.uleb128 .L2.rollforward-.LFB0.rollforward\n"));
}

// Catches padding whose addresses have no counterpart.
TEST(rollforward_directives, padding_is_in_the_table) {
  EXPECT_THAT(second_copy_of(function_with("\t.p2align 4")), HasSubstr("+0x80000000"));
  EXPECT_THAT(second_copy_of(function_with("")), Not(HasSubstr("+0x80000000")));
}

struct wrong {
  const char* body;
  std::size_t line;
  const char* what;
};
void PrintTo(const wrong& w, std::ostream* out) { *out << w.what; }

class refused : public testing::TestWithParam<wrong> {};

// Catches what is not understood and copied all the same, and errors that do not say where.
TEST_P(refused, with_its_line_and_name) {
  try {
    rewrite(function_with(GetParam().body));
    ADD_FAILURE() << "no fault";
  } catch (const fault& f) {
    EXPECT_EQ(f.line(), GetParam().line);
    EXPECT_THAT(f.what(), HasSubstr(GetParam().what));
  }
}

INSTANTIATE_TEST_SUITE_P(
    rollforward_directives, refused,
    testing::Values(
        wrong{"\tnop\n\t.rept 3\n\tnop\n\t.endr\n", 9, ".rept, which is in the marked function f"},
        wrong{"\t.macro m\n", 8, ".macro"}, wrong{"\t.if 1\n", 8, ".if"}, wrong{"\t.set x, 1\n", 8, ".set"},
        wrong{"\t.org 100\n", 8, ".org"}, wrong{"\t.reloc 0, R_X86_64_NONE\n", 8, ".reloc"},
        wrong{"\t.cfi_label x\n", 8, ".cfi_label"}, wrong{"\t.intel_syntax noprefix\n", 8, "AT&T"},
        wrong{"x = 1\n", 8, "assignment to x"}, wrong{"\"x y\":\n", 8, "label in quotes"},
        wrong{"\t.popsection\n", 8, "without a .pushsection"}, wrong{"\t.section\n", 8, "without the name"},
        wrong{"\t.cfi_restore_state\n", 8, "remember_state"},
        wrong{"\t.cfi_startproc\n", 8, "within another"},
        wrong{"\t.section sennit_rollforward,\"a\"\n\t.text\n", 8, "before"}));

TEST(rollforward_directives, what_is_not_known_is_nothing) {
  EXPECT_FALSE(rollforward::treatment_of(".foo"));
  EXPECT_FALSE(rollforward::treatment_of(".cfi"));
  EXPECT_EQ(rollforward::treatment_of(".2byte"), rollforward::treatment::bytes);
  EXPECT_EQ(rollforward::treatment_of(".word"), rollforward::treatment::bytes);
}

}  // namespace

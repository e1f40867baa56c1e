// SPDX-License-Identifier: Apache-2.0
#include "tools/output.hpp"
#include "tools/rollforward/command_line.hpp"
#include "tools/rollforward/fault.hpp"
#include "tools/rollforward/files.hpp"
#include "tools/rollforward/lexer.hpp"
#include "tools/rollforward/rewrite.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <ostream>
#include <string>
#include <vector>

namespace {

using rollforward::fault;
using rollforward::rewrite;
using rollforward::rewritten;
using testing::HasSubstr;
using testing::Not;

std::string marked(const std::string& name, const std::string& body,
                   const std::string& section = "\t.text\n") {
  return fmt::format(R"({0}	.type	{1}, @function
{1}:
	.cfi_startproc
	nop
	# sennit_promotion_point .L{1}9
{2}	ret
.L{1}9:
	jmp	.L{1}9
	.cfi_endproc
	.size	{1}, .-{1}
)",
                     section, name, body);
}

// Without the counts of promotion points.
std::string second_copy_in(std::string text) {
  text.erase(0, text.find(".text.unlikely.rollforward"));
  for (std::size_t at = 0; (at = text.find("\tlock incq\t.Lrollforward_point", at)) != std::string::npos;)
    text.erase(at, text.find('\n', at) + 1 - at);
  return text;
}

std::string second_copy_of(const std::string& source) { return second_copy_in(rewrite(source).text); }

// Catches a file that is changed for nothing.
TEST(rollforward_rewrite, without_a_marker_nothing_changes) {
  const std::string source = "\t.text\nf:\n\t.macro m\n\tnop\n\t.endm\n\t.intel_syntax noprefix\n\tret";
  const rewritten result = rewrite(source);
  EXPECT_EQ(result.text, source);
  EXPECT_TRUE(result.functions.empty());
}

// Catches bytes that get into the first copy: taking the labels out again leaves what was there.
TEST(rollforward_rewrite, the_first_copy_gets_labels_only) {
  const std::string source = marked("f", "\tcall\tg@PLT\n\t.p2align 4\n\tlock addl $1, x(%rip)\n");
  std::string text = rewrite(source).text;
  text.resize(text.find("\t.section\t.text.unlikely.rollforward"));
  for (std::size_t at = 0; (at = text.find("; .Lrollforward_first")) != std::string::npos;)
    text.erase(at, text.find(':', at) + 1 - at);
  for (std::size_t at = 0; (at = text.find(".Lrollforward_first")) != std::string::npos;)
    text.erase(at, text.find(": ", at) + 2 - at);
  EXPECT_EQ(text, source);
}

// Catches a file that is rolled forward, and that the linker refuses all the same.
TEST(rollforward_rewrite, the_linkers_refusal_is_taken_out) {
  const std::string symbol(rollforward::refusal_symbol);
  const std::string text =
      rewrite(marked("f", "\t.section .x\n\t.hidden\t" + symbol + "\n\t.quad " + symbol + "\n\t.text\n"))
          .text;
  EXPECT_THAT(text, HasSubstr("\t# .hidden\t" + symbol + "\n\t# .quad " + symbol + "\n"));
  EXPECT_EQ(text.find(symbol, text.find("# .quad " + symbol) + 9 + symbol.size()), std::string::npos);
}

// Catches a second copy that goes on promoting without a beat: it must leave for the first one.
TEST(rollforward_rewrite, a_marker_is_a_jump_into_the_first_copy) {
  const std::string copy = second_copy_of(marked("f", ""));
  EXPECT_THAT(copy, HasSubstr("\tjmp\t.Lf9\n"));
  EXPECT_THAT(copy, HasSubstr("\tjmp\t.Lf9.rollforward\n"));  // but its own jumps stay in it
}

struct form {
  const char* first;
  const char* second;
};
void PrintTo(const form& f, std::ostream* out) { *out << f.first; }

class instruction : public testing::TestWithParam<form> {};

// Catches jumps, calls and returns that leave a second copy without the beat.
TEST_P(instruction, in_the_second_copy) {
  EXPECT_THAT(second_copy_of(marked("f", fmt::format("{}\n", GetParam().first))),
              HasSubstr(GetParam().second));
}

INSTANTIATE_TEST_SUITE_P(
    rollforward_rewrite, instruction,
    testing::Values(
        form{"\tmovq x(%rip), %rax", "\tmovq x(%rip), %rax\n"},
        form{"\tret", "\tjmp\t*sennit_beat_return@GOTPCREL(%rip)\n"},
        form{"\trep ret", "\tjmp\t*sennit_beat_return@GOTPCREL(%rip)\n"}, form{"\tret $8", "\tret $8\n"},
        form{"\tcall g", "\tcall\tg\n"}, form{"\tcall *%rax", "\tcall\t*%rax\n"},
        form{"\tcall f", "\tcall\tf\n"}, form{"\tdata16 rex64 call g@PLT", "\tdata16 rex64 call\tg@PLT\n"},
        form{"\tjne .Lf9", "\tjne\t.Lf9.rollforward\n"}, form{"\tjrcxz .Lf9", "\tjrcxz\t.Lf9.rollforward\n"},
        form{"\tloop .Lf9", "\tloop\t.Lf9.rollforward\n"},
        form{"\txbegin .Lf9", "\txbegin\t.Lf9.rollforward\n"}, form{"1:\tjne 1b", "1:\n"},
        form{"1:\tjne 1b", "\tjne\t1b\n"},
        form{"\tjmp g@PLT",
             "\tleaq\t-128(%rsp), %rsp\n\t.cfi_adjust_cfa_offset 128\n\tpushq\tg@GOTPCREL(%rip)\n"
             "\t.cfi_adjust_cfa_offset 8\n\tjmp\t*sennit_beat_jump@GOTPCREL(%rip)\n"},
        form{"\tjmp f", "\tpushq\tf@GOTPCREL(%rip)\n"}, form{"\tnotrack jmp *%rax", "\tpushq\t%rax\n"},
        form{"\tjmp *.L4(,%rax,8)", "\tpushq\t.L4(,%rax,8)\n"},
        form{"\tjmp *8(%rsp)", "\tpushq\t128+8(%rsp)\n"},
        form{"\tjmp *(%rsp,%rax,8)", "\tpushq\t128(%rsp,%rax,8)\n"},
        form{"\tjmp *%fs:8(%rsp)", "\tpushq\t%fs:128+8(%rsp)\n"},
        form{"\tje g", "\tjne\t771771f\n\t.cfi_remember_state\n"}, form{"\tjnbe g", "\tjbe\t771771f\n"},
        form{"\tjpe g", "\tjpo\t771771f\n"}, form{"\tjpo g", "\tjpe\t771771f\n"},
        // The frame does not follow %rsp here.
        form{"\t.cfi_def_cfa_register 6\n\tjmp *%rax", "%rsp\n\tpushq\t%rax\n\tjmp\t"},
        form{"\t.cfi_escape 0xf,0x3,0x76,0x78,0x6\n\tjmp *%rax", "%rsp\n\tpushq\t%rax\n\tjmp\t"},
        form{"\t.cfi_remember_state\n\t.cfi_def_cfa_register 6\n\t.cfi_restore_state\n\tjmp *%rax",
             "\t.cfi_adjust_cfa_offset 128\n\tpushq\t%rax\n"}));

// Catches a call whose return address has no counterpart before the promotion point behind it.
TEST(rollforward_rewrite, a_call_comes_back_before_the_promotion_point) {
  const std::string copy =
      second_copy_of("\t.text\nf:\n\t.cfi_startproc\n\tcall g\n\t# sennit_promotion_point .L1\n"
                     "\tret\n.L1:\n\tud2\n\t.cfi_endproc\n");
  EXPECT_THAT(copy, HasSubstr("\tcall\tg\n.Lrollforward_second2:\n.Lrollforward_second3:\n\tjmp\t.L1\n"));
}

// Whether the call in such a function is latent while it goes on.
bool is_latent(const std::string& between, const std::string& marker = ".L1 0 behind_latent_call",
               const std::string& before = "") {
  const std::string text =
      rewrite(fmt::format("\t.text\nf:\n\t.cfi_startproc\n{}\tcall g\n{}\t# sennit_promotion_point {}\n"
                          "\tret\n.L1:\n\tud2\n\t.cfi_endproc\n",
                          before, between, marker))
          .text;
  return text.find("+0xc0000000") != std::string::npos;
}

// Catches a frame that is asked for its next call although code of the call's own would run before the promotion point, and one
// that is not asked although nothing does.
TEST(rollforward_rewrite, a_latent_call_is_one_that_leads_to_its_promotion_point) {
  EXPECT_TRUE(is_latent(""));
  EXPECT_TRUE(is_latent(".LEHE1:\n\tmovq %rax, %rbx\n\tmovsd %xmm0, 8(%rsp)\n\tmovq -8(%rsp), %r12\n"));
  EXPECT_TRUE(is_latent("\tjmp .L2\n\tnop\n.L2:\n"));
  EXPECT_FALSE(is_latent("", ".L1 12"));
  EXPECT_TRUE(is_latent("\taddq %rax, 8(%rsp)\n"));
  EXPECT_FALSE(is_latent("\tmovq (%rax), %rdx\n"));    // of what is not there yet
  EXPECT_FALSE(is_latent("\tmovq %rcx, %rbx\n"));      // no call keeps that
  EXPECT_FALSE(is_latent("\tcall h\n\tdivq %rbx\n"));  // neither call
  EXPECT_FALSE(is_latent("\ttestq %rax, %rax\n\tjne .L1\n"));
  EXPECT_FALSE(is_latent("\t# sennit_promotion_point .L1 12\n"));
}

// Catches a second call that cannot be given away because the compiler computes what it captures behind the first call; and one that
// gets what the first call has left in a register that calls do not keep.
TEST(rollforward_rewrite, a_latent_call_may_be_followed_by_computations) {
  EXPECT_TRUE(is_latent("\tsubq %r12, %r15\n\taddq %r12, %r14\n\tshlq $32, %r15\n"));
  EXPECT_TRUE(is_latent("\tleaq (%rbx,%r12,8), %rcx\n\tmovq %rcx, %rbp\n"));
  EXPECT_TRUE(is_latent("\tmovl %ebx, %ecx\n\tshrl $31, %ecx\n\taddl %ebx, %ecx\n\tmovl %ecx, 4(%rsp)\n"));
  EXPECT_TRUE(is_latent("\tpxor %xmm2, %xmm2\n\tcvtss2sd %xmm0, %xmm2\n\tmovsd %xmm2, 8(%rsp)\n"));
  EXPECT_TRUE(
      is_latent("\tvmovss 8(%rsp), %xmm3\n\tvmulss .LC0(%rip), %xmm3, %xmm4\n\tvmovss %xmm4, (%rsp)\n"));
  EXPECT_TRUE(is_latent("\ttestb %al, %al\n\tsetne %bl\n\tmovzbl %bl, %ebx\n"));
  EXPECT_TRUE(is_latent("\txorl %ecx, %ecx\n\tmovb %cl, %bl\n"));
  EXPECT_FALSE(is_latent("\tleaq (%rbx,%rcx,8), %r12\n"));
  EXPECT_FALSE(is_latent("\taddq %rbx, %rcx\n"));
  EXPECT_FALSE(is_latent("\tmovb %al, %cl\n\tmovq %rcx, %rbx\n"));
  EXPECT_FALSE(is_latent("\tmulss %xmm5, %xmm0\n"));
  EXPECT_FALSE(is_latent("\tsetne %bl\n"));               // of what the call has compared
  EXPECT_FALSE(is_latent("\tmovq 8(%rbx), %r12\n"));      // perhaps not there yet
  EXPECT_FALSE(is_latent("\tmovq %fs:8(%rsp), %r12\n"));  // no word of the frame
  EXPECT_FALSE(is_latent("\taddq $1, counter(%rip)\n"));  // others would see that
  EXPECT_FALSE(is_latent("\tlock addq $1, 8(%rsp)\n"));
  EXPECT_FALSE(is_latent("\tdivsd 8(%rsp), %xmm0\n"));  // may trap
  EXPECT_FALSE(is_latent("\tmulq %rbx\n"));
  EXPECT_FALSE(is_latent("\timulq %rbx\n"));
  EXPECT_FALSE(is_latent("\tleave\n"));
  EXPECT_FALSE(is_latent("\tmovsb\n"));
  EXPECT_FALSE(is_latent("\tsubq %rax, %rsp\n"));
}

// Catches a store to what %rbp points to, as to a word of the frame: without a frame pointer, %rbp may point to an object
// that the call is using. And a stack pointer that leaves the frame's copy.
TEST(rollforward_rewrite, only_a_frame_pointer_points_into_the_frame) {
  const std::string latent = ".L1 0 behind_latent_call";
  const std::string store = "\tmovq %rax, 8(%rbp)\n";
  EXPECT_FALSE(is_latent(store));
  EXPECT_FALSE(is_latent("\tmovq 8(%rbp), %rdx\n"));
  EXPECT_TRUE(is_latent(store, latent, "\t.cfi_def_cfa_register 6\n"));
  EXPECT_TRUE(is_latent(store, latent, "\t.cfi_def_cfa %rbp, 16\n"));
  EXPECT_TRUE(is_latent(store, latent, "\t.cfi_escape 0xf,0x3,0x76,0x78,0x6\n"));
  EXPECT_FALSE(is_latent(store, latent, "\t.cfi_escape 0xf,0x3,0x7a,0x78,0x6\n"));
  EXPECT_FALSE(
      is_latent(store, latent, "\t.cfi_remember_state\n\t.cfi_def_cfa_register 6\n\t.cfi_restore_state\n"));
  EXPECT_TRUE(is_latent("\tmovq %rax, %rbp\n"));
  EXPECT_FALSE(is_latent("\tmovq %rax, %rbp\n", latent, "\t.cfi_def_cfa_register 6\n"));
  EXPECT_FALSE(is_latent("\tmovq 8(%rsp), %rsp\n"));
}

// The counterparts of the address behind the nop, in the order of the table: as the second copy's text has them.
std::string copy_with_labels(const std::string& labels_and_marker, const std::string& elsewhere) {
  const std::string text =
      rewrite(fmt::format("\t.text\nf:\n\t.cfi_startproc\n\tnop\n{}\tpause\n\tjmp\t.L8\n.L9:\n\tud2\n"
                          "\t.cfi_endproc\n{}",
                          labels_and_marker, elsewhere))
          .text;
  return second_copy_in(text);
}

// Catches a promotion point that nobody meets who comes by a table: a case of a switch, an opcode of an interpreter.
TEST(rollforward_rewrite, a_jump_comes_before_the_promotion_point) {
  const std::string copy =
      copy_with_labels(".L3:\n\t# sennit_promotion_point .L9\n", "\t.section\t.rodata\n\t.quad\t.L3\n");
  EXPECT_THAT(copy, HasSubstr(".L3.rollforward:\n.Lrollforward_second2:\n\tjmp\t.L9\n\tpause\n"));
}

// Catches a promotion at which registers are not what the statements want: whoever came by the label has passed it.
TEST(rollforward_rewrite, a_label_behind_a_promotion_point_has_its_own_place) {
  const std::string copy = copy_with_labels("\t# sennit_promotion_point .L9\n.L8:\n", "");
  EXPECT_THAT(copy, HasSubstr("\tjmp\t.L9\n.L8.rollforward:\n.Lrollforward_second3:\n\tpause\n"));
  EXPECT_THAT(copy, HasSubstr(".Lrollforward_second2-"));
}

TEST(rollforward_rewrite, an_address_is_that_of_the_last_label) {
  const std::string copy =
      copy_with_labels(".L3:\n\t# sennit_promotion_point .L9\n.L8:\n", "\t.quad\t.L3, .L8\n");
  EXPECT_THAT(copy, HasSubstr("\tjmp\t.L9\n.L8.rollforward:\n.Lrollforward_second3:\n\tpause\n"));
  EXPECT_THAT(copy, Not(HasSubstr(".Lrollforward_second2-")));
}

// Catches debug information that has promotion points passed over.
TEST(rollforward_rewrite, a_label_for_debuggers_leads_nowhere) {
  const std::string copy = copy_with_labels("\t# sennit_promotion_point .L9\n.LVL7:\n",
                                            "\t.section\t.debug_loclists,\"\",@progbits\n\t.quad\t.LVL7\n");
  EXPECT_THAT(copy, HasSubstr("\tjmp\t.L9\n.LVL7.rollforward:\n\tpause\n"));
}

// Catches a beat that ends with a function that goes on to one with a promotion point, by name or by a table.
TEST(rollforward_rewrite, a_function_that_leads_on_is_copied) {
  const auto function = [](const char* name, const char* end) {
    return fmt::format("\t.text\n{0}:\n\t.cfi_startproc\n\tpause\n\t{1}\n\t.cfi_endproc\n", name, end);
  };
  const std::string others = function("by_name", "jmp\tf@PLT") + function("at_second_hand", "je\tby_name") +
                             function("by_table", "jmp\t*%rax") + function("back", "ret") +
                             function("strange", ".rept\t1\n\tjmp\tf");
  const auto copied = [&](const std::string& source) {
    std::vector<std::string> names;
    for (const auto& f : rewrite(source).functions) names.push_back(f.name);
    return names;
  };
  EXPECT_THAT(copied(marked("f", "") + others),
              testing::UnorderedElementsAre("f", "by_name", "at_second_hand"));
  EXPECT_THAT(copied(marked("f", "") + others + "\t.data\n\t.quad\tf\n"),
              testing::UnorderedElementsAre("f", "by_name", "at_second_hand", "by_table"));
}

// Catches a report that takes one promotion point for another, or has no line.
TEST(rollforward_rewrite, each_promotion_point_is_counted) {
  const std::string text =
      rewrite("\t.text\nf:\n\t.cfi_startproc\n\tnop\n\t# sennit_promotion_point .L1 17\n\tnop\n"
              "\t# sennit_promotion_point .L1 18\n\tret\n.L1:\n\tud2\n\t.cfi_endproc\n")
          .text;
  EXPECT_THAT(text, HasSubstr("\tlock incq\t.Lrollforward_point1(%rip)\n\tjmp\t.L1\n"));
  EXPECT_THAT(text,
              HasSubstr(".Lrollforward_point1:\n\t.quad\t0\n\t.quad\t.Lrollforward_first0\n\t.long\t18\n"
                        "\t.long\t2\n\t.asciz\t\"f\"\n"));
}

// Catches a cold part that is left behind, and jumps between the parts that change copies.
TEST(rollforward_rewrite, a_cold_part_belongs_to_its_function) {
  const rewritten result = rewrite(R"(	.text
f:
	.cfi_startproc
	# sennit_promotion_point .L5
	jne	.L6
	ret
	.cfi_endproc
	.section	.text.unlikely,"ax",@progbits
	.cfi_startproc
	.type	f.cold, @function
f.cold:
.L5:
	nop
.L6:
	ud2
	.cfi_endproc
	.text
g:
	.cfi_startproc
	ret
	.cfi_endproc
)");
  ASSERT_EQ(result.functions.size(), 1U);
  EXPECT_EQ(result.functions[0].markers, 1U);
  EXPECT_EQ(result.functions[0].size.instructions, 4U);
  EXPECT_EQ(result.functions[0].size.cold, 2U);
  EXPECT_THAT(result.text, HasSubstr("\nf.cold.rollforward:\n.L5.rollforward:\n"));
  EXPECT_THAT(result.text, HasSubstr("\tjne\t.L6.rollforward\n"));
  EXPECT_THAT(result.text, HasSubstr("\tjmp\t.L5\n"));
  EXPECT_THAT(result.text, Not(HasSubstr("g.rollforward")));
}

// Catches a copy or a table that the linker keeps when it drops the function.
TEST(rollforward_rewrite, a_function_in_a_group_has_all_in_it) {
  const std::string text = rewrite(marked("f", "", "\t.section\t.text.f,\"axG\",@progbits,f,comdat\n")).text;
  EXPECT_THAT(text, HasSubstr("\t.section\t.text.unlikely.rollforward.f,\"axG\",@progbits,f,comdat\n"));
  EXPECT_THAT(text, HasSubstr("\t.section\tsennit_rollforward,\"aGR\",@progbits,f,comdat\n"));
}

// Catches flags that are forgotten where a section is named again without them.
TEST(rollforward_rewrite, a_section_keeps_the_flags_it_was_given_first) {
  const std::string first = "\t.section\t.text.f,\"axG\",@progbits,f,comdat\n\t.data\n";
  EXPECT_THAT(rewrite(first + marked("f", "", "\t.section\t.text.f\n")).text,
              HasSubstr("sennit_rollforward,\"aGR\",@progbits,f,comdat\n"));
}

TEST(rollforward_rewrite, says_what_it_copied) {
  const rewritten result = rewrite(marked("f", "") + marked("g", "\tnop\n\tnop\n"));
  ASSERT_EQ(result.functions.size(), 2U);
  EXPECT_EQ(result.functions[0].name, "f");
  EXPECT_EQ(result.functions[0].size.instructions, 3U);
  EXPECT_EQ(result.functions[1].name, "g");
  EXPECT_EQ(result.functions[1].size.instructions, 5U);
}

// Catches a difference that is another function's, or leaves out a part of one.
TEST(rollforward_rewrite, says_by_how_much_functions_are_longer) {
  const std::string directory = testing::TempDir();
  tools::write_file(directory + "with.s", marked("f", "") + marked("g", "\tnop\n\tnop\n"));
  tools::write_file(directory + "without.s",
                    "\t.text\nf:\n\t.cfi_startproc\n\tnop\n\tjne .L1\n\tret\n\t.cfi_endproc\n"
                    "\t.section\t.text.unlikely\nf.cold:\n\t.cfi_startproc\n.L1:\n\tud2\n\t.cfi_endproc\n");
  std::vector<std::string> words{"rollforward", "--list", directory + "with.s", "--without",
                                 directory + "without.s"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  testing::internal::CaptureStdout();
  EXPECT_EQ(rollforward::command_line(static_cast<int>(arguments.size()), arguments.data()), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), R"(f: 1 promotion point, 3 instructions copied
  with         3 instructions,     0 cold
  without      4 instructions,     1 cold
  more        -1 instructions,    -1 cold
g: 1 promotion point, 5 instructions copied
  with         5 instructions,     0 cold
  without: no function of its own
)");
}

// Catches half a file that a build goes on with.
TEST(rollforward_rewrite, a_full_disk_is_an_error) {
  const std::string file = testing::TempDir() + "full.s";
  tools::write_file(file, marked("f", ""));
  for (std::string word : {file, std::string("--help")}) {
    std::string name = "rollforward";
    char* arguments[] = {name.data(), word.data()};
    std::fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    const int full = open("/dev/full", O_WRONLY);
    dup2(full, STDOUT_FILENO);
    testing::internal::CaptureStderr();
    const int status = rollforward::command_line(2, arguments);
    dup2(before, STDOUT_FILENO);
    close(before);
    close(full);
    std::clearerr(stdout);
    std::cout.clear();
    EXPECT_EQ(status, 1) << word;
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("No space left on device")) << word;
  }
}

// Catches a file that is handed on as it came, as if rollforward had found no promotion point.
TEST(rollforward_rewrite, assembly_of_aarch64_is_refused_with_the_remedy) {
  const std::string file = testing::TempDir() + "aarch64.s";
  tools::write_file(file,
                    "\t.text\nf:\n\tstp\tx29, x30, [sp, -16]!\n\tbl\tg\n\tldp\tx29, x30, [sp], 16\n\tret\n");
  std::string words[] = {"rollforward", file};
  char* arguments[] = {words[0].data(), words[1].data()};
  testing::internal::CaptureStderr();
  EXPECT_EQ(rollforward::command_line(2, arguments), 1);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr(file));
  EXPECT_THAT(said, HasSubstr("AArch64"));
  EXPECT_THAT(said, HasSubstr("the source `polled`"));
}

void expect_fault(const std::string& source, std::size_t line, const char* what) {
  try {
    rewrite(source);
    ADD_FAILURE() << "no fault";
  } catch (const fault& f) {
    EXPECT_EQ(f.line(), line);
    EXPECT_THAT(f.what(), HasSubstr(what));
  }
}

TEST(rollforward_rewrite, faults) {
  expect_fault("f:\n\t# sennit_promotion_point .L2\n\tret\n", 2, "-fasynchronous-unwind-tables");
  expect_fault("f:\n\t.cfi_startproc\n\t# sennit_promotion_point .L2\n\tret\n", 2,
               "without its .cfi_endproc");
  // What it has made itself.
  expect_fault(rewrite(marked("f", "")).text, 30, "before");
}

}  // namespace

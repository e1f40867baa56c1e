// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/tables.hpp"

#include <fmt/format.h>

namespace rollforward {
namespace {

// See src/beat/address_pairs.hpp.
std::string_view flag_of(place_kind kind) {
  switch (kind) {
    case place_kind::padding: return "+0x80000000";
    case place_kind::behind_call: return "+0x40000000";
    case place_kind::behind_latent_call: return "+0xc0000000";
    case place_kind::code: break;
  }
  return "";
}

}  // namespace

std::string address_pairs(const procedure& p, const second_copy& copy) {
  const std::string& group = p.where.group;
  std::string out = group.empty()
                        ? fmt::format("\t.section\t{},\"aR\",@progbits\n", table_section)
                        : fmt::format("\t.section\t{},\"aGR\",@progbits,{},comdat\n", table_section, group);
  const std::string first = first_label(copy.begin);
  const std::string second = second_label(copy.begin);
  out += fmt::format("\t.balign\t4\n\t.long\t{}-.\n\t.long\t{}-.\n\t.long\t{}\n", first, second,
                     copy.places.size());
  for (const place& at : copy.places) {
    out += fmt::format("\t.long\t{}-{}\n\t.long\t{}-{}{}\n", first_label(at.number), first,
                       second_label(at.number), second, flag_of(at.kind));
  }
  return out;
}

std::string point_records(const procedure& p, const std::string& function, const second_copy& copy) {
  std::string out;
  // Another object's copy of a function in a group may be linked in place of this one.
  const std::string where = p.where.group.empty() ? first_label(copy.begin) : function;
  for (const point& at : copy.points) {
    const std::string number = at.line.empty() ? "0" : at.line;
    out += fmt::format(
        "\t.section\t{0},\"awR\",@progbits\n\t.balign\t8\n{1}:\n\t.quad\t0\n\t.quad\t{2}\n\t.long\t{3}\n"
        "\t.long\t{4}\n\t.asciz\t\"{5}\"\n",
        point_section, point_label(at.number), where, number, function.size() + 1, function);
  }
  return out;
}

std::string registration() {
  // A COMDAT group of its own: the linker keeps one of them in each executable or shared object.
  constexpr std::string_view code = R"(	.hidden	__start_{0}
	.hidden	__stop_{0}
	.hidden	__start_{1}
	.hidden	__stop_{1}
	.section	.text.startup.{0},"axG",@progbits,{0}_module,comdat
	.type	.L{0}_enter, @function
.L{0}_enter:
	.cfi_startproc
	leaq	__start_{0}(%rip), %rdi
	leaq	__stop_{0}(%rip), %rsi
	leaq	__start_{1}(%rip), %rdx
	leaq	__stop_{1}(%rip), %rcx
	jmp	*sennit_rollforward_enter@GOTPCREL(%rip)
	.cfi_endproc
	.type	.L{0}_leave, @function
.L{0}_leave:
	.cfi_startproc
	leaq	__start_{0}(%rip), %rdi
	jmp	*sennit_rollforward_leave@GOTPCREL(%rip)
	.cfi_endproc
	.section	.init_array,"awG",@init_array,{0}_module,comdat
	.balign	8
	.quad	.L{0}_enter
	.section	.fini_array,"awG",@fini_array,{0}_module,comdat
	.balign	8
	.quad	.L{0}_leave
)";
  return fmt::format(code, table_section, point_section);
}

}  // namespace rollforward

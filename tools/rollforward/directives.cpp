// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/directives.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace rollforward {

std::optional<treatment> treatment_of(std::string_view directive) {
  using enum treatment;
  using entry = std::pair<std::string_view, treatment>;
  static constexpr auto known = std::to_array<entry>({
      {".2byte", bytes},
      {".4byte", bytes},
      {".8byte", bytes},
      {".align", align},
      {".ascii", bytes},
      {".asciz", bytes},
      {".balign", align},
      {".bss", section},
      {".byte", bytes},
      {".cfi_adjust_cfa_offset", frame},
      {".cfi_def_cfa", frame},
      {".cfi_def_cfa_offset", frame},
      {".cfi_def_cfa_register", frame},
      {".cfi_endproc", frame},
      {".cfi_escape", frame},
      {".cfi_lsda", tables},
      {".cfi_offset", frame},
      {".cfi_personality", frame},
      {".cfi_register", frame},
      {".cfi_rel_offset", frame},
      {".cfi_remember_state", frame},
      {".cfi_restore", frame},
      {".cfi_restore_state", frame},
      {".cfi_return_column", frame},
      {".cfi_same_value", frame},
      {".cfi_signal_frame", frame},
      {".cfi_startproc", frame},
      {".cfi_undefined", frame},
      {".cfi_val_offset", frame},
      {".data", section},
      {".file", symbol},
      {".fill", bytes},
      {".global", symbol},
      {".globl", symbol},
      {".hidden", symbol},
      {".hword", bytes},
      {".int", bytes},
      {".internal", symbol},
      {".loc", location},
      {".local", symbol},
      {".long", bytes},
      {".octa", bytes},
      {".p2align", align},
      {".popsection", section},
      {".previous", section},
      {".protected", symbol},
      {".pushsection", section},
      {".quad", bytes},
      {".section", section},
      {".short", bytes},
      {".size", symbol},
      {".skip", bytes},
      {".sleb128", bytes},
      {".space", bytes},
      {".string", bytes},
      {".text", section},
      {".type", symbol},
      {".uleb128", bytes},
      {".value", bytes},
      {".weak", symbol},
      {".word", bytes},
      {".zero", bytes},
  });
  static_assert(std::is_sorted(known.begin(), known.end(),
                               [](const entry& a, const entry& b) { return a.first < b.first; }));
  const auto found = std::lower_bound(known.begin(), known.end(), directive,
                                      [](const entry& e, std::string_view name) { return e.first < name; });
  if (found == known.end() || found->first != directive) return std::nullopt;
  return found->second;
}

}  // namespace rollforward

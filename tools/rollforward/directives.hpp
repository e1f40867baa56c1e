// SPDX-License-Identifier: Apache-2.0
// How each directive in the code of a marked function is treated in the function's second copy.
#pragma once

#include <optional>
#include <string_view>

namespace rollforward {

enum class treatment {
  bytes,     // data among the instructions; copied
  align,     // copied; the program counter may be in the padding
  frame,     // a .cfi_ directive; copied
  tables,    // .cfi_lsda; copied, with the table of the copy
  location,  // .loc; copied without its view, whose label must not occur twice
  symbol,    // about the function's symbol; dropped, because the copy has another symbol
  section,   // begins another section; the copy stays in its own
};

// Nothing if the directive is not known.
std::optional<treatment> treatment_of(std::string_view directive);

}  // namespace rollforward

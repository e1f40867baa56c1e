// What each directive that may stand in the code of a marked function means for the function's second copy.
#pragma once

#include <optional>
#include <string_view>

namespace rollforward {

enum class treatment {
  bytes,     // data among the instructions; copied
  align,     // copied, and a place for the program counter to be: in the padding
  frame,     // a .cfi_ directive; copied
  tables,    // .cfi_lsda; copied, with the copy's own table
  location,  // .loc; copied without its view, whose label would be there twice
  symbol,    // about the function's symbol, which the copy has another one for; dropped
  section,   // goes to another section; the copy stays in its own
};

// Nothing for one that is not known.
std::optional<treatment> treatment_of(std::string_view directive);

}  // namespace rollforward

// SPDX-License-Identifier: Apache-2.0
// The whole of it: a program with `#pragma splice` in, C++ that uses the library out.
#pragma once

#include "tools/splicec/source.hpp"

#include <string>
#include <vector>

namespace splicec {

struct translation {
  std::string text{};
  std::vector<std::string> files{};  // that were read
  std::vector<message> messages{};

  bool good() const noexcept;
};

// `arguments`: those of the compiler, such as -I and -D. If `text` is not null the file is taken to hold that.
translation translate(const std::string& path, const std::vector<std::string>& arguments,
                      const std::string* text = nullptr);

}  // namespace splicec

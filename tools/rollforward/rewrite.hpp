// SPDX-License-Identifier: Apache-2.0
// Rollforward as a whole: assembly in, assembly out.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rollforward {

struct function_size {
  std::size_t instructions = 0;
  std::size_t cold = 0;  // the part of these in sections for rarely executed code
};

struct marked_function {
  std::string name;
  std::size_t markers = 0;
  function_size size;  // all of the function was copied
};

struct rewritten {
  std::string text;
  std::vector<marked_function> functions;
};

// Returns the text unchanged if it has no promotion point. Throws `fault`.
rewritten rewrite(std::string_view source);

// The sizes of all functions of a file, marked or not. Throws `fault`.
std::map<std::string, function_size> function_sizes(std::string_view source);

}  // namespace rollforward

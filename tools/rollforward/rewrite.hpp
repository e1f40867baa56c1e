// The whole of it: assembly in, assembly out.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rollforward {

struct function_size {
  std::size_t instructions = 0;
  std::size_t cold = 0;  // of them, those in sections for what is rarely run
};

struct marked_function {
  std::string name;
  std::size_t markers = 0;
  function_size size;  // all of it was copied
};

struct rewritten {
  std::string text;
  std::vector<marked_function> functions;
};

// Without a promotion point in it, the text comes back as it is. Throws `fault`.
rewritten rewrite(std::string_view source);

// Of each function of a file, marked or not. Throws `fault`.
std::map<std::string, function_size> function_sizes(std::string_view source);

}  // namespace rollforward

// The whole of it: assembly in, assembly out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rollforward {

struct marked_function {
  std::string name;
  std::size_t markers;
  std::size_t instructions;  // that were copied
};

struct rewritten {
  std::string text;
  std::vector<marked_function> functions;
};

// Without a promotion point in it, the text comes back as it is. Throws `fault`.
rewritten rewrite(std::string_view source);

}  // namespace rollforward

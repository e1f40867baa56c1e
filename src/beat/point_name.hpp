// SPDX-License-Identifier: Apache-2.0
// The names of functions, as a report of promotion points has them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace sennit::detail {

struct point_name {
  std::string function;
  std::uint32_t line;  // 0: none

  auto operator<=>(const point_name&) const = default;
};

// The name of a promotion point at this line of the function with this symbol. It is short: without template arguments, results,
// unnamed namespaces and what compilers add to copies of functions. So instances of a template have one name. A loop of the library's is
// named after the construct, and after the function that has its body, and has no line. A symbol that is not mangled stays
// as it is. Allocates.
point_name name_of_point(const char* symbol, std::uint32_t line);

}  // namespace sennit::detail

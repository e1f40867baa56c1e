// SPDX-License-Identifier: Apache-2.0
// A function of text for numbers.
#include <sennit/algorithm/for_each.hpp>

#include <list>
#include <string>

void visit(std::list<int>& x) {
  sennit::parallel_for_each(x, [](const std::string&) {});
}

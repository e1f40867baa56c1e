// SPDX-License-Identifier: Apache-2.0
// A text is no key of digits.
#include <sennit/algorithm/integer_sort.hpp>

#include <string>
#include <vector>

void sort(std::vector<std::string>& words) { sennit::parallel_integer_sort(words); }

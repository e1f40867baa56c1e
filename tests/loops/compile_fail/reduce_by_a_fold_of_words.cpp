// SPDX-License-Identifier: Apache-2.0
// A count, and a word: nobody says what two counts make.
#include <sennit/parallel_reduce.hpp>

#include <string>
#include <vector>

long letters(const std::vector<std::string>& words) {
  return sennit::parallel_reduce(words, 0L,
                                 [](long n, const std::string& word) { return n + long(word.size()); });
}

// SPDX-License-Identifier: Apache-2.0
// The result is a copy, to which the element is added in vain.
#include <sennit/parallel_fold.hpp>

#include <functional>
#include <string>
#include <vector>

std::string text(const std::vector<std::string>& words) {
  return sennit::parallel_fold(
      words, std::string(), [](std::string all, const std::string& word) { all += word; }, std::plus<>());
}

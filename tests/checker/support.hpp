// SPDX-License-Identifier: Apache-2.0
// What tests of the effect checker have in common.
#pragma once

#include "checker/report.hpp"

#include <string>
#include <vector>

namespace sennit_test {

// What is reported while f runs.
template <class F>
std::vector<std::string> reported(F&& f) {
  std::vector<std::string> reports;
  sennit::checker::collect(&reports);
  f();
  sennit::checker::collect(nullptr);
  return reports;
}

}  // namespace sennit_test

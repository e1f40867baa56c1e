// SPDX-License-Identifier: Apache-2.0
// What beats::report() says of promotion points that are taken, that are not met, and whose function is linked from this
// object, which is not rolled forward.
// Catches a promotion point that is lost without a word, one that is there several times because its function is, and a name that is not
// the source's.
#include "tests/rollforward/inline_points.hpp"

#include <sennit/beats.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

long inline_points::taken = 0;

namespace {

volatile long length = 1000;

bool has_once(const std::string& text, const char* what) {
  const std::size_t at = text.find(what);
  if (at != std::string::npos && text.find(what, at + 1) == std::string::npos) return true;
  std::printf("not once in the report: %s\n", what);
  return false;
}

bool has(const std::string& text, const char* what) {
  if (text.find(what) != std::string::npos) return true;
  std::printf("not in the report: %s\n", what);
  return false;
}

}  // namespace

int main() {
  const sennit::beats beating(
      {.period = std::chrono::microseconds(100), .workers = false, .calling_thread = true});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  long sum = inline_points::shared(length);
  sum += inline_points::instances(length) + inline_points::in_lambda(length) + inline_points::in_loop(length);
  while (inline_points::taken < 20 && std::chrono::steady_clock::now() < end)
    sum += inline_points::own(length) + inline_points::call_shared(length);
  const std::string report = beating.report();
  std::printf("%s", report.c_str());
  const bool good = has(report, " beats delivered\n") &&
                    has(report, " times: inline_points::own(long), line 14\n") &&
                    has(report, "never taken: inline_points::own(long), line 15\n") &&
                    has(report, "not rolled forward: inline_points::shared(long), line 16\n") &&
                    has_once(report, ": inline_points::instance(long), line ") &&
                    has_once(report, ": a lambda in inline_points::in_lambda(long), line ") &&
                    has_once(report, ": latent_reduce in inline_points::in_loop(long)\n");
  return good && sum != 0 ? 0 : 1;
}

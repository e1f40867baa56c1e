// SPDX-License-Identifier: Apache-2.0
// Runs a random program and its translation, which are in one shared object, on the same inputs: compare FILE FIRST LAST. See run.py.
#include <sennit/runtime.hpp>
#include <sennit/splice.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

sennit::splice_report noted_report;

namespace {

// Two or three are usual. The most that was found is 82, where calls of different depths all write one variable and go on after their parts.
constexpr double most_checks = 100;

struct program {
  program(void* file, const std::string& prefix)
      : data(function<void*()>(file, prefix + "_data")),
        bytes(function<unsigned long()>(file, prefix + "_bytes")),
        totals(function<unsigned long()>(file, prefix + "_totals")),
        run(function<void(unsigned)>(file, prefix + "_run")) {}

  template <class F>
  static F* function(void* file, const std::string& name) {
    return reinterpret_cast<F*>(dlsym(file, name.c_str()));
  }

  void* (*data)();
  unsigned long (*bytes)();
  unsigned long (*totals)();
  void (*run)(unsigned input);
};

}  // namespace

int main(int count, char** arguments) {
  void* const file = count == 4 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (file == nullptr) {
    std::printf("%s\n",
                count == 4 ? dlerror() : "give a shared object, the first input and the one behind the last");
    return 2;
  }
  const program plain(file, "plain");
  const program spliced(file, "spliced");
  const auto first = static_cast<unsigned>(std::atoi(arguments[2]));
  const auto last = static_cast<unsigned>(std::atoi(arguments[3]));
  sennit::runtime alone({.workers = 1});
  sennit::runtime two({.workers = 2});
  sennit::runtime eight({.workers = 8});
  unsigned wrong = 0;
  unsigned unbounded = 0;
  std::uint64_t steps = 0;
  std::uint64_t checks = 0;
  for (unsigned input = first; input < last; ++input) {
    plain.run(input);
    noted_report = {};
    // To begin and to end on many threads takes longer than most of these programs.
    sennit::runtime& where = input % 16 == 3 ? two : input % 16 == 11 ? eight : alone;
    where.run([&] { spliced.run(input); });
    if (std::memcmp(plain.data(), spliced.data(), plain.bytes()) != 0 || plain.totals() != spliced.totals()) {
      if (++wrong < 10) std::printf("wrong: input %u\n", input);
    }
    steps += noted_report.steps;
    checks += noted_report.checks;
    // Of a few steps more may be compared than there are, as their calls are compared, too.
    const auto most =
        static_cast<std::uint64_t>(most_checks) * std::max<std::uint64_t>(noted_report.steps, 20);
    if (noted_report.checks > most && ++unbounded < 10) {
      std::printf("too many checks: input %u, %lu for %lu steps\n", input, noted_report.checks,
                  noted_report.steps);
    }
  }
  std::printf("%u inputs, %u wrong, %u with too many checks; %lu steps, %.1f checks each\n", last - first,
              wrong, unbounded, steps,
              static_cast<double>(checks) / static_cast<double>(std::max<std::uint64_t>(steps, 1)));
  return wrong + unbounded == 0 ? 0 : 1;
}

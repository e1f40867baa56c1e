// SPDX-License-Identifier: Apache-2.0
// Sweeps whose steps do almost nothing, spliced in several forms. test_counted.py runs it under callgrind, which writes the
// number of instructions at each mark.
#include <sennit/sennit.hpp>

#include <valgrind/callgrind.h>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using sennit::effects;
using sennit::memory_range;
using sennit::range;

constexpr std::int64_t block = 64;
constexpr std::int64_t blocks = 512;
constexpr int sweeps = 16;

std::uint64_t steps = 0;
std::vector<double> fields[2] = {std::vector<double>(block * blocks + 2),
                                 std::vector<double>(block* blocks + 2)};

effects effects_of(int t, range r) {
  return {sennit::reads(memory_range(fields[t % 2].data(), r.grown(1))),
          sennit::writes(memory_range(fields[(t + 1) % 2].data(), r))};
}
auto tree(int t, range r) {
  return sennit::divided{r, block, [t](range part) { return effects_of(t, part); }, [](range) { ++steps; }};
}

void functions(int t, range r) {
  const sennit::call_effects fx{effects_of(t, r)};
  if (r.size() <= block) {
    sennit::step([] { ++steps; });
  } else {
    sennit::sequence(sennit::call(functions, t, r.left()), sennit::call(functions, t, r.right()));
  }
}
// A tree of one block is a call without a stack.
void leaves(int t, range r) {
  const sennit::call_effects fx{effects_of(t, r)};
  if (r.size() <= 2 * block) {
    sennit::sequence(tree(t, r.left()), tree(t, r.right()));
  } else {
    sennit::sequence(sennit::call(leaves, t, r.left()), sennit::call(leaves, t, r.right()));
  }
}
void slices(int t, range r) {
  const sennit::call_effects fx{effects_of(t, r)};
  sennit::step(
      sennit::sliced_range{r, block}, [t](range part) { return effects_of(t, part); },
      [](range) { ++steps; });
}

void mark(const char* name, void (*sweep)(int, range)) {
  const auto splice = [&] { sennit::splice(sweeps, [&](int t) { sweep(t, {1, block * blocks + 1}); }); };
  splice();  // makes the stacks
  steps = 0;
  CALLGRIND_ZERO_STATS;
  splice();
  CALLGRIND_DUMP_STATS_AT(name);
  std::printf("%s %llu\n", name, static_cast<unsigned long long>(steps));
}

}  // namespace

int main() {
  sennit::runtime one({.workers = 1});
  one.run([] {
    mark("functions", functions);
    mark("leaves", leaves);
    mark("slices", slices);
  });
}

// SPDX-License-Identifier: Apache-2.0
// A stencil whose halo is as wide as its argument says; 1 is right. With another argument there is a region without addresses.
#include <sennit/data_regions.hpp>
#include <sennit/splice.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

using field = std::vector<double>;
int halo;

void kernel(field& out, const field& in, sennit::range r) {
  for (auto i = r.first; i < r.last; ++i) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
}

void sweep(field& out, const field& in, sennit::range r) {
  const sennit::call_effects fx{sennit::reads(sennit::memory_range(in.data(), r.grown(halo))),
                                sennit::writes(sennit::memory_range(out.data(), r))};
  if (r.size() <= 64) {
    // The line of what is done is the one that is reported.
    sennit::step(fx, [&] { kernel(out, in, r); });
  } else {
    sennit::sequence(sennit::call(sweep, out, in, r.left()), sennit::call(sweep, out, in, r.right()));
  }
}

int main(int count, char** arguments) {
  halo = std::atoi(arguments[1]);
  field u[2]{field(1000, 1), field(1000, 1)};
  sennit::splice(4, [&](int t) { sweep(u[(t + 1) % 2], u[t % 2], {1, 999}); });
  if (count > 2) {
    sennit::splice(2, [&](int) {
      sennit::step(sennit::effects(sennit::writes(sennit::subtree(u))), [&] { u[0][0] += 1; });
    });
  }
  std::puts("done");
}

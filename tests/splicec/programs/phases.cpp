// SPDX-License-Identifier: Apache-2.0
// What a translation may meet: loops of calls with more behind them, steps between calls, values from data of others in
// conditions and arguments, returns from steps, switches, exceptions, overloads, namespaces. Each mode is run spliced
// and as it stands, with random data, and has to come to the same.
#include <sennit/data_regions.hpp>
#include <sennit/runtime.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace phases {

using field = std::vector<long>;

struct part {
  long first;
  long last;
  long size() const { return last - first; }
  part left() const { return {first, first + size() / 2}; }
  part right() const { return {first + size() / 2, last}; }
};

constexpr long block = 16;
long rounds_done = 0;  // of the file, written in steps that nobody has annotated
static long stride = 3;

sennit::memory_range of(const field& f, part p) { return {f.data(), sennit::range{p.first, p.last}}; }

#pragma splice func Reads(of(in, {p.first - 1, p.last + 1})) Writes(of(out, p))
void add(field& out, const field& in, part p) {
  if (p.size() <= block) {
#pragma splice step Reads(of(in, {p.first - 1, p.last + 1})) Writes(of(out, p))
    for (long i = p.first; i < p.last; ++i) out[i] += in[i - 1] + stride * in[i] + in[i + 1];
  } else {
    add(out, in, p.left());
    add(out, in, p.right());
  }
}

#pragma splice func Reads(of(in, p)) Writes(of(out, p))
void scale(field& out, const field& in, part p, long by);

// Calls, then steps, then calls.
#pragma splice func Reads(of(in, {p.first - 1, p.last + 1})) Writes(of(out, p))
void mixed(field& out, const field& in, part p) {
  add(out, in, p);
#pragma splice step Writes(of(out, {p.first, p.first + 1}))
  out[p.first] %= 1000;
  long factor = 2;
  scale(out, in, p, factor);
  factor = 5;
  scale(out, in, p, factor);
#pragma splice step Writes(of(out, p))
  for (long i = p.first; i < p.last; ++i) {
    if (out[i] == 0) return;
    out[i] ^= i;
  }
#pragma splice step Writes(of(out, p))
  out[p.last - 1] += 1;
}

// What is still to come can be said where the calls stand.
#pragma splice func Reads(of(in, {p.first - 1, p.last + 1})) Writes(of(out, p))
void between(field& out, const field& in, part p) {
  const long half = p.first + p.size() / 2;
  add(out, in, part{p.first, half});
#pragma splice step Writes(of(out, {p.first, half}))
  for (long i = p.first; i < half; ++i) out[i] -= stride;
  scale(out, in, part{half, p.last}, 3);
  scale(out, in, part{p.first, half}, 4);
#pragma splice step Writes(of(out, {half, p.last}))
  for (long i = half; i < p.last; ++i) out[i] -= stride;
  add(out, in, part{half, p.last});
}

// A loop of calls, another with a step in it, and one that is counted by data.
#pragma splice func Reads(of(in, {p.first - 1, p.last + 1})) Writes(of(out, p))
void loops(field& out, const field& in, part p) {
  for (long b = p.first; b < p.last; b += block)
    add(out, in, part{b, b + block < p.last ? b + block : p.last});
  for (long b = p.first; b < p.last; b += 4 * block) {
    const part here{b, b + block < p.last ? b + block : p.last};
    add(out, in, here);
#pragma splice step Writes(of(out, here))
    for (long i = here.first; i < here.last; ++i) out[i] &= 0xfffff;
  }
  long rounds = 0;
#pragma splice step Reads(of(out, p))
  while (rounds < (out[p.first] & 3)) {
    if (rounds == 2) break;
    scale(out, in, p, rounds);
    ++rounds;
  }
  for (long b = p.first; b < p.last; b += block) {
    add(out, in, part{b, b + block < p.last ? b + block : p.last});
    scale(out, in, part{b, b + block < p.last ? b + block : p.last}, 3);
  }
}

// What is not annotated is taken to be much, but is right.
#pragma splice func Reads(of(in, {p.first - 1, p.last + 1})) Writes(of(out, p))
void careless(field& out, const field& in, part p) {
  out[p.first] += in[p.first];
  add(out, in, p);
  ++rounds_done;
  switch (rounds_done % 3) {
    case 0: add(out, in, p.left()); break;
    case 1: scale(out, in, p, in[p.first] & 7); [[fallthrough]];
    default: add(out, in, p.right());
  }
  long sum = out[p.first];
  if (sum > 1000000) {
    add(out, in, p.left());
    return;
  }
  out[p.last - 1] = sum;
}

#pragma splice func Reads(of(in, p)) Writes(of(out, p))
void scale(field& out, const field& in, part p, long by) {
  if (p.size() > block) {
    scale(out, in, p.left(), by);
    scale(out, in, p.right(), by);
    return;
  }
#pragma splice step Reads(of(in, p)) Writes(of(out, p))
  for (long i = p.first; i < p.last; ++i) out[i] = (out[i] * by + in[i]) % 1000003;
}

constexpr int times = 12;

void spliced(int mode, field (&u)[2], part all) {
  switch (mode) {
    case 0:
#pragma splice try(4)
      for (int t = 0; t < times; ++t) mixed(u[(t + 1) % 2], u[t % 2], all);
      break;
    case 1:
#pragma splice try(0)
      for (int t = 0; t < times; ++t) {
        const int k = t % 2;
        loops(u[1 - k], u[k], all);
      }
      break;
    case 2:
#pragma splice try(5)
      for (int t = 0; t < times; ++t) careless(u[(t + 1) % 2], u[t % 2], all);
      break;
    case 3:
#pragma splice try(6)
      for (int t = 0; t < times; ++t) between(u[(t + 1) % 2], u[t % 2], all);
      break;
    default:
#pragma splice try(6)
      for (int t = 0; t < times; t += 2) {
        add(u[1], u[0], all);
        scale(u[0], u[1], all, 7);
        mixed(u[1], u[0], all);
      }
  }
}

void plain(int mode, field (&u)[2], part all) {
  for (int t = 0; t < times; ++t) {
    switch (mode) {
      case 0: mixed(u[(t + 1) % 2], u[t % 2], all); break;
      case 1: loops(u[(t + 1) % 2], u[t % 2], all); break;
      case 2: careless(u[(t + 1) % 2], u[t % 2], all); break;
      case 3: between(u[(t + 1) % 2], u[t % 2], all); break;
      default:
        if (t % 2 != 0) continue;
        add(u[1], u[0], all);
        scale(u[0], u[1], all, 7);
        mixed(u[1], u[0], all);
    }
  }
}

bool check(int mode, unsigned seed) {
  const long n = 500 + static_cast<long>(seed % 97);
  field a[2];
  for (field& f : a) {
    for (long i = 0; i < n + 2; ++i) f.push_back(std::rand() % 1000 - 500);
  }
  field b[2] = {a[0], a[1]};
  const part all{1, n + 1};
  rounds_done = 0;
  plain(mode, a, all);
  const long done = rounds_done;
  rounds_done = 0;
  spliced(mode, b, all);
  return a[0] == b[0] && a[1] == b[1] && done == rounds_done;
}

}  // namespace phases

int main() {
  for (const unsigned workers : {1u, 2u, 4u}) {
    sennit::runtime team({.workers = workers});
    for (unsigned seed = 0; seed < 20; ++seed) {
      for (int mode = 0; mode < 5; ++mode) {
        const bool right = team.run([&] { return phases::check(mode, seed); });
        if (!right) {
          std::printf("mode %d with %u workers, seed %u is wrong\n", mode, workers, seed);
          return 1;
        }
      }
    }
  }
  std::printf("as serial\n");
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Programs whose calls are many: in one list, or one in the other.
#pragma once

#include "support.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sennit_test {

struct outcome {
  std::string wrong;    // what differs from the loop: "" if nothing does
  std::uint64_t steps;  // of the loop
  sennit::splice_report report;
  double checks_each() const { return static_cast<double>(report.checks) / static_cast<double>(steps); }
};

constexpr int sweeps = 4;

inline std::string difference(const std::vector<std::uint64_t>& is,
                              const std::vector<std::uint64_t>& should) {
  for (std::size_t i = 0; i < is.size(); ++i) {
    if (is[i] != should[i]) return "cell " + std::to_string(i);
  }
  return "";
}

// Each sweep is one list of calls, of one cell each.
inline outcome sweep_in_a_list(std::size_t n, const sennit::splicing& how, unsigned workers) {
  using cells = std::vector<std::uint64_t>;
  const auto update = [](cells& out, const cells& in, std::size_t i) {
    out[i] = mixed(in[i - 1] ^ (in[i] << 1) ^ (in[i + 1] << 2));
  };
  const auto cell = [update](cells& out, const cells& in, std::size_t i) {
    const sennit::call_effects fx{sennit::reads(sennit::memory_range(&in[i - 1], 3)),
                                  sennit::writes(sennit::memory_range(&out[i], 1))};
    sennit::step(fx, [&] { update(out, in, i); });
  };
  cells u[2] = {cells(n + 2, 1), cells(n + 2, 2)};
  cells expected[2] = {u[0], u[1]};
  for (int t = 0; t < sweeps; ++t) {
    for (std::size_t i = 1; i <= n; ++i) update(expected[(t + 1) % 2], expected[t % 2], i);
  }
  outcome o{"", sweeps * n, {}};
  runtime_of(workers).run([&] {
    o.report = sennit::splice(how, sweeps, [&](int t) {
      cells& out = u[(t + 1) % 2];
      const cells& in = u[t % 2];
      const sennit::call_effects fx{sennit::reads(sennit::memory_range(in)),
                                    sennit::writes(sennit::memory_range(&out[1], n))};
      sennit::sequence_of(n, [&](std::size_t i) { return sennit::call(cell, out, in, i + 1); });
    });
  });
  o.wrong = difference(u[0], expected[0]) + difference(u[1], expected[1]);
  return o;
}

// Each sweep is a list of cells, of which a call does the first, and calls itself for the rest.
inline void from_cell_on(std::uint64_t* first, std::uint64_t* last, std::uint64_t t) {
  const sennit::call_effects fx{sennit::writes(sennit::memory_range(first, last - first))};
  const auto visit = [t](std::uint64_t* cell) {
    const sennit::call_effects its{sennit::writes(sennit::memory_range(cell, 1))};
    sennit::step(its, [&] { *cell = mixed(*cell + t); });
  };
  if (last - first == 1) {
    visit(first);
  } else {
    sennit::sequence(sennit::call(visit, first), sennit::call(from_cell_on, first + 1, last, t));
  }
}
inline outcome chain(std::size_t n, const sennit::splicing& how, sennit::runtime& on) {
  std::vector<std::uint64_t> u(n, 3);
  std::vector<std::uint64_t> expected = u;
  for (std::uint64_t t = 0; t < sweeps; ++t) {
    for (std::uint64_t& cell : expected) cell = mixed(cell + t);
  }
  outcome o{"", sweeps * n, {}};
  on.run([&] {
    o.report = sennit::splice(
        how, sweeps, [&](int t) { from_cell_on(u.data(), u.data() + n, static_cast<std::uint64_t>(t)); });
  });
  o.wrong = difference(u, expected);
  return o;
}
// Each call adds to one sum, and writes a cell of its own.
inline outcome sums_in_a_list(std::size_t n, unsigned workers) {
  std::vector<std::uint64_t> cells(n, 1);
  std::uint64_t sum = 0;
  std::uint64_t expected = 0;
  for (std::uint64_t t = 0; t < sweeps; ++t) {
    for (std::size_t i = 0; i < n; ++i) expected = mixed(expected + i + t);
  }
  const auto add = [](std::uint64_t* cell, std::uint64_t* to, std::uint64_t by) {
    const sennit::call_effects fx{sennit::writes(sennit::memory_range(cell, 1), sennit::memory_range(to, 1))};
    sennit::step(fx, [&] { *cell = *to = mixed(*to + by); });
  };
  outcome o{"", sweeps * n, {}};
  runtime_of(workers).run([&] {
    o.report = sennit::splice(sweeps, [&](int t) {
      const sennit::call_effects fx{
          sennit::writes(sennit::memory_range(cells), sennit::memory_range(&sum, 1))};
      sennit::sequence_of(n, [&](std::size_t i) {
        return sennit::call(add, &cells[i], &sum, i + static_cast<std::uint64_t>(t));
      });
    });
  });
  if (sum != expected) o.wrong = "the sum";
  return o;
}

// Each call writes a cell somewhere.
inline outcome scattered_cells_in_a_list(std::size_t n, unsigned workers) {
  std::vector<std::uint64_t> u(n, 3);
  std::vector<std::uint64_t> expected = u;
  const auto cell_of = [n](std::uint64_t t, std::size_t i) { return mixed(t * n + i) % n; };
  for (std::uint64_t t = 0; t < sweeps; ++t) {
    for (std::size_t i = 0; i < n; ++i) expected[cell_of(t, i)] = mixed(expected[cell_of(t, i)] + i);
  }
  const auto visit = [](std::uint64_t* cell, std::size_t i) {
    const sennit::call_effects fx{sennit::writes(sennit::memory_range(cell, 1))};
    sennit::step(fx, [&] { *cell = mixed(*cell + i); });
  };
  outcome o{"", sweeps * n, {}};
  runtime_of(workers).run([&] {
    o.report = sennit::splice(sweeps, [&](int t) {
      const sennit::call_effects fx{sennit::writes(sennit::memory_range(u))};
      sennit::sequence_of(n, [&](std::size_t i) {
        return sennit::call(visit, &u[cell_of(static_cast<std::uint64_t>(t), i)], std::size_t{i});
      });
    });
  });
  o.wrong = difference(u, expected);
  return o;
}

// On stacks that have room for the chain as it runs outside a splice, some kilobytes for each call with a sanitizer.
inline outcome chain(std::size_t n, const sennit::splicing& how, unsigned workers, std::size_t stack_bytes) {
  sennit::runtime on({.workers = workers, .stack_bytes = stack_bytes});
  return chain(n, how, on);
}

}  // namespace sennit_test

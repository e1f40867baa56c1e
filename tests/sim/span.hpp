// SPDX-License-Identifier: Apache-2.0
// The span of a program: its longest chain of strands, with a cost for each construct on the way.
#pragma once

#include "engine/facts.hpp"
#include "program/program.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace sennit::sim {

// What migration costs at a construct on the chain: a fork, a spawn or a task has `each`; a loop has that for each halving,
// and the chunks that run while others wait.
struct burden {
  picoseconds each = 0;
  picoseconds chunks = 0;
};

inline picoseconds span_of(const program& p, burden b) {
  std::vector<picoseconds> spans(p.size());
  for (node_number n = 0; n < p.size(); ++n) {
    const node& here = p.at(n);
    const std::span children = p.children(here);
    picoseconds& span = spans[n];
    switch (here.what) {
      case part::work: span = here.time; break;
      case part::series: {
        picoseconds spawned = 0;
        for (const node_number c : children) {
          if (p.at(c).what == part::spawn) {
            span += b.each;
            spawned = std::max(spawned, span + spans[c]);
          } else if (p.at(c).what == part::wait) {
            span = std::max(span, spawned);
          } else {
            span += spans[c];
          }
        }
        span = std::max(span, spawned);
        break;
      }
      case part::fork: span = b.each + std::max(spans[children[0]], spans[children[1]]); break;
      case part::spawn: span = spans[children[0]]; break;
      case part::wait: break;
      case part::splice:  // one call after the other
        for (const node_number c : children) span += spans[c];
        break;
      case part::loop: {
        std::uint64_t iterations = 0;
        for (const node_number c : children) {
          const node& part = p.at(c);
          span = std::max(span, part.what == part::work ? spans[c] / part.iterations + 1 : spans[c]);
          iterations += part.iterations;
        }
        // The longest iteration, and a chunk of as many as the owner has claimed.
        span += b.chunks + static_cast<unsigned>(std::bit_width(iterations)) * b.each;
        break;
      }
      case part::graph: {
        // Edges lead to tasks of higher numbers in these tests.
        std::vector<picoseconds> begins(children.size());
        for (const auto& e : p.edges(here))
          begins[e.after] = std::max(begins[e.after], begins[e.before] + spans[children[e.before]] + b.each);
        for (std::size_t task = 0; task < children.size(); ++task)
          span = std::max(span, begins[task] + spans[children[task]] + b.each);
        break;
      }
    }
  }
  return spans[p.root()];
}

}  // namespace sennit::sim

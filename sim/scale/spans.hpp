// SPDX-License-Identifier: Apache-2.0
// The span of a program: how long it takes if there is always a worker for what could run; and its critical path.
#pragma once

#include "program/program.hpp"
#include "time/picoseconds.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace sennit::sim {

// What if the strands at a site were otherwise?
enum class change : std::uint8_t {
  none,
  twice_as_fast,
  parallel  // as if they were infinitely parallel
};

// The time on a critical path, by site. A site may be on it at many places.
struct critical_path {
  std::vector<double> strands;  // picoseconds of work
  std::vector<double> forks;    // picoseconds of forks
};

// `fork`: what each fork adds to the path through it, be it of a join, of a cut of a loop, of a spawn to its child, or of a
// graph to a task. With what a fork costs its own worker, this is the span. With what it costs that another worker takes a
// branch, this is the burdened span of He, Leiserson and Leiserson, "The Cilkview scalability analyzer" (2010).
//
// A loop is cut in halves as long as that makes it shorter: a part of k uniform iterations can become the time of one
// iteration and log2(k) forks. A branch of a fork, a part of a loop and a task end when the children have ended that they
// spawned; other children end at the next wait of a series around them.
//
// Takes some ten nanoseconds a node, and no recursion that is as deep as the program. Deterministic.
class spans {
 public:
  // `changes`: for each site; empty: none. The program has to stay. Graphs have no cycles: else throws std::invalid_argument.
  spans(const program& of, picoseconds fork, std::span<const change> changes = {});

  picoseconds span() const { return program_.root() == no_node ? 0 : whole(program_.root()); }
  // Of a node with the children that nobody in it waits for.
  picoseconds whole(node_number n) const noexcept {
    return ends_[n].children > ends_[n].own ? ends_[n].children : ends_[n].own;
  }
  critical_path path() const;

 private:
  // From the beginning of a node until its strand goes on, and until its last child ends for which nobody in it waits.
  struct ends {
    picoseconds own = 0;
    picoseconds children = 0;
  };
  struct weights {
    double own = 0;
    double children = 0;
  };
  // A work of many iterations that is halved so often.
  struct halved {
    picoseconds span;
    unsigned cuts;
    double share;  // of the work
  };

  picoseconds time(const node& n) const noexcept;
  ends of(const node& n);
  ends series(const node& n) const;
  picoseconds graph(const node& n, std::vector<picoseconds>& finish, std::vector<std::uint32_t>& order) const;
  halved halve(const node& part) const;
  picoseconds serial(node_number part) const;
  picoseconds loop(std::span<const node_number> parts) const;
  picoseconds loop_between(std::span<const node_number> parts, std::span<const picoseconds> sums) const;

  void walk(node_number n, const weights& w, std::vector<weights>& all, critical_path& found) const;
  void walk_series(const node& n, const weights& w, std::vector<weights>& all) const;
  void walk_loop(const node& n, double w, std::vector<weights>& all, critical_path& found) const;
  void walk_graph(const node& n, double w, std::vector<weights>& all, critical_path& found) const;
  void add(node_number n, double w, std::vector<weights>& all) const;

  const program& program_;
  picoseconds fork_;
  std::vector<change> changes_;
  std::vector<ends> ends_;
};

}  // namespace sennit::sim

// SPDX-License-Identifier: Apache-2.0
#include "engine/splice_graph.hpp"

#include <algorithm>
#include <stdexcept>

namespace sennit::sim {

namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

}  // namespace

std::vector<std::uint32_t> splice_graph::steps_of(const program& of) {
  std::vector<std::uint32_t> steps(of.size());
  for (node_number n = 0; n < of.size(); ++n) {
    const node& here = of.at(n);
    if (here.what == part::work) {
      steps[n] = 1;
      continue;
    }
    for (const node_number c : of.children(here)) steps[n] += steps[c];
  }
  return steps;
}

splice_graph::splice_graph(const program& of, node_number splice, std::span<const std::uint32_t> steps) {
  nodes_.reserve(steps[splice]);
  for (const node_number call : of.children(of.at(splice))) {
    add_steps(of, call);
    most_in_a_call_ = std::max(most_in_a_call_, steps[call]);
  }
  find_order(of);
}

void splice_graph::add_steps(const program& of, node_number n) {
  const node& here = of.at(n);
  switch (here.what) {
    case part::work: nodes_.push_back(n); return;
    case part::fork:
    case part::series:
      for (const node_number c : of.children(here)) add_steps(of, c);
      return;
    default:
      throw std::invalid_argument("simulate: calls of a splice are made of steps, forks and series only");
  }
}

void splice_graph::find_order(const program& of) {
  struct reader {
    std::uint32_t step;
    std::uint32_t next;
  };
  std::vector<std::uint32_t> writers(of.blocks(), nobody);  // the latest of each block
  std::vector<std::uint32_t> first_reader(of.blocks(), nobody);
  std::vector<reader> readers;  // since then
  std::vector<std::uint32_t> found;
  before_begins_.reserve(nodes_.size() + 1);
  before_begins_.push_back(0);
  for (std::uint32_t step = 0; step < size(); ++step) {
    const std::span touched = of.touches(of.at(nodes_[step]));
    found.clear();
    const auto wait_for = [&](std::uint32_t other) {
      if (other != nobody && other != step) found.push_back(other);
    };
    for (const touch& t : touched) {
      wait_for(writers[t.block]);
      if (!t.writes) continue;
      for (std::uint32_t r = first_reader[t.block]; r != nobody; r = readers[r].next)
        wait_for(readers[r].step);
    }
    for (const touch& t : touched) {
      if (t.writes) {
        writers[t.block] = step;
        first_reader[t.block] = nobody;
      }
    }
    for (const touch& t : touched) {
      if (t.writes || writers[t.block] == step) continue;
      readers.push_back({step, first_reader[t.block]});
      first_reader[t.block] = static_cast<std::uint32_t>(readers.size() - 1);
    }
    std::ranges::sort(found);
    const auto twice = std::ranges::unique(found);
    before_.insert(before_.end(), found.begin(), twice.begin());
    before_begins_.push_back(static_cast<std::uint32_t>(before_.size()));
  }
  after_begins_.assign(nodes_.size() + 1, 0);
  for (const std::uint32_t b : before_) ++after_begins_[b + 1];
  for (std::size_t i = 1; i < after_begins_.size(); ++i) after_begins_[i] += after_begins_[i - 1];
  after_.resize(before_.size());
  std::vector<std::uint32_t> at(after_begins_.begin(), after_begins_.end() - 1);
  for (std::uint32_t step = 0; step < size(); ++step)
    for (const std::uint32_t b : before(step)) after_[at[b]++] = step;
}

}  // namespace sennit::sim

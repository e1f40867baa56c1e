// SPDX-License-Identifier: Apache-2.0
#include "schedule/worker_runs.hpp"

#include <algorithm>

namespace sennit::detail {
namespace {

bool is_taken_within(const std::vector<steal>& list) {
  return std::ranges::any_of(list, [](const steal& node) {
    return node.taken || (node.what == steal::kind::loop && is_taken_within(node.inside));
  });
}

}  // namespace

void give(steal& fork, unsigned left, unsigned right) {
  fork.taken = right != left || is_taken_within(fork.inside);
  if (fork.taken) fork.begun.role = right;
}

std::size_t runs_of_loop::run_at(std::uint64_t iteration) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(runs_, iteration, {}, &run::first) -
                                  runs_.begin()) -
         1;
}

unsigned runs_of_loop::last_worker() const {
  return std::ranges::max_element(runs_, {}, &run::worker)->worker;
}

std::uint64_t runs_of_loop::cut(std::uint64_t first, std::uint64_t last) const {
  const std::size_t from = run_at(first);
  const std::size_t to = run_at(last - 1) + 1;
  if (to - from < 2) return 0;
  const std::uint64_t least = (last - first) / 8;  // see observed_cut()
  const auto fits = [&](std::uint64_t at) { return std::min(at - first, last - at) >= least; };
  const std::uint64_t in_the_middle = runs_[from + (to - from) / 2].first;
  if (fits(in_the_middle)) return in_the_middle;
  // The run that begins nearest to the middle.
  const std::uint64_t middle = first + (last - first) / 2;
  const std::size_t above = std::clamp(run_at(middle) + 1, from + 1, to - 1);
  const std::uint64_t below = runs_[std::max(above - 1, from + 1)].first;
  const std::uint64_t nearest = std::max(below, middle) - std::min(below, middle) <
                                        runs_[above].first - std::min(middle, runs_[above].first)
                                    ? below
                                    : runs_[above].first;
  if (fits(nearest)) return nearest;
  const std::uint64_t within =
      nearest < middle ? (first + least + grain_ - 1) / grain_ * grain_ : (last - least) / grain_ * grain_;
  return first < within && within < last ? within : nearest;
}

std::uint64_t runs_of_loop::add(std::vector<steal>& list, std::uint64_t at, std::uint64_t first,
                                std::uint64_t last) const {
  const std::uint64_t middle = cut(first, last);
  if (middle == 0) return 0;
  steal fork{.at = at, .cut = middle};
  add(fork.inside, 0, first, middle);
  give(fork, worker_at(first), worker_at(middle));
  list.push_back(std::move(fork));
  return 1 + add(list, at + 1, middle, last);
}

schedule loops_of(steal loop, unsigned workers, unsigned times) {
  steal_tree tree;
  tree.roles = workers;
  for (unsigned i = 0; i < times && !loop.inside.empty(); ++i) {
    loop.at = i;
    tree.root.push_back(loop);
  }
  number_events(tree);
  return schedule_access::make(hold(std::move(tree)));
}

}  // namespace sennit::detail

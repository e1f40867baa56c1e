// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/timeline.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tpal {

void timeline::forked(const task& parent, const task& child) {
  lives_.resize(std::max<std::size_t>(lives_.size(), child.id + 1));
  life& l = lives_[child.id];
  l.parent = parent.id;
  l.pieces.push_back({child.span, child.span});
}

void timeline::joined(std::uint64_t task, std::uint64_t span) { stop(task, span); }

void timeline::combined(const combination& c) {
  lives_[c.child].over = c.at;
  lives_[c.child].combined = true;
  resume(c.parent, c.at);
}

void timeline::left(const task& t) { resume(t.id, t.span); }

// Tasks that wait at the halt are there until then, as far as anyone knows.
void timeline::halted(const task& t) {
  stop(t.id, t.span);
  for (life& l : lives_) {
    if (!l.combined) l.over = std::max(t.span, l.pieces.back().end);
  }
}

void timeline::resume(std::uint64_t task, std::uint64_t at) {
  std::vector<piece>& pieces = lives_[task].pieces;
  if (pieces.back().end != at) pieces.push_back({at, at});
}

void timeline::stop(std::uint64_t task, std::uint64_t at) { lives_[task].pieces.back().end = at; }

std::vector<std::size_t> timeline::rows() const {
  std::vector<std::size_t> order(lives_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {},
                    [this](std::size_t id) { return std::pair(lives_[id].pieces.front().begin, id); });
  std::vector<std::size_t> row(lives_.size());
  std::vector<std::uint64_t> taken_until;
  for (const std::size_t id : order) {
    const std::uint64_t begin = lives_[id].pieces.front().begin;
    const auto vacant = std::find_if(taken_until.begin(), taken_until.end(),
                                     [begin](std::uint64_t until) { return until < begin; });
    row[id] = static_cast<std::size_t>(vacant - taken_until.begin());
    if (vacant == taken_until.end()) taken_until.emplace_back();
    taken_until[row[id]] = lives_[id].over;
  }
  return row;
}

}  // namespace tpal

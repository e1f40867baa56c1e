// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/races.hpp"

#include <algorithm>

namespace tpal {

void races::forked(std::uint64_t parent, std::uint64_t child) {
  clock own = clocks_[parent];
  own.resize(child + 1);
  own[child] = 1;
  ++clocks_[parent][parent];
  clocks_.resize(std::max<std::size_t>(clocks_.size(), child + 1));
  clocks_[child] = std::move(own);
}

void races::combined(std::uint64_t parent, std::uint64_t child) {
  clock& p = clocks_[parent];
  const clock& c = clocks_[child];
  p.resize(std::max(p.size(), c.size()));
  for (std::size_t i = 0; i < c.size(); ++i) p[i] = std::max(p[i], c[i]);
}

bool races::is_before(const access& a, std::uint64_t task) const {
  const clock& c = clocks_[task];
  return a.task < c.size() && a.epoch <= c[a.task];
}

std::optional<access> races::note(std::uint64_t task, std::size_t cell, bool stores, position at) {
  history& h = cells_[cell];
  if (h.stored && !is_before(*h.stored, task)) return h.stored;
  const access now{task, clocks_[task][task], stores, at};
  if (stores) {
    for (const access& a : h.loaded) {
      if (!is_before(a, task)) return a;
    }
    h.stored = now;
    h.loaded.clear();
  } else {
    std::erase_if(h.loaded, [&](const access& a) { return is_before(a, task); });
    h.loaded.push_back(now);
  }
  return std::nullopt;
}

void races::describe(const std::vector<std::uint64_t>& tasks, std::string& text) const {
  for (const auto& [cell, h] : cells_) {
    const auto add = [&, cell = cell](const access& a) {
      std::string known;
      for (const std::uint64_t t : tasks) known += is_before(a, t) ? '1' : '0';
      if (known.find('0') == std::string::npos) return;
      text += std::to_string(cell) + (a.stores ? 's' : 'l') + known + ',';
    };
    if (h.stored) add(*h.stored);
    for (const access& a : h.loaded) add(a);
  }
}

}  // namespace tpal

// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/moved.hpp"

#include "schedule/loop_parts.hpp"
#include "schedule/steal_tree.hpp"
#include "tools/sennit/pairs_of_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace command {
namespace {

using sennit::detail::part_of_loop;
using sennit::detail::steal;
using sennit::detail::steal_tree;

class comparer {
 public:
  comparer(const steal_tree& now, const steal_tree& before, unsigned nodes)
      : now_(now), before_(before), nodes_(nodes), workers_(now.roles) {}

  std::vector<moved_work> find() {
    for_each_pair_of_loops(now_, before_,
                           [this](const auto& these, const auto& those) { count(these, those); });
    compare_steals();
    return std::move(workers_);
  }

 private:
  static std::uint64_t place(std::uint32_t role, const steal_tree& tree, unsigned nodes) {
    return nodes == 0 ? role : std::uint64_t{role} * nodes / tree.roles;
  }
  bool moved(std::uint32_t now, std::uint32_t before) const {
    return place(now, now_, nodes_) != place(before, before_, nodes_);
  }

  void count(const std::vector<part_of_loop>& these, const std::vector<part_of_loop>& those) {
    std::uint64_t first = 0;
    for (auto a = these.begin(), b = those.begin(); a != these.end();) {
      const std::uint64_t last = std::min(a->last, b->last);
      moved_work& work = workers_[a->by];
      work.iterations += last - first;
      if (moved(a->by, b->by)) work.moved += last - first;
      first = last;
      if (b->last == last) ++b;
      if (a->last == last) ++a;
    }
  }

  void compare_steals() {
    static const std::vector<steal> nothing;
    std::vector<const std::vector<steal>*> lists{&before_.root};
    sennit::detail::walk(
        now_.root,
        [&](const sennit::detail::visit& at) {
          const std::vector<steal>& list = *lists.back();
          const auto found = std::lower_bound(list.begin(), list.end(), at.node.at,
                                              [](const steal& s, std::uint64_t p) { return s.at < p; });
          const bool there = found != list.end() && found->at == at.node.at && found->what == at.node.what;
          lists.push_back(there ? &found->inside : &nothing);
          if (!at.node.taken) return;
          moved_work& work = workers_[at.node.begun.role];
          ++work.steals;
          if (!there || !found->taken || moved(at.node.begun.role, found->begun.role)) ++work.changed;
        },
        [&](const steal&) { lists.pop_back(); });
  }

  const steal_tree& now_;
  const steal_tree& before_;
  const unsigned nodes_;
  std::vector<moved_work> workers_;
};

std::string line(const moved_work& w, const char* elsewhere) {
  std::string out;
  if (w.iterations > 0) {
    out = fmt::format("{:.1f}% of {} iterations ran on {}; ",
                      100 * static_cast<double>(w.moved) / static_cast<double>(w.iterations), w.iterations,
                      elsewhere);
  }
  return out + fmt::format("{} of {} steals are others\n", w.changed, w.steals);
}

}  // namespace

moved_work comparison::all() const {
  moved_work sum;
  for (const moved_work& w : workers) {
    sum.iterations += w.iterations;
    sum.moved += w.moved;
    sum.steals += w.steals;
    sum.changed += w.changed;
  }
  return sum;
}

comparison compare(const sennit::schedule& s, const sennit::schedule& earlier, std::string name,
                   unsigned nodes) {
  const auto now = sennit::detail::schedule_access::tree(s);
  const auto before = sennit::detail::schedule_access::tree(earlier);
  return {std::move(name), nodes == 0 ? "another worker" : "another node", earlier,
          comparer(*now, *before, nodes).find()};
}

std::string text(const comparison& c) {
  std::string out = fmt::format("against {}: {}", c.with, line(c.all(), c.elsewhere));
  for (std::size_t i = 0; i < c.workers.size(); ++i)
    out += fmt::format("  worker {}: {}", i, line(c.workers[i], c.elsewhere));
  return out;
}

}  // namespace command

// SPDX-License-Identifier: Apache-2.0
// Which sequentially consistent accesses and fences have to come before which others, in weak memory: the relation psc of
// RC11 (Lahav, Vafeiadis, Kang, Hur and Dreyer, 2017), which must have no cycle. The order of execution is not that order:
// a relaxed store can be read before what its thread stored earlier in a sequentially consistent way.
#include "machine.hpp"

namespace explore {

namespace {

constexpr unsigned no_place = ~0U;

}  // namespace

bool precedence::add(int one, int other) {
  if (one == other || has(other, one)) return false;
  if (has(one, other)) return true;
  const std::vector<std::uint64_t> further = behind_[static_cast<unsigned>(other)];
  const auto word = static_cast<std::size_t>(other) / 64;
  for (int i = 0; i < static_cast<int>(behind_.size()); ++i) {
    if (i != one && !has(i, one)) continue;
    std::vector<std::uint64_t>& behind = behind_[static_cast<unsigned>(i)];
    behind.resize(std::max({behind.size(), further.size(), word + 1}));
    for (std::size_t w = 0; w < further.size(); ++w) behind[w] |= further[w];
    behind[word] |= std::uint64_t{1} << other % 64;
  }
  return true;
}

// The step that the thread takes now, which learns that.
machine::moment machine::now(unsigned actor, const view* learnt, bool sequential) const noexcept {
  moment m{.actor = actor,
           .time = threads_[actor].seen.time[actor],
           .seen = threads_[actor].seen.time,
           .number = sequential ? static_cast<int>(sequential_.size()) : -1};
  for (unsigned i = 0; learnt != nullptr && i < most_threads; ++i)
    m.seen[i] = std::max(m.seen[i], learnt->time[i]);
  return m;
}

// Of each thread the latest fence that happened before, and the first one that happened after.
void machine::fences_before(const moment& m, std::vector<int>& found) const {
  if (m.actor == most_actors) return;
  for (unsigned i = 0; i < count_; ++i) {
    const auto latest = std::find_if(fences_[i].rbegin(), fences_[i].rend(), [&](int f) {
      return sequential_[static_cast<unsigned>(f)].when.time <= m.seen[i];
    });
    if (latest != fences_[i].rend()) found.push_back(*latest);
  }
}
void machine::fences_behind(const moment& m, std::vector<int>& found) const {
  if (m.actor == most_actors) return;
  for (unsigned i = 0; i < count_; ++i) {
    const auto first = std::find_if(fences_[i].begin(), fences_[i].end(), [&](int f) {
      return sequential_[static_cast<unsigned>(f)].when.seen[m.actor] >= m.time;
    });
    if (first != fences_[i].end()) found.push_back(*first);
  }
}
// The step itself, if it is sequentially consistent, and the fences before it, or behind it.
std::vector<int> machine::steps_up_to(const moment& m) const {
  std::vector<int> found;
  if (m.number >= 0) found.push_back(m.number);
  fences_before(m, found);
  return found;
}
std::vector<int> machine::steps_from(const moment& m) const {
  std::vector<int> found;
  if (m.number >= 0) found.push_back(m.number);
  fences_behind(m, found);
  return found;
}

// `rank`: of the store that the access reads, or that its own store gets in the modification order.
machine::pairs machine::order_of_access(const moment& m, unsigned which, bool stores, unsigned rank) const {
  pairs found;
  const place& p = places_[which];
  const auto all = [&found](const std::vector<int>& from, const std::vector<int>& to) {
    for (const int f : from) {
      for (const int t : to) found.emplace_back(f, t);
    }
  };
  // Before the stores behind it; a fence also before who has read these.
  const unsigned behind = stores ? rank : rank + 1;
  const std::vector<int> before = steps_up_to(m);
  for (unsigned r = behind; !before.empty() && r < p.order.size(); ++r)
    all(before, steps_from(p.stores[p.order[r]].when));
  std::vector<int> fences;
  fences_before(m, fences);
  for (const kept_load& l : p.loads) {
    if (fences.empty() || p.stores[l.store].rank < behind) continue;
    std::vector<int> to;
    fences_behind(l.when, to);
    all(fences, to);
  }
  if (!stores || m.number < 0) return found;
  // Behind the stores before it, and those who have read these.
  for (unsigned r = 0; r < rank; ++r) all(steps_up_to(p.stores[p.order[r]].when), {m.number});
  for (const kept_load& l : p.loads) {
    if (p.stores[l.store].rank < rank) all(steps_up_to(l.when), {m.number});
  }
  return found;
}

// What it comes behind as that happened before.
machine::pairs machine::order_among_sequential(const sequential_step& s) const {
  pairs found;
  for (const sequential_step& other : sequential_) {
    const moment& o = other.when;
    if (o.number == s.when.number) continue;
    const bool fence = other.place == no_place || s.place == no_place;
    // Two accesses of different places: each thread has done something else in between (C++20, strongly happens before).
    const bool comes =
        o.actor == s.when.actor ||
        (s.when.seen[o.actor] >= o.time && (fence || other.place == s.place || s.before[o.actor] > o.time));
    if (comes) found.emplace_back(o.number, s.when.number);
  }
  return found;
}

machine::pairs machine::order_of_fence(const moment& m) const {
  pairs found;
  const auto happened = [&m](const moment& o) { return o.actor != most_actors && m.seen[o.actor] >= o.time; };
  for (const place& p : places_) {
    // The newest store that happened before, and the newest one that was read.
    int stored = -1, read = -1;
    for (const kept_store& s : p.stores) {
      if (happened(s.when)) stored = std::max(stored, static_cast<int>(s.rank));
    }
    for (const kept_load& l : p.loads) {
      if (happened(l.when)) read = std::max(read, static_cast<int>(p.stores[l.store].rank));
    }
    const auto comes = [&](const moment& o, int rank, bool loads) {
      std::vector<int> from;
      if (rank < stored) {
        from = steps_up_to(o);
      } else if (loads ? rank < read : rank <= read) {
        fences_before(o, from);
      }
      for (const int f : from) found.emplace_back(f, m.number);
    };
    if (stored < 0 && read < 0) continue;
    for (const kept_store& s : p.stores) comes(s.when, static_cast<int>(s.rank), false);
    for (const kept_load& l : p.loads) comes(l.when, static_cast<int>(p.stores[l.store].rank), true);
  }
  return found;
}

// Whether the access leaves the order without a cycle.
bool machine::fits_order(const moment& m, unsigned which, bool stores, unsigned rank) const {
  const pairs found = order_of_access(m, which, stores, rank);
  if (found.empty()) return true;
  precedence order = sequential_order_;
  order.add(static_cast<unsigned>(sequential_.size()) + 1);
  const auto fits = [&order](const std::pair<int, int>& p) { return order.add(p.first, p.second); };
  if (m.number >= 0) {
    const sequential_step s{.when = m, .before = threads_[m.actor].seen.time, .place = which};
    const pairs happened = order_among_sequential(s);
    if (!std::all_of(happened.begin(), happened.end(), fits)) return false;
  }
  return std::all_of(found.begin(), found.end(), fits);
}

void machine::note_order(const moment& m, unsigned which, bool stores, unsigned rank) {
  pairs found = order_of_access(m, which, stores, rank);
  if (m.number >= 0) {
    sequential_.push_back({.when = m, .before = threads_[m.actor].seen.time, .place = which});
    const pairs happened = order_among_sequential(sequential_.back());
    found.insert(found.end(), happened.begin(), happened.end());
  }
  sequential_order_.add(static_cast<unsigned>(sequential_.size()));
  for (const auto& [one, other] : found) {
    if (!sequential_order_.add(one, other)) fail("no order of what is sequentially consistent");
  }
}

void machine::note_fence(unsigned actor) {
  const moment m = now(actor, nullptr, true);
  sequential_.push_back({.when = m, .before = m.seen, .place = no_place});
  fences_[actor].push_back(m.number);
  sequential_order_.add(static_cast<unsigned>(sequential_.size()));
  for (const pairs& found : {order_among_sequential(sequential_.back()), order_of_fence(m)}) {
    for (const auto& [one, other] : found) {
      if (!sequential_order_.add(one, other)) fail("no order of what is sequentially consistent");
    }
  }
}

}  // namespace explore

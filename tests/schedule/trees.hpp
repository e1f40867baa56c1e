// SPDX-License-Identifier: Apache-2.0
// Steal trees to test with: by hand, at random, and as a run would leave them.
#pragma once

#include "schedule/steal_tree.hpp"

#include <sennit/schedule.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace sennit_test {

using sennit::detail::event;
using sennit::detail::span_of_time;
using sennit::detail::steal;
using sennit::detail::steal_tree;
using kind = steal::kind;

inline steal node(kind what, std::uint64_t at, std::vector<steal> inside = {}) {
  steal made;
  made.what = what;
  made.at = at;
  made.inside = std::move(inside);
  return made;
}

inline steal taken(steal by, event begun, span_of_time ran = {}) {
  by.taken = true;
  by.begun = begun;
  by.ran = ran;
  return by;
}

inline steal waited(steal at_end, event resumed, span_of_time paused = {}) {
  at_end.waited = true;
  at_end.resumed = resumed;
  at_end.paused = paused;
  return at_end;
}

inline steal loop(std::uint64_t at, std::uint64_t size, std::vector<steal> inside) {
  steal made = node(kind::loop, at, std::move(inside));
  made.size = size;
  return made;
}

// Numbers each role's events from 0 in the order of their times, and of the tree where those are equal.
inline steal_tree numbered(steal_tree tree) {
  std::vector<std::tuple<std::uint64_t, std::size_t, event*>> events;
  sennit::detail::walk(tree.root, [&](const sennit::detail::visit& at) {
    auto& found = const_cast<steal&>(at.node);
    if (found.taken) events.emplace_back(found.ran.begin, events.size(), &found.begun);
    if (found.waited) events.emplace_back(found.paused.end, events.size(), &found.resumed);
  });
  std::sort(events.begin(), events.end());
  std::vector<std::uint32_t> next(tree.roles, 0);
  next[0] = 1;
  for (const auto& [time, order, e] : events) e->sequence = next[e->role]++;
  return tree;
}

// Any tree that may be: its times, if it has any, tell no story.
class random_tree {
 public:
  random_tree(unsigned seed, bool timed) : random_(seed), timed_(timed), roles_(below(8) + 1) {}

  steal_tree make() {
    steal_tree tree{roles_, timed_ ? 1'000'000'000U : 0U, constructs(0)};
    return numbered(std::move(tree));
  }

 private:
  std::uint32_t below(std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random_);
  }
  span_of_time time() {
    if (!timed_) return {};
    const std::uint64_t begin = below(1'000'000'000);
    return {begin, begin + below(100'000)};
  }
  steal perhaps_taken(steal made) {
    return below(2) > 0 ? taken(std::move(made), {below(roles_)}, time()) : made;
  }
  steal perhaps_waited(steal made) {
    return below(3) == 0 ? waited(std::move(made), {below(roles_)}, time()) : made;
  }

  std::vector<steal> constructs(unsigned depth) {
    std::vector<steal> list;
    std::uint64_t at = 0;
    for (std::uint32_t left = below(depth < 6 ? 5 : 1); left > 0; --left) {
      at += below(300);
      switch (below(4)) {
        case 0:
          list.push_back(perhaps_waited(perhaps_taken(node(kind::fork, at++, constructs(depth + 1)))));
          if (below(4) == 0) list.back().cut = below(100'000);
          break;
        case 1: list.push_back(perhaps_taken(node(kind::child, at++, constructs(depth + 1)))); break;
        case 2: list.push_back(perhaps_waited(node(kind::wait, at++))); break;
        default: list.push_back(loop(at++, 1 + below(100'000), constructs(depth + 1)));
      }
    }
    return list;
  }

  std::mt19937 random_;
  bool timed_;
  std::uint32_t roles_;
};

// As a run with phases leaves it: each phase is dealt to all workers by halves, through forks or as a loop by
// turns, and no worker is ever in two places.
class run_of_phases {
 public:
  run_of_phases(std::uint32_t workers, unsigned phases, unsigned seed) : random_(seed), workers_(workers) {
    for (std::uint32_t i = 0; i < workers; ++i) crew_.push_back(i);
    steal_tree tree{workers, 0, {}};
    for (unsigned phase = 0; phase < phases; ++phase) {
      now_ += 2000;
      begin_with(phase % 2 == 0 ? forks(tree.root, 0, workers_, now_, 12) : halves(tree.root));
    }
    tree.length = now_ + 1500;
    tree_ = numbered(std::move(tree));
  }

  steal_tree take() { return std::move(tree_); }

 private:
  static constexpr std::uint64_t resumption = 150;

  std::uint64_t work() { return 5000 + random_() % 20000; }

  void begin_with(std::uint32_t first) {
    for (std::uint32_t i = 0; i < workers_; ++i) crew_[i] = (first + i) % workers_;
  }

  // Runs [begin, end) of the crew from `start` on, sets now_ to the end, and returns who is there then.
  std::uint32_t forks(std::vector<steal>& list, std::uint32_t begin, std::uint32_t end, std::uint64_t start,
                      std::uint64_t size) {
    if (end - begin == 1) {
      now_ = start + work();
      position_ += size;
      return crew_[begin];
    }
    const std::uint32_t middle = begin + (end - begin) / 2;
    steal fork = taken(node(kind::fork, position_++), {crew_[middle]});
    const std::uint64_t mine = std::exchange(position_, 0);
    const std::uint32_t left_by = forks(fork.inside, begin, middle, start, size / 2);
    const std::uint64_t left_end = now_;
    position_ = mine;
    fork.ran.begin = start + 400;
    const std::size_t place = list.size();
    list.push_back(std::move(fork));
    const std::uint32_t right_by = forks(list, middle, end, start + 400, size / 2);
    list[place].ran.end = now_;
    if (now_ <= left_end) {
      now_ = left_end;
      return left_by;
    }
    now_ += resumption;
    list[place] = waited(std::move(list[place]), {right_by}, {left_end, now_});
    return right_by;
  }

  std::uint32_t halves(std::vector<steal>& list) {
    steal whole = loop(position_, std::uint64_t{1000} * workers_, {});
    const std::uint64_t mine = std::exchange(position_, 0);
    const std::uint32_t by = forks(whole.inside, 0, workers_, now_, 0);
    position_ = mine + 1;
    list.push_back(std::move(whole));
    return by;
  }

  std::mt19937 random_;
  std::uint32_t workers_;
  std::vector<std::uint32_t> crew_;
  std::uint64_t now_ = 0;
  std::uint64_t position_ = 0;
  steal_tree tree_;
};

inline steal_tree sample(std::uint32_t workers, unsigned phases, unsigned seed = 1) {
  return run_of_phases(workers, phases, seed).take();
}

// What save() and load() leave of a schedule, which has to be all of it.
inline sennit::schedule stored(const sennit::schedule& s) {
  EXPECT_EQ(complaint(*sennit::detail::schedule_access::tree(s)), "");
  const sennit::schedule again = sennit::schedule::from_bytes(s.to_bytes());
  EXPECT_EQ(again, s);
  EXPECT_EQ(again.to_bytes(), s.to_bytes());
  return again;
}

}  // namespace sennit_test

// SPDX-License-Identifier: Apache-2.0
// The front: lines that are walked together. A line is what is left of one tree, or of one call of a row. Here is the order
// of the walk, what a step is compared with, and what is remembered for that. docs/protocols/splices.md has the rules.
#pragma once

#include "splice/hulls.hpp"

#include <sennit/detail/assert.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sennit::detail {

// A part of a line.
struct front_node {
  front_node() noexcept {}
  front_node(const effects& fx, std::uint64_t first_key, std::uint32_t at_depth) noexcept
      : own(fx), key(first_key), depth(at_depth) {}

  static constexpr std::uint32_t key_bits = 63;
  // How far apart the keys of neighbors at that depth are.
  static constexpr std::uint64_t span(std::uint32_t depth) noexcept {
    return depth > key_bits ? 0 : std::uint64_t{1} << (key_bits - depth);
  }
  std::uint64_t end() const noexcept { return key + span(depth); }
  // The number of the part among those of its depth.
  std::uint64_t number() const noexcept { return depth > key_bits ? key : key >> (key_bits - depth); }

  hulls own;
  hulls rest;  // and of all parts after it
  // The first `depth` bits of `key` identify the part; keys increase from the first part of the line to the last.
  std::uint64_t key = 0;
  std::uint32_t depth = 0;
  bool has_waited = false;
};

// Some of the steps that a line has run. Each is kept with the data of the steps just before it, if that is no more than
// what all of them touch.
class remembered_steps {
 public:
  static constexpr std::uint64_t no_place = UINT64_MAX;

  remembered_steps() noexcept { places_.fill(no_place); }
  // Neighbors have numbers that follow one another.
  void add(std::uint64_t number, std::uint64_t place, const hulls& step) noexcept {
    number %= most;
    if (places_[last_] == no_place) {
      steps_[number] = step;
    } else if (last_ != number) [[likely]] {
      steps_[number] = step;
      steps_[number].extend_by(steps_[last_]);
    } else {
      // Parts of other depths are counted otherwise.
      hulls all = step;
      all.extend_by(steps_[last_]);
      steps_[number] = all;
    }
    places_[number] = place;
    last_ = number;
  }
  // Whether a step at that place has run, and has all that this step has.
  bool cover(std::uint64_t number, std::uint64_t place, const hulls& step) const noexcept {
    number %= most;
    return places_[number] == place && steps_[number].contains(step);
  }
  // Whether it is time to look for a nearer cover.
  static bool begins_anew(std::uint64_t number) noexcept { return number % most == 0; }

 private:
  static constexpr std::size_t most = 8;

  std::array<hulls, most> steps_;
  std::array<std::uint64_t, most> places_;
  std::size_t last_ = 0;  // the step that was added last
};

// Node: a front_node with place(), which tells the places of all steps of a line apart and increases, and number().
template <class Node>
struct front_line {
  std::vector<Node> todo;  // the next node is the last
  hulls after;             // what may still be done after all of them
  remembered_steps ran;
  std::uint32_t cover = 0;  // distance to the last cover, in lines; 0: none

  bool is_over() const noexcept { return todo.empty(); }
  Node& next() noexcept {
    SENNIT_ASSERT(!todo.empty());
    return todo.back();
  }
  const hulls& ahead() const noexcept { return todo.empty() ? after : todo.back().rest; }
  // After a node has been added, or has changed what it has of its own.
  void add_up() noexcept {
    Node& n = todo.back();
    n.rest.become_sum(n.own, todo.size() > 1 ? (&n)[-1].rest : after);
  }
};

// What is before a front.
enum class before_front : std::uint8_t {
  free,     // nothing of it is in the way of the step
  waits,    // something is
  skipped,  // something is, and the line goes on with its next step
};

// Walk: the class that derives from this one. It has
//   lines()                 the lines, each with step(): what the step at which it has arrived touches; and ends_with(): its
//                           last part, null if the line has nothing else
//   report()                in which waits and comparisons are counted
//   begin_round()           returns how many lines may go on; 0 ends the walk
//   goes_on(i)              whether a line may begin to run steps; false: no line behind it may, either
//   come_to_step(i)         cuts or continues the line until a step is next; returns false if it has none
//   run_step(i)
// and may have
//   is_first()              whether nothing is before the front
//   look_before(i, from)    compares the step with what is before the lines from ... i, and not in the front
//   skip(i)                 leaves the step for later
//   may_run(i)              the last question, after all comparisons
template <class Walk>
class front {
 protected:
  static constexpr bool is_first() noexcept { return true; }
  static constexpr before_front look_before(std::size_t, std::size_t) noexcept { return before_front::free; }
  static void skip(std::size_t) noexcept {}
  static constexpr bool may_run(std::size_t) noexcept { return true; }

  // The number of lines in which a cover is looked for.
  static constexpr std::size_t nearby = 4;

  // The first line that can do so runs a step, and the other lines run up to the place of that step.
  void walk_lines() {
    auto& lines = self().lines();
    std::size_t first = 0;
    std::size_t end = 0;
    for (bool any = true; any && (end = self().begin_round()) != 0;) {
      any = false;
      while (first < end && lines[first].is_over()) ++first;
      std::uint64_t place = 0;
      for (std::size_t i = first; i < end && self().goes_on(i); ++i) {
        auto& l = lines[i];
        if (any) {
          while (!l.is_over() && l.next().place() < place && run_next(i)) {
          }
        } else if (run_next(i)) {
          any = true;
          place = l.is_over() ? remembered_steps::no_place : l.next().place();
        }
      }
    }
  }

  // Returns false if a line begins with what one of those before it ends with: it would wait for all of that line.
  bool begins_in_one_direction() {
    auto& lines = self().lines();
    for (std::size_t i = 0; i < lines.size() && self().goes_on(i); ++i) {
      if (!self().come_to_step(i)) continue;
      for (std::size_t c = i - std::min(i, nearby); c < i; ++c) {
        const front_node* const last = lines[c].ends_with();
        if (last != nullptr && last->own.interferes(lines[i].step())) return false;
      }
    }
    return true;
  }

 private:
  Walk& self() noexcept { return static_cast<Walk&>(*this); }

  // Returns false if the line has no next step, or if that step has to wait.
  bool run_next(std::size_t i) {
    while (self().come_to_step(i)) {
      // The preceding line is the most frequent obstacle.
      const bool is_first = self().is_first();
      if (is_first && i > 0 && is_ahead(i - 1, i)) return note_wait(i);
      const std::size_t from = find_cover(i);
      if (!is_first) {
        const before_front found = self().look_before(i, from);
        if (found != before_front::free) note_wait(i);
        if (found == before_front::waits) return false;
        if (found == before_front::skipped) {
          self().skip(i);
          continue;
        }
        if (i > 0 && is_ahead(i - 1, i)) return note_wait(i);
      }
      for (std::size_t c = i; c-- > from + 1;) {
        if (is_ahead(c - 1, i)) return note_wait(i);
      }
      if (!self().may_run(i)) return false;
      self().run_step(i);
      return true;
    }
    return false;
  }

  // Whether what is left of line c is in the way of the step of line i.
  bool is_ahead(std::size_t c, std::size_t i) {
    ++self().report().checks;
    return self().lines()[c].ahead().interferes(self().lines()[i].step());
  }

  // The first line that has to be checked for obstacles of the step. An earlier line may have run a step with the same
  // effects; then lines before that one have no obstacle (section 7, "Splicing multiple threads").
  std::size_t find_cover(std::size_t i) {
    auto& l = self().lines()[i];
    const hulls& step = l.step();
    const std::uint64_t number = l.next().number();
    const std::uint64_t place = l.next().place();
    const auto covers = [&](std::uint32_t back) { return (&l - back)->ran.cover(number, place, step); };
    SENNIT_ASSERT(l.cover <= i);
    // Sometimes a nearer cover is looked for.
    if (l.cover != 0 && !remembered_steps::begins_anew(number) && covers(l.cover)) [[likely]]
      return i - l.cover;
    for (std::uint32_t back = 1; back <= std::min(i, nearby); ++back) {
      if (!covers(back)) continue;
      l.cover = back;
      return i - back;
    }
    return 0;
  }

  // Returns false.
  bool note_wait(std::size_t i) noexcept {
    if (!std::exchange(self().lines()[i].next().has_waited, true)) {
      ++self().report().delayed;
      ++self().report().dependences;
    }
    return false;
  }
};

}  // namespace sennit::detail

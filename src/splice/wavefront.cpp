// SPDX-License-Identifier: Apache-2.0
#include "splice/wavefront.hpp"

#include "splice/lane_fork.hpp"

#include <sennit/detail/assert.hpp>
#include <sennit/detail/effects_access.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace sennit::detail {

void wavefront::line::push(const node& n) {
  SENNIT_ASSERT(todo.empty() || n.end() <= todo.back().key);  // it precedes all nodes in the list
  todo.push_back(n);
  add_up();
}

std::ptrdiff_t wavefront::lane::bytes() const noexcept {
  std::size_t nodes = 0;
  for (const line& l : lines) nodes += l.todo.capacity() + l.skipped.capacity();
  return static_cast<std::ptrdiff_t>(lines.capacity() * sizeof(line) + nodes * sizeof(node));
}

wavefront::wavefront(const forest& trees, std::uint32_t first, std::uint32_t count)
    : trees_(trees),
      first_(first),
      count_(count),
      all_{0, front_node::span(0), true, std::vector<line>(count)} {
  for (std::uint32_t t = 0; t < count; ++t) {
    node root{};
    const bool made = failure_.guard(t, 0, [&] {
      trees_.root(trees_.trees, first_ + t, root.part);
      root.own = hulls_of(t, root.part);
      return true;
    });
    if (!made) return;
    all_.lines[t].push(root);
  }
}

// One lane, as a front.
class wavefront::lane_walk : public front<lane_walk> {
 public:
  // log: may be null.
  lane_walk(wavefront& all, lane& s, splice_log* log) noexcept : all_(all), lane_(s), log_(log) {}
  using front::begins_in_one_direction;
  using front::walk_lines;

 private:
  friend front;
  std::vector<line>& lines() noexcept { return lane_.lines; }
  splice_report& report() noexcept { return lane_.report; }
  std::size_t begin_round() {
    if (!all_.stop_.keep_on()) return 0;
    const std::uint32_t failed = all_.failure_.call();
    if (failed >= all_.count_) [[likely]]
      return all_.count_;
    all_.drop_void(failed, lane_.lines[failed]);
    return failed + 1;
  }
  // Also not beyond a tree that fails now.
  bool goes_on(std::size_t i) const noexcept { return i <= all_.failure_.call(); }
  bool is_first() const noexcept { return lane_.is_first; }
  bool come_to_step(std::size_t i);
  before_front look_before(std::size_t i, std::size_t from);
  void skip(std::size_t i);
  void run_step(std::size_t i);

  wavefront& all_;
  lane& lane_;
  splice_log* log_;
};

// Cuts the next node of the line until it is a step. Returns false if the line has no node left.
bool wavefront::lane_walk::come_to_step(std::size_t i) {
  line& l = lane_.lines[i];
  if (l.todo.empty()) return false;
  if (l.todo.back().is_step) return true;
  const std::uint64_t key = l.todo.back().key;
  const std::uint32_t from = l.todo.back().depth;
  const forest& trees = all_.trees_;
  const auto tree = static_cast<std::uint32_t>(i);
  const bool found = all_.failure_.guard(tree, key, [&] {
    // The last node becomes its own second half, and the first half follows it in the list. This repeats
    // until the first half is a step.
    for (std::uint32_t depth = from + 1;; ++depth) {
      node& n = l.todo.back();
      part_room first;
      if (!trees.halve(trees.trees, all_.first_ + tree, n.part, first, n.part)) {
        n.is_step = true;
        if (depth == from + 1) return true;  // nothing has changed
        n.own = all_.hulls_of(tree, n.part);
        l.add_up();
        return true;
      }
      SENNIT_ASSERT(n.key == key && n.depth + 1 == depth);
      n.key = key + front_node::span(depth);
      n.depth = depth;
      n.own = all_.hulls_of(tree, n.part);
      l.add_up();
      node& next = l.todo.emplace_back();
      next.part = first;
      next.key = key;
      next.depth = depth;
    }
  });
  if (!found) l.todo.clear();
  return found;
}

// A step that depends on work before the lane is skipped until that work is done. After the lane's first step in a tree, the
// tree waits instead: it would take too much memory to remember all skipped nodes.
before_front wavefront::lane_walk::look_before(std::size_t i, std::size_t from) {
  const std::vector<line>& lines = lane_.lines;
  for (std::size_t c = i + 1; c-- > from;) {
    ++lane_.report.checks;
    if (lines[c].before.interferes(lines[i].step()))
      return lines[i].begun ? before_front::waits : before_front::skipped;
  }
  return before_front::free;
}

void wavefront::lane_walk::skip(std::size_t i) {
  line& l = lane_.lines[i];
  l.before += l.next().own;
  l.skipped.push_back(l.next());
  l.todo.pop_back();
}

void wavefront::lane_walk::run_step(std::size_t i) {
  line& l = lane_.lines[i];
  const node& n = l.next();
  SENNIT_ASSERT(n.is_step);
  l.begun = true;
  l.ran.add(n.number(), n.place(), n.own);
  const std::uint64_t key = n.key;
  const part_room part = n.part;
  l.todo.pop_back();
  ++lane_.report.steps;
  const auto tree = static_cast<std::uint32_t>(i);
  const bool done = all_.failure_.guard(tree, key, [&] {
    const forest& trees = all_.trees_;
    trees.step(trees.trees, all_.first_ + tree, part);
    if (log_ != nullptr) log_->note(all_.first_ + tree, part.bytes);
    return true;
  });
  if (!done) l.todo.clear();
}

splice_reason wavefront::unsuitable() {
  for (std::uint32_t t = 1; t < count_ && !all_.lines[t].todo.empty(); ++t) {
    bool shares = false;
    for (std::uint32_t c = t; c-- > 0 && !shares;) {
      shares = all_.lines[c].todo.front().own.overlaps(all_.lines[t].todo.front().own);
    }
    if (!shares) return splice_reason::independent_trees;
  }
  for (std::uint32_t t = 0; t < count_ && !all_.lines[t].todo.empty(); ++t) {
    const effects all = trees_.effects_of(trees_.trees, first_ + t, all_.lines[t].todo.front().part);
    if (!effects_access::all_nearly_contiguous(all)) return splice_reason::scattered_data;
  }
  const bool one_direction = lane_walk(*this, all_, nullptr).begins_in_one_direction();
  for (std::uint32_t t = 0; t < count_; ++t) {
    const line& l = all_.lines[t];
    if (l.todo.empty() || !l.todo.back().is_step) continue;
    // A region of all may have no gaps, and one of a part many: rows of several plates that lie behind one another.
    if (!effects_access::all_nearly_contiguous(
            trees_.effects_of(trees_.trees, first_ + t, l.todo.back().part)))
      return splice_reason::scattered_data;
  }
  return one_direction ? splice_reason::none : splice_reason::opposite_directions;
}

void wavefront::run(splice_log* log, unsigned workers, splice_report& report) {
  // A lane alone can do very little if it is not wider than the number of trees: at either end, each tree
  // has to leave one step more than the tree before.
  int cuts = workers < 2 ? 0 : std::bit_width(workers - 1) + (log == nullptr ? 2 : 1);
  const std::vector<node>& in_first = all_.lines.front().todo;
  const std::uint32_t depth = in_first.empty() ? 0 : std::min(in_first.back().depth, 62u);
  while (cuts > 0 && (std::uint64_t{1} << depth >> cuts) < count_) --cuts;
  stop_.attempt([&] { run(all_, log, cuts); });
  report += all_.report;
  report.extra_bytes = std::max(report.extra_bytes, bytes_.most());
  failure_.rethrow();
  stop_.rethrow();
}

void wavefront::run(lane& s, splice_log* log, int cuts) {
  if (cuts > 0) {
    fork(s, log, cuts - 1);
  } else {
    walk(s, log);
  }
}

// Conditional sync (Lifflander and Krishnamoorthy, section 6): forks two lanes, each of which assumes that
// the other has done nothing. Afterwards one lane does what both have left.
void wavefront::fork(lane& s, splice_log* log, int cuts) {
  const std::uint64_t middle = s.first + (s.last - s.first) / 2;
  SENNIT_ASSERT(s.first < middle && middle < s.last);
  lane left = part_of(s, s.first, middle);
  lane right = part_of(s, middle, s.last);
  split(s, middle, left, right);
  bool apart = true;
  fork_lanes(
      log, [&](splice_log* left_log) { run(left, left_log, cuts); },
      [&](bool alone, splice_log* right_log) {
        if (alone) {
          apart = false;
          lane rest = part_of(s, middle, s.last);
          append(rest, left);
          append(rest, right);
          right = std::move(rest);
        }
        run(right, right_log, cuts);
      });
  s.report += left.report;
  s.report += right.report;
  if (apart) append(s, left);
  append(s, right);
  if (apart) walk(s, log);
}

// A lane with the surrounding effects, and no nodes yet.
wavefront::lane wavefront::part_of(const lane& s, std::uint64_t first, std::uint64_t last) const {
  lane part{first, last, s.is_first, std::vector<line>(count_)};
  for (std::uint32_t t = 0; t < count_; ++t) {
    part.lines[t].before = s.lines[t].before;
    part.lines[t].after = s.lines[t].after;
  }
  return part;
}

void wavefront::split(lane& s, std::uint64_t at, lane& left, lane& right) {
  right.is_first = false;
  for (std::uint32_t t = 0; t < count_; ++t) {
    std::vector<node> todo = std::move(s.lines[t].todo);
    const auto of_right = [&] {
      return std::ranges::find_if(todo, [at](const node& n) { return n.key < at; });
    };
    // At most one node belongs to both lanes.
    for (auto n = of_right(); n != todo.end() && n->end() > at; n = of_right()) {
      node second;
      if (!failure_.guard(t, n->key, [&] { return halve(t, *n, second); })) break;
      todo.insert(n, second);
    }
    const auto last_of_left = of_right();
    line& r = right.lines[t];
    for (auto n = todo.begin(); n != last_of_left; ++n) r.push(*n);
    line& l = left.lines[t];
    l.after = r.ahead();
    for (auto n = last_of_left; n != todo.end(); ++n) {
      r.before += n->own;
      l.push(*n);
    }
    drop_void(t, l);
    drop_void(t, r);
  }
}

// What is left in `s` comes after what is in `to`.
void wavefront::append(lane& to, lane& s) {
  for (std::uint32_t t = 0; t < count_; ++t) {
    line& l = to.lines[t];
    line& of = s.lines[t];
    // Skipped nodes are in order, and all before the next node.
    SENNIT_ASSERT(std::ranges::is_sorted(of.skipped, {}, &node::key));
    SENNIT_ASSERT(of.skipped.empty() || of.todo.empty() || of.skipped.back().end() <= of.todo.back().key);
    const std::vector<node> earlier = std::exchange(l.todo, {});
    for (const node& n : of.todo) l.push(n);
    for (auto n = of.skipped.rbegin(); n != of.skipped.rend(); ++n) l.push(*n);
    for (const node& n : earlier) l.push(n);
    drop_void(t, l);
  }
  bytes_.add(-s.bytes_in_use);
  s.lines.clear();
}

// A failed call does nothing after the step that failed.
void wavefront::drop_void(std::uint32_t tree, line& l) {
  if (failure_.call() > tree) [[likely]]
    return;
  const std::vector<node> all = std::exchange(l.todo, {});
  for (const node& n : all) {
    if (!failure_.is_void(tree, n.key)) l.push(n);
  }
}

void wavefront::walk(lane& s, splice_log* log) {
  lane_walk(*this, s, log).walk_lines();
  s.bytes_in_use = s.bytes();
  bytes_.add(s.bytes_in_use);
}

// Returns false if the node is a step.
bool wavefront::halve(std::uint32_t tree, node& n, node& second) const {
  if (!trees_.halve(trees_.trees, first_ + tree, n.part, n.part, second.part)) {
    n.is_step = true;
    return false;
  }
  second.depth = ++n.depth;
  second.key = n.key + front_node::span(n.depth);
  second.own = hulls_of(tree, second.part);
  n.own = hulls_of(tree, n.part);
  return true;
}

}  // namespace sennit::detail

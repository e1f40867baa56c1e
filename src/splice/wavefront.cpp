#include "splice/wavefront.hpp"

#include <sennit/detail/assert.hpp>
#include <sennit/join.hpp>
#include <sennit/region.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace sennit::detail {

void wavefront::line::push(const node& n) {
  SENNIT_ASSERT(todo.empty() || n.end() <= todo.back().key);  // it precedes all nodes in the list
  todo.push_back(n);
  rest_of_last();
}

// Whose own effects are known.
inline void wavefront::line::rest_of_last() noexcept {
  node& n = todo.back();
  n.rest = n.own;
  n.rest += todo.size() > 1 ? (&n)[-1].rest : after;
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
      all_{0, span(0), true, std::vector<line>(count)},
      last_tree_(count) {
  for (std::uint32_t t = 0; t < count; ++t) {
    node root{};
    const bool made = guarded(t, 0, [&] {
      trees_.root(trees_.trees, first_ + t, root.part);
      root.own = hulls_of(t, root.part);
      return true;
    });
    if (!made) return;
    all_.lines[t].push(root);
  }
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
  for (std::uint32_t t = 0; t < count_; ++t) {
    line& l = all_.lines[t];
    if (!come_to_step(l, t)) return splice_reason::none;  // it has failed
    const node& step = l.todo.back();
    // A region of all may have no gaps, and one of a part many: rows of several plates that lie behind one another.
    if (!effects_access::all_nearly_contiguous(trees_.effects_of(trees_.trees, first_ + t, step.part)))
      return splice_reason::scattered_data;
    for (std::uint32_t c = t - std::min(t, nearby); c < t; ++c) {
      const std::vector<node>& others = all_.lines[c].todo;
      if (others.size() > 1 && others.front().own.interferes(step.own)) {
        return splice_reason::opposite_directions;
      }
    }
  }
  return splice_reason::none;
}

void wavefront::run(splice_log* log, unsigned workers, splice_report& report) {
  // A lane alone can do very little if it is not wider than the number of trees: at either end, each tree
  // has to leave one step more than the tree before.
  int cuts = workers < 2 ? 0 : std::bit_width(workers - 1) + (log == nullptr ? 2 : 1);
  const std::vector<node>& in_first = all_.lines.front().todo;
  const std::uint32_t depth = in_first.empty() ? 0 : std::min(in_first.back().depth, 62u);
  while (cuts > 0 && (std::uint64_t{1} << depth >> cuts) < count_) --cuts;
#if SENNIT_EXCEPTIONS
  try {
    run(all_, log, cuts);
  } catch (...) {
    // The region has been cancelled, or there is no memory.
    stop(std::current_exception());
  }
#else
  run(all_, log, cuts);
#endif
  report += all_.report;
  report.extra_bytes =
      std::max(report.extra_bytes, static_cast<std::size_t>(most_bytes_.load(std::memory_order_relaxed)));
#if SENNIT_EXCEPTIONS
  if (failure_) std::rethrow_exception(failure_);
  if (reason_) std::rethrow_exception(reason_);
#endif
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
  std::atomic<bool> over{false};
  bool apart = false;
  const auto branches = [&](splice_log* left_log, splice_log* right_log) {
    join(
        [&] {
          run(left, left_log, cuts);
          // ORD[D50] release: all that this lane has done in `left`, to whoever runs the other branch;
          // pairs with the load below.
          over.store(true, std::memory_order_release);
        },
        [&] {
          // ORD[D50] acquire: with the store above. Nobody else uses `left` then, until join() ends.
          apart = log != nullptr || !over.load(std::memory_order_acquire);
          if (!apart) {
            lane rest = part_of(s, middle, s.last);
            append(rest, left);
            append(rest, right);
            right = std::move(rest);
          }
          run(right, right_log, cuts);
        });
  };
  if (log == nullptr) {
    branches(nullptr, nullptr);
  } else {
    const splice_log::pair logs = log->fork();
    branches(&logs.left, &logs.right);
  }
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
      if (!guarded(t, n->key, [&] { return halve(t, *n, second); })) break;
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
  use(-s.bytes_in_use);
  s.lines.clear();
}

// A failed call does nothing after the step that failed.
void wavefront::drop_void(std::uint32_t tree, line& l) {
  if (last_tree_.load(std::memory_order_relaxed) > tree) [[likely]]
    return;
  const std::lock_guard guard(lock_);
  if (last_tree_.load(std::memory_order_relaxed) < tree) return;
  const std::vector<node> all = std::exchange(l.todo, {});
  for (const node& n : all) {
    if (n.key < failed_key_) l.push(n);
  }
}

// The first tree that can runs a step, and the other trees run up to the place of that step.
void wavefront::walk(lane& s, splice_log* log) {
  std::uint32_t first = 0;
  for (bool any = true; any;) {
    any = false;
#if SENNIT_EXCEPTIONS
    if (stop_requested()) [[unlikely]]
      stop(std::make_exception_ptr(cancelled()));
#endif
    if (stopped_.load(std::memory_order_relaxed)) [[unlikely]]
      break;
    const std::uint32_t failed = last_tree_.load(std::memory_order_relaxed);
    if (failed < count_) [[unlikely]]
      drop_void(failed, s.lines[failed]);
    const std::uint32_t end = std::min(count_, failed + 1);
    while (first < end && s.lines[first].todo.empty()) ++first;
    std::uint64_t front = 0;
    // Also not beyond a tree that fails now.
    for (std::uint32_t t = first; t < end && t <= last_tree_.load(std::memory_order_relaxed); ++t) {
      const std::vector<node>& todo = s.lines[t].todo;
      if (any) {
        while (!todo.empty() && todo.back().key < front && run_next(s, t, log)) {
        }
      } else if (run_next(s, t, log)) {
        any = true;
        front = todo.empty() ? no_key : todo.back().key;
      }
    }
  }
  s.bytes_in_use = s.bytes();
  use(s.bytes_in_use);
}

// Cuts the next node of the line until it is a step. Returns false if the line has no node left.
bool wavefront::come_to_step(line& l, std::uint32_t tree) {
  if (l.todo.empty()) return false;
  if (l.todo.back().is_step) return true;
  const std::uint64_t key = l.todo.back().key;
  const std::uint32_t from = l.todo.back().depth;
  const bool found = guarded(tree, key, [&] {
    // The last node becomes its own second half, and the first half follows it in the list. This repeats
    // until the first half is a step.
    for (std::uint32_t depth = from + 1;; ++depth) {
      node& n = l.todo.back();
      part_room first;
      if (!trees_.halve(trees_.trees, first_ + tree, n.part, first, n.part)) {
        n.is_step = true;
        if (depth == from + 1) return true;  // nothing has changed
        n.own = hulls_of(tree, n.part);
        l.rest_of_last();
        return true;
      }
      SENNIT_ASSERT(n.key == key && n.depth + 1 == depth);
      n.key = key + span(depth);
      n.depth = depth;
      n.own = hulls_of(tree, n.part);
      l.rest_of_last();
      node& next = l.todo.emplace_back();
      next.part = first;
      next.key = key;
      next.depth = depth;
    }
  });
  if (!found) l.todo.clear();
  return found;
}

// The first tree that has to be checked for obstacles of a step. An earlier tree may have run a step with
// the same effects; then trees before that one have no obstacle (section 7, "Splicing multiple threads").
std::uint32_t wavefront::find_cover(lane& s, std::uint32_t tree, const node& step) {
  SENNIT_ASSERT(step.is_step && s.lines[tree].cover <= tree);
  const std::size_t place = place_of(step);
  const auto covers = [&](std::uint32_t back) {
    const line& other = s.lines[tree - back];
    return other.ran_keys[place] == step.key && other.ran[place].contains(step.own);
  };
  line& l = s.lines[tree];
  // Sometimes a nearer cover is looked for.
  if (l.cover != 0 && place != 0 && covers(l.cover)) [[likely]]
    return tree - l.cover;
  for (std::uint32_t back = 1; back <= std::min(tree, nearby); ++back) {
    if (!covers(back)) continue;
    l.cover = back;
    return tree - back;
  }
  return 0;
}

// Returns false if the tree has no next step, or if that step has to wait.
bool wavefront::run_next(lane& s, std::uint32_t tree, splice_log* log) {
  line& l = s.lines[tree];
  while (come_to_step(l, tree)) {
    node& n = l.todo.back();
    const auto is_ahead = [&](std::uint32_t c) {
      ++s.report.checks;
      return s.lines[c].ahead().interferes(n.own);
    };
    const auto is_before = [&](std::uint32_t c) {
      ++s.report.checks;
      return s.lines[c].before.interferes(n.own);
    };
    // The preceding tree is the most frequent obstacle.
    if (s.is_first && tree > 0 && is_ahead(tree - 1)) return note_wait(s, n);
    const std::uint32_t from = find_cover(s, tree, n);
    if (!s.is_first) {
      bool behind = false;
      for (std::uint32_t c = tree + 1; c-- > from && !behind;) behind = is_before(c);
      if (behind && l.begun) return note_wait(s, n);
      if (behind) {
        // The node depends on work before the lane, so the lane skips the node until that work is done. After
        // the lane's first step in a tree, the tree waits instead: it would take too much memory to remember
        // all skipped nodes.
        note_wait(s, n);
        l.before += n.own;
        l.skipped.push_back(n);
        l.todo.pop_back();
        continue;
      }
      if (tree > 0 && is_ahead(tree - 1)) return note_wait(s, n);
    }
    for (std::uint32_t c = tree; c-- > from + 1;) {
      if (is_ahead(c - 1)) return note_wait(s, n);
    }
    l.begun = true;
    run_step(s, tree, log);
    return true;
  }
  return false;
}

bool wavefront::note_wait(lane& s, node& n) noexcept {
  if (!std::exchange(n.has_waited, true)) {
    ++s.report.delayed;
    ++s.report.dependences;
  }
  return false;
}

void wavefront::run_step(lane& s, std::uint32_t tree, splice_log* log) {
  line& l = s.lines[tree];
  SENNIT_ASSERT(!l.todo.empty() && l.todo.back().is_step);
  const node& n = l.todo.back();
  const std::size_t place = place_of(n);
  const std::uint64_t key = n.key;
  const part_room part = n.part;
  hulls ran = n.own;
  if (l.ran_keys[l.last_ran] != no_key) ran.extend_by(l.ran[l.last_ran]);
  l.ran[place] = ran;
  l.ran_keys[place] = key;
  l.last_ran = place;
  l.todo.pop_back();
  ++s.report.steps;
  const bool done = guarded(tree, key, [&] {
    trees_.step(trees_.trees, first_ + tree, part);
    if (log != nullptr) log->note(first_ + tree, part.bytes);
    return true;
  });
  if (!done) l.todo.clear();
}

// Returns false if the node is a step.
bool wavefront::halve(std::uint32_t tree, node& n, node& second) const {
  if (!trees_.halve(trees_.trees, first_ + tree, n.part, n.part, second.part)) {
    n.is_step = true;
    return false;
  }
  second.depth = ++n.depth;
  second.key = n.key + span(n.depth);
  second.own = hulls_of(tree, second.part);
  n.own = hulls_of(tree, n.part);
  return true;
}

template <class Work>
bool wavefront::guarded([[maybe_unused]] std::uint32_t tree, [[maybe_unused]] std::uint64_t key,
                        Work&& work) {
#if SENNIT_EXCEPTIONS
  try {
    return work();
  } catch (...) {
    const std::lock_guard guard(lock_);
    const std::uint32_t last = last_tree_.load(std::memory_order_relaxed);
    if (tree < last || (tree == last && key < failed_key_)) {
      failure_ = std::current_exception();
      failed_key_ = key;
      last_tree_.store(tree, std::memory_order_relaxed);
    }
    return false;
  }
#else
  return work();
#endif
}

void wavefront::stop(std::exception_ptr reason) {
  const std::lock_guard guard(lock_);
  if (!reason_) reason_ = std::move(reason);
  stopped_.store(true, std::memory_order_relaxed);
}

void wavefront::use(std::ptrdiff_t bytes) noexcept {
  const std::ptrdiff_t now = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::ptrdiff_t most = most_bytes_.load(std::memory_order_relaxed);
  while (now > most && !most_bytes_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

}  // namespace sennit::detail

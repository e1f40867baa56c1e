// SPDX-License-Identifier: Apache-2.0
// What strands do, from construct to construct.
#include "engine/names.hpp"
#include "engine/simulation.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sennit::sim {

void simulation::run_strand(worker& w) {
  const picoseconds begun = w.time;
  if (must_wait(w)) return;
  if (w.time >= w.next_beat) {
    beat(w);
    return;
  }
  if (w.rest != 0) {
    go_on_work(w);
    return;
  }
  if (w.taken) begin_frame(w, std::exchange(w.taken, frame{}));
  while (w.now == phase::running && w.time == begun && !over_) {
    if (w.begins != no_node) {
      begin(w);
    } else {
      child_ended(w, w.at);
    }
  }
}

// For the thief that has its deque, and while barriers interrupt it.
bool simulation::must_wait(worker& w) {
  const std::uint64_t barriers = result_.barriers - std::exchange(w.barriers_met, result_.barriers);
  picoseconds wait = barriers * costs_.barrier_interrupt;
  if (w.rest == 0 && w.locked_until > w.time + wait) wait = w.locked_until - w.time;
  spend(w, activity::barrier, wait);
  return wait != 0;
}

// A signal arrives: the oldest frame becomes work for others.
void simulation::beat(worker& w) {
  spend(w, activity::forking, costs_.signal_take);
  while (w.next_beat <= w.time) w.next_beat += how_.heartbeat;
  if (!latent(w)) return;
  spend(w, activity::forking, costs_.promotion);
  if (const frame oldest = take_oldest(w, true)) {
    ++result_.promotions;
    list(w, oldest);
  }
}

void simulation::begin_child(worker& w, record_number r, node_number n, std::uint64_t number) {
  w.at = r;
  w.begins = n;
  w.name = name_of_branch(records_[r].name, number);
}

void simulation::begin(worker& w) {
  const node_number n = std::exchange(w.begins, no_node);
  const node& here = program_.at(n);
  switch (here.what) {
    case part::work: begin_work(w, here); break;
    case part::series:
      w.at = records_.make(record_kind::series, n, w.at, w.name);
      go_on_series(w, w.at);
      break;
    case part::fork: {
      const record_number r = records_.make(record_kind::fork, n, w.at, w.name);
      ++result_.forks;
      const std::span children = program_.children(here);
      begin_child(w, r, children[0], 0);
      push(w, {.of = r, .child = 1}, name_of_branch(records_[r].name, 1));
      spend(w, activity::forking, costs_.fork - costs_.fork / 2);
      break;
    }
    case part::loop: begin_loop(w, n); break;
    case part::graph: begin_graph(w, n); break;
    case part::splice: begin_splice(w, n); break;
    case part::spawn: {
      // Alone: a child that is waited for at once.
      begin_child(w, w.at, program_.children(here)[0], 0);
      break;
    }
    case part::wait: break;
  }
}

void simulation::begin_work(worker& w, const node& n) {
  ++w.result.strands;
  w.rest = n.time + memory_time(w, n, 1, 1);
  go_on_work(w);
}

void simulation::go_on_work(worker& w) {
  const picoseconds now = w.next_beat > w.time ? std::min(w.rest, w.next_beat - w.time) : w.rest;
  w.rest -= now;
  spend(w, activity::working, now, w.at != no_record ? program_.at(records_[w.at].node).site : 0);
}

// Of so many iterations of all of a node's.
picoseconds simulation::memory_time(const worker& w, const node& n, std::uint64_t iterations,
                                    std::uint64_t of) {
  picoseconds time = 0;
  for (const touch& t : program_.touches(n)) {
    const auto bytes = static_cast<std::uint32_t>(t.bytes * iterations / of);
    time += memory_.access(w.index, t.block, bytes, t.writes, w.time + time);
  }
  return time;
}

void simulation::child_ended(worker& w, record_number r) {
  if (r == no_record) {
    over_ = true;
    return;
  }
  record& here = records_[r];
  switch (here.kind) {
    case record_kind::series:
      if (!std::exchange(here.in_child, false)) ++here.step;
      go_on_series(w, r);
      break;
    case record_kind::fork:
    case record_kind::loop_half:
      if (here.step == 0) {
        after_left(w, r);
      } else {
        ended(w, r);
      }
      break;
    case record_kind::loop_part: go_on_part(w, r); break;
    case record_kind::graph:
    case record_kind::graph_strand: task_ended(w, r); break;
    case record_kind::spliced: go_on_row(w, r); break;
    case record_kind::branch: {
      const record_number parent = here.parent;
      records_.free(r);
      finish(w, parent);
      break;
    }
    case record_kind::loop: assert(false); break;
  }
}

void simulation::after_left(worker& w, record_number r) {
  record& here = records_[r];
  here.step = 1;
  if (pop(w, {.of = r, .child = 1})) {
    const node& n = program_.at(here.node);
    w.at = r;
    if (here.kind == record_kind::loop_half) {
      w.begins = here.node;
      w.name = name_of_branch(here.name, 1);
      w.first = here.first + (here.last - here.first) / 2;
      w.last = here.last;
    } else {
      begin_child(w, r, program_.children(n)[1], 1);
    }
    spend(w, activity::forking, costs_.fork / 2 + (how_.by == steal::fence ? costs_.fence : 0));
  } else if (here.open == 0) {
    ended(w, r);
  } else {
    wait_for(w, r);
  }
}

void simulation::go_on_series(worker& w, record_number r) {
  record& here = records_[r];
  const std::span children = program_.children(program_.at(here.node));
  for (; here.step < children.size(); ++here.step) {
    const node_number n = children[here.step];
    const node& child = program_.at(n);
    if (child.what == part::spawn) {
      here.has_spawned = true;
      ++result_.forks;
      w.at = r;
      push(w, {.of = r, .child = here.step}, name_of_branch(here.name, here.step));
      spend(w, activity::forking, costs_.fork - costs_.fork / 2);
      return;  // and to the next child by way of child_ended()
    }
    if (child.what == part::wait) {
      if (!join_children(w, r)) return;
      continue;
    }
    begin_child(w, r, n, here.step);
    return;
  }
  if (here.has_spawned && !join_children(w, r)) return;
  ended(w, r);
}

// False: one runs here now, or the strand has left.
bool simulation::join_children(worker& w, record_number r) {
  record& here = records_[r];
  const frame newest = w.latent.empty() ? frame{} : w.latent.newest();
  if (newest.of == r && pop(w, newest)) {
    here.in_child = true;
    const node_number spawned = program_.children(program_.at(here.node))[newest.child];
    begin_child(w, r, program_.children(program_.at(spawned))[0], newest.child);
    spend(w, activity::forking, costs_.fork / 2 + (how_.by == steal::fence ? costs_.fence : 0));
    return false;
  }
  if (here.open == 0) return true;
  wait_for(w, r);
  return false;
}

// All of the construct.
void simulation::ended(worker& w, record_number r) {
  w.at = records_[r].parent;
  w.begins = no_node;
  records_.free(r);
}

void simulation::wait_for(worker& w, record_number r) {
  promote_all(w);
  records_[r].waits = true;
  ++result_.suspensions;
  end_strand(w);
}

// On the worker that has ended the last of what was open.
void simulation::waited(worker& w, record_number r) {
  record& here = records_[r];
  here.waits = false;
  w.at = r;
  w.begins = no_node;
  if (here.kind == record_kind::series) {
    go_on_series(w, r);
  } else if (here.kind == record_kind::spliced) {
    go_on_row(w, r);
  } else {
    ended(w, r);
  }
}

// One of those that others had ends here, and with it the strand.
void simulation::finish(worker& w, record_number r) {
  end_planned(w);
  record& here = records_[r];
  if (--here.open == 0 && here.waits) {
    waited(w, r);
  } else {
    end_strand(w);
  }
}

void simulation::end_strand(worker& w) {
  end_planned(w);
  w.at = no_record;
  w.begins = no_node;
  begin_search(w);
}

}  // namespace sennit::sim

// SPDX-License-Identifier: Apache-2.0
// Graphs: tasks whose predecessors have ended. A strand keeps the tasks that become ready in a queue of its own, the newest
// first, and thieves take the older half. Tasks of other colors are posted for the workers of these (002).
#include "engine/names.hpp"
#include "engine/simulation.hpp"
#include "policy/colored_steals.hpp"

#include <algorithm>
#include <utility>

namespace sennit::sim {

namespace {

template <class Thing>
std::uint32_t one_of(std::vector<Thing>& all, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    free.push_back(static_cast<std::uint32_t>(all.size()));
    all.emplace_back();
  }
  const std::uint32_t number = free.back();
  free.pop_back();
  return number;
}

}  // namespace

void simulation::begin_graph(worker& w, node_number n) {
  const node& graph = program_.at(n);
  const record_number r = records_.make(record_kind::graph, n, w.at, w.name);
  record& here = records_[r];
  w.at = r;
  if (graph.count == 0) {
    ended(w, r);
    return;
  }
  here.extra = one_of(pools_, free_pools_);
  here.open = graph.count;
  begin_queue(w, r);
  task_pool& pool = pools_[here.extra];
  const std::span waits = facts_.waits_for(graph);
  pool.of = r;
  pool.counts.assign(waits.begin(), waits.end());
  if (by_color()) {
    pool.boxes.resize(colored_places());
    colored_pools_.push_back(here.extra);
  }
  // The first one is the newest, and is run next.
  for (std::uint32_t task = graph.count; task > 0; --task)
    if (waits[task - 1] == 0) ready(w, r, task - 1);
  donate_posts(w, pool);
  go_on_tasks(w, r);
}

record_number simulation::graph_of(record_number strand) {
  return records_[strand].kind == record_kind::graph ? strand : records_[strand].parent;
}

void simulation::begin_queue(const worker& w, record_number strand) {
  const std::uint32_t number = one_of(queues_, free_queues_);
  records_[strand].queue = number;
  queues_[number] = {.tasks = std::move(queues_[number].tasks), .place = place_of(w), .begun = w.time};
  queues_[number].tasks.clear();
}

void simulation::end_graph(record_number r) {
  record& whole = records_[r];
  task_pool& pool = pools_[whole.extra];
  if (!pool.boxes.empty()) std::erase(colored_pools_, whole.extra);
  pool.boxes.clear();
  free_pools_.push_back(whole.extra);
}

// --- Colors.

// A strict schedule says who runs what.
bool simulation::by_color() const noexcept {
  return how_.from == victims::colored && facts_.colors() > 1 && !strict();
}

unsigned simulation::colored_places() const noexcept { return std::min(facts_.colors(), how_.workers); }

unsigned simulation::place_of(const worker& w) const noexcept {
  return by_color() ? static_cast<unsigned>(std::uint64_t{w.index} * colored_places() / how_.workers) : 0;
}

void simulation::ready(worker& w, record_number strand, std::uint32_t task) {
  const record_number r = graph_of(strand);
  const frame alone{.of = r, .child = task};
  ++result_.forks;
  spend(w, activity::forking, costs_.fork - costs_.fork / 2);
  if (how_.follow != replay::none && donate(w, alone, name_of_branch(records_[r].name, task))) return;
  task_queue& own = queues_[records_[strand].queue];
  if (!by_color() || color_of(alone) == no_color) {
    own.tasks.push_back(task);
    return;
  }
  const unsigned place = place_of_color(color_of(alone));
  if (place == place_of(w)) {
    ++own.of_own_color;
    own.tasks.push_back(task);
    return;
  }
  task_pool& pool = pools_[records_[r].extra];
  if (pool.boxes[place].empty()) pool.fresh.push_back(place);
  pool.boxes[place].push_back(task);
  ++posted_;
  spend(w, activity::forking, costs_.deque_lock);
}

// What has been posted goes to workers of that color that wait. Else one that may take any color comes for it.
void simulation::donate_posts(worker& w, task_pool& pool) {
  for (const unsigned place : std::exchange(pool.fresh, {})) {
    if (pool.boxes[place].empty()) continue;
    const unsigned places = colored_places();
    const unsigned begin = (place * how_.workers + places - 1) / places;
    const unsigned end = ((place + 1) * how_.workers + places - 1) / places;
    worker* idle = nullptr;
    for (unsigned i = begin; i < end && idle == nullptr; ++i)
      if (i != w.index && (searching_[i / 64] >> i % 64 & 1) != 0) idle = &workers_[i];
    if (idle != nullptr) {
      spend(w, activity::forking, costs_.promotion);
      (void)post(w, *idle, strand_of_box(*idle, pool, place));
      continue;
    }
    if (!dormant_.empty()) {
      worker& comes = workers_[dormant_.back()];
      leave_dormancy(comes, w.time);
      set_time(comes.index, comes.time);
    }
  }
}

bool simulation::may_take_any_color(const worker& w) const noexcept {
  return w.time >= w.own_only_until && !looks_for_own(w);
}

frame simulation::strand_of_box(const worker& w, task_pool& pool, unsigned place) {
  const record& whole = records_[pool.of];
  const record_number strand = records_.make(record_kind::graph_strand, whole.node, pool.of, whole.name);
  begin_queue(w, strand);
  take_box(w, pool, place, queues_[records_[strand].queue]);
  return {.of = strand, .child = whole_queue};
}

void simulation::take_box(const worker& w, task_pool& pool, unsigned place, task_queue& to) {
  std::vector<std::uint32_t>& box = pool.boxes[place];
  posted_ -= box.size();
  if (place == place_of(w)) to.of_own_color += box.size();
  to.tasks.insert(to.tasks.end(), box.begin(), box.end());
  box.clear();
}

// A worker without a strand: what is posted to its color, or else to another one, if it may take that.
frame simulation::join_posted(worker& w) {
  if (posted_ == 0) return {};
  const unsigned own = place_of(w);
  const unsigned places = colored_places();
  for (const bool any : {false, true}) {
    if (any && !may_take_any_color(w)) break;
    for (std::size_t i = colored_pools_.size(); i > 0; --i) {
      task_pool& pool = pools_[colored_pools_[i - 1]];
      for (unsigned p = 0; p < (any ? places : 1); ++p) {
        const unsigned place = any ? p : own;
        if (pool.boxes[place].empty()) continue;
        spend(w, activity::stealing, costs_.steal_hit.same_node);
        return strand_of_box(w, pool, place);
      }
    }
  }
  return {};
}

// --- Strands.

void simulation::task_ended(worker& w, record_number strand) {
  const record_number r = graph_of(strand);
  record& whole = records_[r];
  const node& graph = program_.at(whole.node);
  const std::uint32_t task = records_[strand].step;
  const std::span edges = program_.edges(graph);
  task_pool& pool = pools_[whole.extra];
  std::size_t end = facts_.first_edges(graph)[task];
  const std::size_t begin = end;
  while (end < edges.size() && edges[end].before == task) ++end;
  spend(w, activity::forking, (end - begin) * costs_.fork);
  ++queues_[records_[strand].queue].done;
  for (std::size_t e = end; e > begin; --e)
    if (--pool.counts[edges[e - 1].after] == 0) ready(w, strand, edges[e - 1].after);
  donate_posts(w, pool);
  if (--whole.open != 0) {
    go_on_tasks(w, strand);
    return;
  }
  leave_queue(w, strand);
  end_graph(r);
  if (strand != r) records_.free(strand);
  if (whole.waits || strand == r) {
    waited(w, r);
  } else {
    end_strand(w);
  }
}

// The next task of the strand's own; before, those that others have posted for the worker's color.
void simulation::go_on_tasks(worker& w, record_number strand) {
  const record_number r = graph_of(strand);
  task_queue& own = queues_[records_[strand].queue];
  if (by_color()) {
    task_pool& pool = pools_[records_[r].extra];
    const unsigned place = place_of(w);
    if (!pool.boxes[place].empty()) {
      spend(w, activity::forking, costs_.deque_lock);
      take_box(w, pool, place, own);
    }
  }
  if (!own.empty()) {
    const std::uint32_t task = own.tasks.back();
    own.tasks.pop_back();
    begin_task(w, strand, task);
    if (!own.empty() && !own.in_deque) {
      own.in_deque = true;
      push(w, {.of = strand, .child = whole_queue}, 0);
    } else if (!own.empty()) {
      met_push_gate(w, true);
      answer(w);
    } else if (own.in_deque) {
      note_open(w);
    }
    spend(w, activity::forking, costs_.fork / 2 + (how_.by == steal::fence ? costs_.fence : 0));
    return;
  }
  if (by_color()) {
    constexpr double patience = 2;  // coloring::patience
    const std::uint64_t wait =
        policy::ns_for_own_color(patience, own.of_own_color, own.done, ns(w.time - own.begun));
    w.own_only_until = w.time + wait * nanosecond;
  }
  leave_queue(w, strand);
  if (strand == r) {
    wait_for(w, r);
  } else {
    records_.free(strand);
    end_strand(w);
  }
}

// With what its strand's worker was given, or has taken.
void simulation::begin_taken(worker& w, record_number strand) {
  task_queue& own = queues_[records_[strand].queue];
  own.place = place_of(w);
  own.begun = w.time;
  own.of_own_color = 0;
  if (by_color()) {
    for (const std::uint32_t task : own.tasks) {
      const std::uint32_t color = color_of({.of = graph_of(strand), .child = task});
      if (color != no_color && place_of_color(color) == place_of(w)) ++own.of_own_color;
    }
  }
  go_on_tasks(w, strand);
}

// The strand has nothing any more.
void simulation::leave_queue(worker& w, record_number strand) {
  const std::uint32_t number = records_[strand].queue;
  task_queue& own = queues_[number];
  if (own.in_deque) (void)pop(w, {.of = strand, .child = whole_queue});
  own.in_deque = false;
  free_queues_.push_back(number);
}

// The older half of a strand's queue, or all of it, for another strand.
frame simulation::part_of_queue(worker& of, record_number strand, bool all) {
  const record_number r = graph_of(strand);
  const record_number part = records_.make(record_kind::graph_strand, records_[r].node, r, records_[r].name);
  begin_queue(of, part);
  task_queue& own = queues_[records_[strand].queue];
  task_queue& other = queues_[records_[part].queue];
  const std::size_t count = all ? own.size() : (own.size() + 1) / 2;
  const auto begin = own.tasks.begin() + static_cast<std::ptrdiff_t>(own.head);
  other.tasks.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  own.head += count;
  own.begin_anew_if_empty();
  return {.of = part, .child = whole_queue};
}

void simulation::begin_task(worker& w, record_number strand, std::uint32_t task) {
  record& here = records_[strand];
  const record_number r = graph_of(strand);
  here.step = task;
  w.at = strand;
  w.begins = program_.children(program_.at(here.node))[task];
  w.name = name_of_branch(records_[r].name, task);
  if (how_.record) note_task(w, r, task);
}

}  // namespace sennit::sim

// Graphs: tasks whose predecessors have ended.
#include "engine/names.hpp"
#include "engine/simulation.hpp"

#include <utility>

namespace sennit::sim {

void simulation::begin_graph(worker& w, node_number n) {
  const node& graph = program_.at(n);
  const record_number r = records_.make(record_kind::graph, n, w.at, w.name);
  record& here = records_[r];
  w.at = r;
  if (graph.count == 0) {
    ended(w, r);
    return;
  }
  if (free_counts_.empty()) {
    free_counts_.push_back(static_cast<std::uint32_t>(counts_.size()));
    counts_.emplace_back();
  }
  here.extra = free_counts_.back();
  free_counts_.pop_back();
  here.open = graph.count;
  const std::span waits = facts_.waits_for(graph);
  counts_[here.extra].assign(waits.begin(), waits.end());
  // The first one is the newest, and is run next.
  for (std::uint32_t task = graph.count; task > 0; --task)
    if (waits[task - 1] == 0) ready(w, r, task - 1);
  go_on_tasks(w, r);
}

void simulation::ready(worker& w, record_number graph, std::uint32_t task) {
  ++result_.forks;
  push(w, {.of = graph, .child = task}, name_of_branch(records_[graph].name, task));
  spend(w, activity::forking, costs_.fork - costs_.fork / 2);
}

void simulation::task_ended(worker& w, record_number strand) {
  const record_number r = records_[strand].kind == record_kind::graph ? strand : records_[strand].parent;
  record& whole = records_[r];
  const node& graph = program_.at(whole.node);
  const std::uint32_t task = records_[strand].step;
  const std::span edges = program_.edges(graph);
  std::vector<std::uint32_t>& counts = counts_[whole.extra];
  std::size_t end = facts_.first_edges(graph)[task];
  const std::size_t begin = end;
  while (end < edges.size() && edges[end].before == task) ++end;
  spend(w, activity::forking, (end - begin) * costs_.fork);
  // Those of the strand's own color last, so that they are run next.
  for (const bool own : {false, true}) {
    for (std::size_t e = end; e > begin; --e) {
      const std::uint32_t after = edges[e - 1].after;
      if (suits(w, {.of = r, .child = after}) != own) continue;
      if (--counts[after] == 0) ready(w, r, after);
    }
  }
  if (--whole.open != 0) {
    go_on_tasks(w, strand);
    return;
  }
  free_counts_.push_back(whole.extra);
  if (strand != r) records_.free(strand);
  if (whole.waits || strand == r) {
    waited(w, r);
  } else {
    end_strand(w);
  }
}

// The next task of the strand's own.
void simulation::go_on_tasks(worker& w, record_number strand) {
  const record_number r = records_[strand].kind == record_kind::graph ? strand : records_[strand].parent;
  const frame newest = w.latent.empty() ? frame{} : w.latent.newest();
  if (newest.of == r && pop(w, newest)) {
    begin_task(w, strand, newest.child);
    spend(w, activity::forking, costs_.fork / 2 + (how_.by == steal::fence ? costs_.fence : 0));
  } else if (strand == r) {
    wait_for(w, r);
  } else {
    records_.free(strand);
    end_strand(w);
  }
}

void simulation::begin_task(worker& w, record_number strand, std::uint32_t task) {
  record& here = records_[strand];
  const record_number r = here.kind == record_kind::graph ? strand : here.parent;
  here.step = task;
  w.at = strand;
  w.begins = program_.children(program_.at(here.node))[task];
  w.name = name_of_branch(records_[r].name, task);
  if (how_.record) note_task(w, r, task);
}

}  // namespace sennit::sim

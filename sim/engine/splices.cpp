// SPDX-License-Identifier: Apache-2.0
// Splices: calls that are interleaved on one worker at equal depth (000). A frame has the second branch of all of them.
#include "engine/names.hpp"
#include "engine/simulation.hpp"
#include "policy/splicing.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sennit::sim {

namespace {

constexpr std::uint32_t none = splice_run::none;

}  // namespace

std::uint32_t simulation::begin_splice_run(node_number n) {
  if (splice_steps_.empty()) splice_steps_ = splice_graph::steps_of(program_);
  const auto [at, is_new] = splice_graphs_.try_emplace(n);
  if (is_new) at->second = std::make_unique<splice_graph>(program_, n, splice_steps_);
  const auto free = std::ranges::find_if(splice_runs_, [](const auto& run) { return run == nullptr; });
  const auto number = static_cast<std::uint32_t>(free - splice_runs_.begin());
  if (free == splice_runs_.end()) splice_runs_.emplace_back();
  splice_runs_[number] = std::make_unique<splice_run>(*at->second);
  return number;
}

void simulation::begin_splice(worker& w, node_number n) {
  std::vector<spliced_call> calls;
  std::uint32_t first = 0;
  const std::uint32_t run = begin_splice_run(n);
  for (const node_number c : program_.children(program_.at(n))) {
    calls.push_back({.node = c, .first = first, .next = first});
    first += splice_steps_[c];
  }
  begin_row(w, records_.make(record_kind::spliced, n, w.at, w.name),
            {.calls = std::move(calls), .run = run, .is_first = true});
}

void simulation::begin_row(worker& w, record_number r, spliced_row with) {
  if (free_rows_.empty()) {
    free_rows_.push_back(static_cast<std::uint32_t>(rows_.size()));
    rows_.emplace_back();
  }
  records_[r].extra = free_rows_.back();
  free_rows_.pop_back();
  spliced_row& row = rows_[records_[r].extra];
  row = std::move(with);
  splice_run& run = *splice_runs_[row.run];
  result_.splices.switches += row.calls.size();
  spend(w, activity::forking, row.calls.size() * costs_.fork);
  if (policy::is_crowded(run.delayed(), how_.most_delayed) && how_.broken != fault::no_limit) {
    std::erase_if(row.calls, [&](const spliced_call& c) {
      return !run.visit_whole(c.first, c.first + splice_steps_[c.node], row.splicer);
    });
  }
  spliced_calls_ += row.calls.size();
  result_.splices.most_calls = std::max(result_.splices.most_calls, spliced_calls_);
  w.at = r;
  w.begins = no_node;
  go_on_row(w, r);
}

// Whether the second branch of all calls is left to thieves.
bool simulation::leaves_column(const spliced_row& row) const {
  if (how_.workers < 2 || how_.broken == fault::no_thieves_of_rows) return false;
  std::uint64_t rest = none;
  for (const spliced_call& c : row.calls) {
    const node& n = program_.at(c.node);
    if (n.what != part::fork) return false;
    rest = std::min<std::uint64_t>(rest, splice_steps_[program_.children(n)[1]]);
  }
  return policy::row_pays_a_thief(rest, row.calls.size(), splice_runs_[row.run]->graph().most_in_a_call(),
                                  how_.workers);
}

// The strand has come to the row, or a step in it has ended, or a row of its parts.
void simulation::go_on_row(worker& w, record_number r) {
  spliced_row& row = rows_[records_[r].extra];
  splice_run& run = *splice_runs_[row.run];
  if (row.running != none) run.done(std::exchange(row.running, none), row.splicer);
  for (;;) {
    if (const std::uint32_t step = run.take_ready(row.splicer); step != none) {
      run_spliced(w, r, step);
      return;
    }
    switch (row.now) {
      case spliced_row::stage::calls: {
        if (row.next == row.calls.size()) {
          row.now = row.calls.empty() ? spliced_row::stage::ending : spliced_row::stage::columns;
          row.next = 0;
          break;
        }
        spliced_call& c = row.calls[row.next++];
        if (program_.at(c.node).what != part::work || !run.visit(c.first, row.splicer, c.delayed)) break;
        run_spliced(w, r, c.first);
        return;
      }
      case spliced_row::stage::columns:
        if (go_on_column(w, r)) break;
        return;
      case spliced_row::stage::joining:
        if (records_[r].open != 0) {
          wait_for(w, r);
          return;
        }
        run.merge(row.splicer, row.thief);
        row.now = spliced_row::stage::ending;
        break;
      case spliced_row::stage::ending:
        if (!std::exchange(row.is_closed, true)) {
          for (const spliced_call& c : row.calls)
            if (c.delayed != none) run.close(c.delayed);
        }
        if (run.release_wholes(row.splicer)) break;
        end_row(w, r);
        return;
    }
  }
}

// False: the strand has something to do now.
bool simulation::go_on_column(worker& w, record_number r) {
  record& here = records_[r];
  spliced_row& row = rows_[here.extra];
  splice_run& run = *splice_runs_[row.run];
  const auto part_of = [&](const spliced_call& c) {
    const std::span parts = program_.children(program_.at(c.node));
    return program_.at(c.node).what != part::work && row.column < parts.size() ? parts[row.column] : no_node;
  };
  if (row.next == row.calls.size()) {
    ++row.column;
    row.next = 0;
  }
  if (row.next == 0) {
    bool any = false;
    bool steps_only = true;
    for (const spliced_call& c : row.calls) {
      const node_number n = part_of(c);
      any |= n != no_node;
      steps_only &= n == no_node || program_.at(n).what == part::work;
    }
    if (!any) {
      row.now = spliced_row::stage::ending;
      return true;
    }
    if (row.column == 0 && leaves_column(row)) {
      row.is_forked = true;
      row.forked_at = run.now();
      ++result_.forks;
      push(w, {.of = r, .child = 1}, name_of_branch(here.name, 1));
      spend(w, activity::forking, costs_.fork - costs_.fork / 2);
    }
    if (row.column == 1 && std::exchange(row.is_forked, false)) {
      if (!pop(w, {.of = r, .child = 1})) {
        row.now = spliced_row::stage::joining;
        return true;
      }
      spend(w, activity::forking, costs_.fork / 2 + (how_.by == steal::fence ? costs_.fence : 0));
    }
    if (!steps_only) {
      std::vector<spliced_call> parts;
      for (spliced_call& c : row.calls) {
        const node_number n = part_of(c);
        if (n == no_node) continue;
        parts.push_back({.node = n, .first = c.next, .next = c.next});
        c.next += splice_steps_[n];
      }
      const std::uint64_t name = name_of_branch(here.name, row.column++);
      begin_row(w, records_.make(record_kind::spliced, here.node, r, name),
                {.calls = std::move(parts), .run = row.run, .splicer = row.splicer});
      return false;
    }
  }
  while (row.next < row.calls.size()) {
    spliced_call& c = row.calls[row.next++];
    if (part_of(c) == no_node) continue;
    const std::uint32_t step = c.next++;
    if (!run.visit(step, row.splicer, c.delayed)) continue;
    run_spliced(w, r, step);
    return false;
  }
  return true;
}

void simulation::run_spliced(worker& w, record_number r, std::uint32_t step) {
  spliced_row& row = rows_[records_[r].extra];
  row.running = step;
  const node& n = program_.at(splice_runs_[row.run]->graph().node_of(step));
  ++result_.splices.steps;
  ++result_.splices.switches;
  spend(w, activity::forking, how_.spliced_step);
  w.at = r;
  w.begins = no_node;
  begin_work(w, n);
}

// A thief has got the second column of the row.
void simulation::begin_column(worker& w, record_number r, record_number base) {
  spliced_row& row = rows_[records_[r].extra];
  row.thief = splice_runs_[row.run]->fork(row.splicer, row.forked_at);
  std::vector<spliced_call> parts;
  for (const spliced_call& c : row.calls) {
    const std::span both = program_.children(program_.at(c.node));
    const std::uint32_t first = c.first + splice_steps_[both[0]];
    parts.push_back({.node = both[1], .first = first, .next = first});
  }
  const record_number second =
      records_.make(record_kind::spliced, records_[r].node, base, name_of_branch(records_[r].name, 1));
  begin_row(w, second, {.calls = std::move(parts), .run = row.run, .splicer = row.thief});
}

void simulation::end_row(worker& w, record_number r) {
  spliced_row& row = rows_[records_[r].extra];
  spliced_calls_ -= row.calls.size();
  if (row.is_first) {
    const std::unique_ptr<splice_run> run = std::exchange(splice_runs_[row.run], nullptr);
    if (run->left() != 0) throw std::logic_error("simulate: a splice has ended without some of its steps");
    result_.splices.checks += run->checks();
    result_.splices.delayed += run->delayed_in_all();
    result_.splices.most_delayed = std::max<std::uint64_t>(result_.splices.most_delayed, run->most_delayed());
  }
  free_rows_.push_back(records_[r].extra);
  row.calls.clear();
  ended(w, r);
}

}  // namespace sennit::sim

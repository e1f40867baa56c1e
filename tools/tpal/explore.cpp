// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/explore.hpp"

#include "tools/tpal/bookkeeping.hpp"
#include "tools/tpal/diagnostics.hpp"
#include "tools/tpal/machine.hpp"
#include "tools/tpal/memory.hpp"
#include "tools/tpal/processor.hpp"
#include "tools/tpal/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <unordered_set>
#include <utility>

namespace tpal {
namespace {

// Which alternatives a run takes. The next run takes the next alternative of the last choice that has one left.
class choices {
 public:
  void begin() { at_ = 0; }

  // Nothing if the run need not go on, because a run with this state before it has gone on in all ways.
  template <class State>
  std::optional<std::size_t> choose(std::size_t alternatives, State state) {
    if (alternatives == 1) return 0;
    if (at_ < taken_.size()) return taken_[at_++].alternative;
    if (!seen_.insert(std::hash<std::string>{}(state())).second) return std::nullopt;
    taken_.push_back({0, alternatives});
    ++at_;
    return 0;
  }

  bool next() {
    while (!taken_.empty() && taken_.back().alternative + 1 == taken_.back().of) taken_.pop_back();
    if (taken_.empty()) return false;
    ++taken_.back().alternative;
    return true;
  }

  std::size_t states() const { return seen_.size(); }

 private:
  struct choice {
    std::size_t alternative;
    std::size_t of;
  };
  std::vector<choice> taken_;
  std::size_t at_ = 0;
  std::unordered_set<std::size_t> seen_;
};

// A run. Steps of a task that nobody else notices are taken at once, in the order of the tasks.
class run_of_choices {
 public:
  run_of_choices(const image& start, const exploration_bounds& bounds, choices& chosen)
      : start_(start),
        bounds_(bounds),
        chosen_(chosen),
        heap_(start.heap, start.are_doubles),
        tree_(start.code),
        processor_(start.code, heap_, tree_, std::nullopt) {
    ready_.push_back(first_task(start));
  }

  // The outputs; nothing if the run was not gone on with, or if there is a finding.
  std::optional<std::string> run() {
    try {
      while (!over_) {
        const std::optional<std::size_t> chosen = next_task();
        if (!chosen || !advance(*chosen)) return std::nullopt;
      }
    } catch (const run_error& error) {
      find(error.at(), error.what());
    }
    return std::move(answer_);
  }

  std::optional<finding> take_finding() { return std::move(found_); }
  const std::vector<event>& events() const { return events_; }
  std::uint64_t tasks() const { return processor_.done().forks + 1; }

 private:
  const instruction& next_of(const task& t) const { return start_.code.blocks[t.block].code[t.next]; }

  void find(position at, std::string what, std::optional<access> other = {}) {
    over_ = true;
    found_ = finding{events_, at, std::move(what), other, {}};
  }
  void note(event::kind is, std::uint64_t task, position at, std::uint64_t other = 0) {
    events_.push_back({is, task, at, other});
  }

  bool is_unordered_join(const task& t) const {
    const instruction& i = next_of(t);
    if (i.code != opcode::join || i.left.is != operand::kind::reg) return false;
    const value v = t.registers[static_cast<std::size_t>(i.left.value)];
    return v.is == value::kind::record && tree_.is_unordered(v.id());
  }

  std::optional<std::size_t> next_task() {
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      if (!is_unordered_join(*ready_[i])) return i;
    }
    return chosen_.choose(ready_.size(), [this] { return state(); });
  }

  // False if the run is not to go on.
  bool advance(std::size_t chosen) {
    task& t = *ready_[chosen];
    if (processor_.done().work == bounds_.fuel) out_of_fuel(start_.code, t, bounds_.fuel);
    const instruction& i = next_of(t);
    if ((i.code == opcode::load || i.code == opcode::store) && !touch(t, i)) return true;
    const step s = processor_.advance(t);
    if (s == step::forked) fork(t, i.at);
    if (s == step::joins) join(chosen, i.at);
    if (s == step::halted) halt(t, i.at);
    const bool has_jumped = (i.code == opcode::jump || i.code == opcode::if_jump) && t.next == 0;
    return !has_jumped || arrive(t);
  }

  // What processor::enter() does, whatever the heart.
  bool arrive(task& t) {
    const annotation& said = start_.code.blocks[t.block].note;
    if (said.is != annotation::kind::promotion_ready || std::exchange(t.passes, false)) return true;
    const std::optional<std::size_t> beat = chosen_.choose(2, [this] { return state(); });
    if (!beat) return false;
    if (*beat == 0) return true;
    note(event::kind::beat, t.id, start_.code.blocks[t.block].at, t.block);
    t.passes = true;
    t.block = said.block;
    return true;
  }

  // False if there is a race.
  bool touch(const task& t, const instruction& i) {
    const std::size_t cell = processor_.cell(t, i);
    const bool stores = i.code == opcode::store;
    const std::optional<access> other = races_.note(t.id, cell, stores, i.at);
    note(stores ? event::kind::store : event::kind::load, t.id, i.at, cell);
    if (!other) return true;
    find(i.at, "", other);
    return false;
  }

  void fork(const task& parent, position at) {
    std::unique_ptr<task> child = processor_.take_child();
    child->id = processor_.done().forks;
    races_.forked(parent.id, child->id);
    note(event::kind::fork, parent.id, at, child->id);
    ready_.push_back(std::move(child));
  }

  void join(std::size_t chosen, position at) {
    std::unique_ptr<task> t = std::move(ready_[chosen]);
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen));
    const std::uint64_t id = t->id;
    combination c;
    try {
      t = tree_.join(std::move(t), processor_.record(), &c);
    } catch (const join_error& error) {
      throw run_error(at, error.what());
    }
    if (t == nullptr) return note(event::kind::wait, id, at);
    if (c.child != 0) races_.combined(c.parent, c.child);
    c.child != 0 ? note(event::kind::combine, c.parent, at, c.child) : note(event::kind::leave, id, at);
    ready_.push_back(std::move(t));
  }

  void halt(const task& t, position at) {
    note(event::kind::halt, t.id, at);
    bool is_last = ready_.size() == 1;
    tree_.for_each_waiting([&is_last](const task&) { is_last = false; });
    if (!is_last) {
      return find(
          at,
          fmt::format("task {} halts while other tasks have not joined, so what these still do depends on "
                      "the interleaving; join before",
                      t.id));
    }
    over_ = true;
    // Without .output all registers would be printed, and those that nobody needs any more differ.
    answer_ = start_.code.outputs.empty()
                  ? std::string()
                  : outputs(start_, {t.registers, cells_of(heap_), processor_.done(), t.span});
  }

  // Two states that are the same have the same future.
  std::string state() const {
    std::string text;
    std::vector<std::uint64_t> tasks;
    const auto add = [&](const task& t) {
      tasks.push_back(t.id);
      text += fmt::format("{}.{}.{}", t.block, t.next, t.passes);
      for (const value& v : t.registers) add_value(text, v);
      text += t.calls.exists() ? 's' : 'n';
      t.calls.for_each([&](const value& v) { add_value(text, v); });
      text += ';';
    };
    for (const std::unique_ptr<task>& t : ready_) add(*t);
    text += '/';
    tree_.for_each_waiting(add);
    text += '/';
    std::vector<const task*> ready;
    for (const std::unique_ptr<task>& t : ready_) ready.push_back(t.get());
    tree_.describe(ready, text);
    text += '/';
    for (std::size_t i = 0; i < heap_.size(); ++i) text += fmt::format("{},", heap_.load(i));
    races_.describe(tasks, text);
    return text;
  }

  void add_value(std::string& text, const value& v) const {
    if (v.is == value::kind::record) {
      text += fmt::format(",r{}", tree_.is_open(v.id()) ? static_cast<std::int64_t>(v.id().slot) : -1);
    } else {
      text += fmt::format(",{}:{}", static_cast<int>(v.is), v.bits);
    }
  }

  const image& start_;
  const exploration_bounds& bounds_;
  choices& chosen_;
  memory heap_;
  bookkeeping tree_;
  processor processor_;
  races races_;
  std::vector<std::unique_ptr<task>> ready_;
  std::vector<event> events_;
  bool over_ = false;
  std::optional<std::string> answer_;
  std::optional<finding> found_;
};

// The outputs.
std::string in_a_line(std::string lines) {
  if (!lines.empty()) lines.pop_back();
  std::replace(lines.begin(), lines.end(), '\n', ';');
  return lines;
}

std::string cell_name(const image& start, std::uint64_t cell) {
  for (std::size_t i = 0; i < start.places.size(); ++i) {
    const place& p = start.places[i];
    if (cell >= p.begin && cell < p.begin + p.length) {
      return fmt::format("{}[{}]", start.code.arrays[i].name, cell - p.begin);
    }
  }
  return fmt::format("cell {}", cell);
}

std::string in_words(const image& start, const event& e) {
  switch (e.is) {
    case event::kind::beat: return fmt::format("a beat at '{}'", start.code.blocks[e.other].name);
    case event::kind::fork: return fmt::format("forks task {}", e.other);
    case event::kind::combine: return fmt::format("combines with task {}", e.other);
    case event::kind::wait: return "joins, and waits for a partner";
    case event::kind::leave: return "joins as the last one";
    case event::kind::load: return fmt::format("loads {}", cell_name(start, e.other));
    case event::kind::store: return fmt::format("stores to {}", cell_name(start, e.other));
    case event::kind::halt: return "halts";
  }
  return "";
}

std::string in_words(const image& start, const std::vector<event>& run) {
  std::string text;
  for (const event& e : run) {
    text += fmt::format("  task {}, line {}: {}\n", e.task, e.at.line, in_words(start, e));
  }
  return text;
}

std::string race_in_words(const image& start, const finding& f) {
  const program& p = start.code;
  const event& second = f.run.back();
  const access& first = *f.other;
  const std::string cell = cell_name(start, second.other);
  return show(p.file, p.lines,
              {f.at, fmt::format("a race for {}: task {} {} it here, and no fork or join orders that with "
                                 "task {} in line {}",
                                 cell, second.task, second.is == event::kind::store ? "stores to" : "loads",
                                 first.task, first.at.line)}) +
         show(
             p.file, p.lines,
             {first.at, fmt::format("task {} {} it here", first.task, first.stores ? "stores to" : "loads")});
}

}  // namespace

exploration explore(const image& start, const exploration_bounds& bounds,
                    const std::function<void(const exploration&)>& progress) {
  exploration all;
  choices chosen;
  std::vector<event> first_run;
  bool has_answer = false;
  auto next_report = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  do {
    if (all.runs == bounds.runs) return all;
    chosen.begin();
    run_of_choices r(start, bounds, chosen);
    std::optional<std::string> answer = r.run();
    ++all.runs;
    all.states = chosen.states();
    all.tasks = std::max(all.tasks, r.tasks());
    all.found = r.take_finding();
    if (answer && !has_answer) {
      all.answer = *answer;
      has_answer = true;
      first_run = r.events();
    } else if (answer && *answer != all.answer) {
      all.found = finding{r.events(),
                          r.events().back().at,
                          fmt::format("the answer depends on the run: here it is {}", in_a_line(*answer)),
                          {},
                          first_run};
    }
    if (all.found) return all;
    if (progress && std::chrono::steady_clock::now() > next_report) {
      progress(all);
      next_report = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    }
  } while (chosen.next());
  all.is_complete = true;
  return all;
}

std::string report(const image& start, const exploration& e) {
  const program& p = start.code;
  if (!e.found) {
    return fmt::format(
        "{}{}: {} runs, {} states with a choice, up to {} tasks; no race{}\n", e.answer,
        e.is_complete ? "all that the program can do" : "NOT all that the program can do", e.runs, e.states,
        e.tasks, p.outputs.empty() ? " (answers are compared if .output names some)" : ", and one answer");
  }
  const finding& f = *e.found;
  std::string text = f.other ? race_in_words(start, f) : show(p.file, p.lines, {f.at, f.what});
  text += fmt::format("The run that shows it, which is number {}:\n{}", e.runs, in_words(start, f.run));
  if (!f.other_run.empty()) {
    text +=
        fmt::format("The answer is {} in this run:\n{}", in_a_line(e.answer), in_words(start, f.other_run));
  }
  return text;
}

}  // namespace tpal

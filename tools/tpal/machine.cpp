// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/machine.hpp"

#include "tools/tpal/diagnostics.hpp"

#include <fmt/format.h>

#include <memory>
#include <random>
#include <utility>

namespace tpal {
namespace {

class interleaving {
 public:
  interleaving(const image& start, const settings& how, observer* watcher)
      : start_(start),
        how_(how),
        watcher_(watcher),
        heap_(start.heap, start.are_doubles),
        tree_(start.code),
        processor_(start.code, heap_, tree_, how.heart),
        random_(how.seed) {
    ready_.push_back(first_task(start));
  }

  // Some task is always ready: one that waits at a join waits for a partner that runs, or that waits likewise for one
  // further down the tree, which has an end.
  result run() {
    while (true) {
      const std::size_t chosen = ready_.size() == 1 ? 0 : random_() % ready_.size();
      task& t = *ready_[chosen];
      if (processor_.done().work == how_.fuel) out_of_fuel(start_.code, t, how_.fuel);
      const std::uint64_t beats = processor_.done().beats;
      const step s = processor_.advance(t);
      if (watcher_ != nullptr && processor_.done().beats != beats) watcher_->beat(t);
      if (s == step::forked) fork(t);
      if (s == step::joins) join(chosen);
      if (s == step::halted) return halt(t);
    }
  }

 private:
  void fork(const task& parent) {
    std::unique_ptr<task> child = processor_.take_child();
    child->id = processor_.done().forks;
    if (watcher_ != nullptr) watcher_->forked(parent, *child);
    ready_.push_back(std::move(child));
  }

  void join(std::size_t chosen) {
    std::unique_ptr<task> t = std::move(ready_[chosen]);
    ready_[chosen] = std::move(ready_.back());
    ready_.pop_back();
    const position at = start_.code.blocks[t->block].code[t->next - 1].at;
    if (watcher_ != nullptr) watcher_->joined(t->id, t->span);
    combination c;
    try {
      t = tree_.join(std::move(t), processor_.record(), &c);
    } catch (const join_error& error) {
      throw run_error(at, error.what());
    }
    if (t == nullptr) return;
    if (watcher_ != nullptr && c.child != 0) watcher_->combined(c);
    if (watcher_ != nullptr && c.child == 0) watcher_->left(*t);
    ready_.push_back(std::move(t));
  }

  result halt(const task& t) {
    if (watcher_ != nullptr) watcher_->halted(t);
    return {t.registers, cells_of(heap_), processor_.done(), t.span};
  }

  const image& start_;
  const settings& how_;
  observer* watcher_;
  memory heap_;
  bookkeeping tree_;
  processor processor_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<task>> ready_;
};

}  // namespace

std::unique_ptr<task> first_task(const image& start) {
  auto t = std::make_unique<task>();
  t->registers.resize(start.code.registers.size());
  for (const auto& [target, v] : start.registers) t->registers[target] = v;
  return t;
}

void out_of_fuel(const program& code, const task& t, std::uint64_t fuel) {
  throw run_error(code.blocks[t.block].code[t.next].at,
                  fmt::format("no halt after {} instructions; if the program needs more, say --fuel", fuel));
}

std::vector<std::int64_t> cells_of(const memory& heap) {
  std::vector<std::int64_t> cells(heap.size());
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = heap.load(i);
  return cells;
}

result run(const image& start, const settings& how, observer* watcher) {
  return interleaving(start, how, watcher).run();
}

}  // namespace tpal

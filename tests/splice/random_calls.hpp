// SPDX-License-Identifier: Apache-2.0
// Random calls as they run: in the plain loop, and as the library is told of them.
#pragma once

#include "random_program.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace sennit_test {

struct thrown {
  std::uint32_t step;
};

class random_calls : public random_program {
 public:
  using random_program::random_program;

  // A run: the cells, and when each step began and ended.
  struct state {
    std::array<std::uint64_t, 64> cells{};
    std::atomic<std::uint32_t> clock{1};
    std::vector<std::uint32_t> began, ended;
    std::vector<std::atomic<std::uint32_t>> runs;
  };
  std::unique_ptr<state> fresh() const {
    auto s = std::make_unique<state>();
    for (std::size_t i = 0; i < 64; ++i) s->cells[i] = mixed(i);
    s->began.resize(steps.size());
    s->ended.resize(steps.size());
    s->runs = std::vector<std::atomic<std::uint32_t>>(steps.size());
    return s;
  }

  // The plain loop.
  void run_serially(state& s) const {
    for (const random_call* const root : roots) serial(s, *root);
  }
  // Trees only.
  void splice_again(state& s, int times) const {
    running_ = &s;
    sennit::memoized_splice again([this](std::size_t t) { return tree_of(*roots[t]); });
    for (int i = 0; i < times; ++i) again.run(roots.size());
  }
  sennit::splice_report splice(state& s, const sennit::splicing& how) const {
    running_ = &s;
    if (form().trees)
      return sennit::splice(how, roots.size(), [this](std::size_t t) { return tree_of(*roots[t]); });
    return sennit::splice(how, roots.size(), [this](std::size_t t) { call(*roots[t]); });
  }
  // As it stands, outside any splice.
  void run_elided(state& s) const {
    running_ = &s;
    for (const random_call* const root : roots) {
      if (form().trees) {
        tree_of (*root)();
      } else {
        call(*root);
      }
    }
  }

  // Interfering steps that were not run in the order of the loop: "" if none.
  std::string disorder(const state& s) const {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (std::size_t j = i + 1; j < steps.size(); ++j) {
        if (s.began[i] != 0 && s.began[j] != 0 && interfere(steps[i].real, steps[j].real) &&
            s.ended[i] > s.began[j]) {
          return "step " + std::to_string(j) + " began before step " + std::to_string(i) + " had ended";
        }
      }
    }
    return "";
  }
  std::vector<std::uint32_t> order(const state& s) const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      if (s.began[i] != 0) order.push_back(i);
    }
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return s.began[i]; });
    return order;
  }

 private:
  void execute(state& s, const random_step& step) const {
    const std::uint32_t n = step.number;
    s.began[n] = s.clock.fetch_add(1, std::memory_order_relaxed);
    s.runs[n].fetch_add(1, std::memory_order_relaxed);
    std::uint64_t h = step.salt;
    for (std::uint64_t left = step.real.reads | step.real.writes; left != 0; left &= left - 1) {
      h = mixed(h ^ s.cells[static_cast<std::size_t>(std::countr_zero(left))]);
    }
    // Of different lengths, and now and then somebody else is let in between.
    for (std::uint64_t i = step.salt % (form().slow ? 8000 : 32); i > 0; --i)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    if (step.salt % (form().slow ? 8 : 64) == 1) std::this_thread::yield();
    for (std::uint64_t left = step.real.writes; left != 0; left &= left - 1) {
      s.cells[static_cast<std::size_t>(std::countr_zero(left))] += mixed(h + left);
    }
    s.ended[n] = s.clock.fetch_add(1, std::memory_order_relaxed);
    if (step.throws) throw thrown{n};
  }

  void serial(state& s, const random_call& c) const {
    for (const random_call::part& p : c.parts) {
      if (p.step != nullptr) {
        execute(s, *p.step);
        continue;
      }
      for (const random_step* const slice : p.slices) execute(s, *slice);
      try {
        for (const random_call* const part : p.calls) serial(s, *part);
      } catch (const thrown&) {
        if (!p.catches) throw;
      }
    }
  }

  // A declared tree over the calls.
  struct tree_part {
    const random_call* at;
    std::int64_t size() const { return at->parts[0].step != nullptr ? 0 : 2; }
    tree_part left() const { return {at->parts[0].calls[0]}; }
    tree_part right() const { return {at->parts[0].calls[1]}; }
  };
  struct part_effects {
    sennit::effects operator()(const tree_part& p) const { return p.at->fx; }
  };
  struct run_part {
    const random_calls* in;
    void operator()(const tree_part& p) const { in->execute(*in->running_, *p.at->parts[0].step); }
  };
  struct run_unknown {
    const random_calls* in;
    const random_call* c;
    void operator()() const { in->execute(*in->running_, *c->parts[0].step); }
  };
  struct run_function {
    const random_calls* in;
    void operator()(const random_call& c) const { in->call(c); }
  };
  using tree_item = sennit::divided<tree_part, part_effects, run_part>;
  using call_item = decltype(sennit::call(std::declval<run_function>(), std::declval<const random_call&>()));
  using item = std::variant<call_item, tree_item, run_unknown>;

  tree_item tree_of(const random_call& c) const { return {{&c}, 1, {}, {this}}; }
  call_item call_of(const random_call& c) const { return sennit::call(run_function{this}, c); }
  item item_of(const random_call& c) const {
    switch (c.how) {
      case random_call::kind::function: return call_of(c);
      case random_call::kind::tree: return tree_of(c);
      case random_call::kind::unknown: break;
    }
    return run_unknown{this, &c};
  }

  struct slices {
    std::span<const random_step* const> of;
    std::int64_t size() const { return static_cast<std::int64_t>(of.size()); }
    friend std::pair<slices, slices> slice(const slices& s) { return {{s.of.first(1)}, {s.of.subspan(1)}}; }
  };

  // The spliced function.
  void call(const random_call& c) const {
    const sennit::call_effects fx(c.fx);
    for (const random_call::part& p : c.parts) {
      if (!p.slices.empty()) {
        sennit::step(
            slices{p.slices},
            [](const slices& s) {
              sennit::effects all;
              for (const random_step* const slice : s.of) all += slice->fx;
              return all;
            },
            [&](const slices& s) { execute(*running_, *s.of.front()); });
      } else if (p.step == nullptr) {
        if (p.catches) {
          try {
            sequence(p);
          } catch (const thrown&) {
          }
        } else {
          sequence(p);
        }
      } else if (p.by_callee) {
        callee(p);
      } else {
        sennit::step(p.whole ? fx : p.step_fx, [&] { execute(*running_, *p.step); });
      }
    }
  }
  void callee(const random_call::part& p) const {
    const sennit::call_effects fx(p.step_fx);
    sennit::step(fx, [&] { execute(*running_, *p.step); });
  }
  void sequence(const random_call::part& p) const {
    if (p.as_list) {
      sennit::sequence_of(p.calls.size(), [&](std::size_t i) { return call_of(*p.calls[i]); });
      return;
    }
    const auto say = [&](const auto&... items) {
      if (p.last) {
        sennit::sequence(items...);
      } else {
        sennit::sequence(sennit::followed_by(p.afterwards), items...);
      }
    };
    switch (p.calls.size()) {
      case 1: return std::visit(say, item_of(*p.calls[0]));
      case 2: return std::visit(say, item_of(*p.calls[0]), item_of(*p.calls[1]));
      default: return std::visit(say, item_of(*p.calls[0]), item_of(*p.calls[1]), item_of(*p.calls[2]));
    }
  }

  mutable state* running_ = nullptr;
};

}  // namespace sennit_test

// parallel_pipeline: items go through filters, so many at a time.
#pragma once

#include <sennit/task_group.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/pipeline_filter.hpp>
#include <sennit/tbb/setting.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tbb {
namespace on_sennit {

// sennit::pipeline knows its stages when it is compiled; a chain of filters is made while the program runs. A strand takes an
// item from the first filter and carries it on. Where the item has to wait, it stays in the list of its filter, and the strand
// ends; whoever leaves that filter sends a strand for the next item.
class pipeline_run {
 public:
  pipeline_run(const setting& in, std::size_t most_alive, const stage_list& stages)
      : in_(in), most_alive_(most_alive), stages_(stages), turns_(stages.size()) {}

  void run() {
    spawn_taker();
    strands_.wait();
  }

 private:
  struct traveler {
    item_pointer item;
    std::optional<std::uint64_t> number;  // in the order of the first filter that is in order
    std::size_t next = 1;                 // the filter to go through
  };
  // The items that wait for a serial filter, by their numbers; that of arrival where the order is free.
  struct turns {
    bool busy = false;
    std::uint64_t next = 0;
    std::uint64_t arrived = 0;
    std::map<std::uint64_t, traveler> waiting;
  };

  bool serial(std::size_t stage) const { return stages_[stage]->mode != filter_mode::parallel; }
  bool in_order(std::size_t stage) const { return stages_[stage]->mode == filter_mode::serial_in_order; }
  // One that nobody has begun with is enough: it sends the next one.
  void spawn_taker() {
    {
      const std::lock_guard guard(lock_);
      if (std::exchange(taker_waits_, true)) return;
    }
    strands_.spawn([this] {
      {
        const std::lock_guard guard(lock_);
        taker_waits_ = false;
      }
      take_items();
    });
  }

  void take_items() {
    while (std::optional<traveler> t = take_item()) {
      if (!carry(std::move(*t))) return;
      const std::lock_guard guard(lock_);
      --alive_;
    }
  }

  // Nothing where there is no more, or others are at it.
  std::optional<traveler> take_item() {
    traveler t;
    bool more = false;
    {
      const std::lock_guard guard(lock_);
      if (over_ || input_busy_ || alive_ == most_alive_ || in_.cancelled()) return std::nullopt;
      ++alive_;
      input_busy_ = serial(0);
      if (serial(0)) t.number = taken_++;
      more = !serial(0) && alive_ != most_alive_;
    }
    if (more) spawn_taker();
    bool got = false;
    try {
      got = first(t);
    } catch (...) {
      end_input(false);
      throw;
    }
    if (end_input(got)) spawn_taker();
    if (!got) return std::nullopt;
    return t;
  }
  bool first(traveler& t) {
    flow_control control;
    bool called = false;
    run_task(in_, [&] {
      t.item = stages_[0]->call(nullptr, control);
      called = true;
    });
    return called && !control.stopped_;
  }
  // Whether another strand had better take the next item.
  bool end_input(bool got) {
    const std::lock_guard guard(lock_);
    if (!got) {
      over_ = true;
      --alive_;
    }
    return std::exchange(input_busy_, false) && !over_ && alive_ != most_alive_;
  }

  // False: the item waits, or has been dropped with all others.
  bool carry(traveler t) {
    for (; t.next != stages_.size(); ++t.next) {
      if (serial(t.next) && !enter(t)) return false;
      if (!go_through(t)) return false;
    }
    return true;
  }

  // Whether it is the item's turn. Otherwise the item stays here.
  bool enter(traveler& t) {
    const std::lock_guard guard(lock_);
    turns& at = turns_[t.next];
    if (in_order(t.next) && !t.number) t.number = numbered_++;
    const std::uint64_t number = in_order(t.next) ? *t.number : at.arrived++;
    if (!at.busy && number == at.next) {
      at.busy = true;
      return true;
    }
    at.waiting.emplace(number, std::move(t));
    return false;
  }

  bool go_through(traveler& t) {
    flow_control control;
    bool called = false;
    run_task(in_, [&] {
      t.item = stages_[t.next]->call(std::move(t.item), control);
      called = true;
    });
    if (!called) return false;
    if (serial(t.next)) leave(t.next);
    return true;
  }

  void leave(std::size_t stage) {
    std::optional<traveler> next;
    {
      const std::lock_guard guard(lock_);
      turns& at = turns_[stage];
      at.busy = false;
      ++at.next;
      const auto first = at.waiting.begin();
      if (first == at.waiting.end() || first->first != at.next) return;
      next.emplace(std::move(first->second));
      at.waiting.erase(first);
      at.busy = true;
    }
    strands_.spawn([this, t = std::move(*next)]() mutable { go_on(std::move(t)); });
  }
  // With an item whose turn it is.
  void go_on(traveler t) {
    if (!go_through(t)) return;
    ++t.next;
    if (!carry(std::move(t))) return;
    {
      const std::lock_guard guard(lock_);
      --alive_;
    }
    take_items();
  }

  const setting& in_;
  const std::size_t most_alive_;
  const stage_list& stages_;
  std::mutex lock_;  // of all below but the group
  std::vector<turns> turns_;
  std::size_t alive_ = 0;
  bool over_ = false;
  bool input_busy_ = false;
  bool taker_waits_ = false;
  std::uint64_t taken_ = 0;
  std::uint64_t numbered_ = 0;
  sennit::task_group strands_;
};

inline void run_pipeline(task_group_context* context, std::size_t most_alive,
                         const filter<void, void>& chain) {
  if (chain.stages().empty())
    throw std::invalid_argument("tbb::parallel_pipeline: the chain of filters is empty");
  if (most_alive == 0) throw std::invalid_argument("tbb::parallel_pipeline: no tokens; give at least 1");
  construct(context, [&](const setting& in) { pipeline_run(in, most_alive, chain.stages()).run(); });
}

inline void parallel_pipeline(std::size_t tokens, const filter<void, void>& chain) {
  run_pipeline(nullptr, tokens, chain);
}
inline void parallel_pipeline(std::size_t tokens, const filter<void, void>& chain,
                              task_group_context& context) {
  run_pipeline(&context, tokens, chain);
}
// A chain in parts, perhaps with a context at the end.
template <class A, class B, class C, class... Rest>
void parallel_pipeline(std::size_t tokens, const filter<void, A>& first, const filter<A, B>& second,
                       C&& third, Rest&&... rest) {
  parallel_pipeline(tokens, first & second, std::forward<C>(third), std::forward<Rest>(rest)...);
}
template <class A>
void parallel_pipeline(std::size_t tokens, const filter<void, A>& first, const filter<A, void>& second) {
  run_pipeline(nullptr, tokens, first & second);
}

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::filter;
using on_sennit::filter_mode;
using on_sennit::flow_control;
using on_sennit::make_filter;
using on_sennit::parallel_pipeline;
}  // namespace v1
}  // namespace tbb

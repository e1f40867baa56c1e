// SPDX-License-Identifier: Apache-2.0
// parallel_pipeline: items go through filters, so many at a time.
#pragma once

#include <sennit/task_group.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/pipeline_filter.hpp>
#include <sennit/tbb/setting.hpp>

#include <oneapi/tbb/spin_mutex.h>

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
// ends; whoever leaves that filter sends a strand for the next item, or, after the last filter, goes on with it.
class pipeline_run {
 public:
  pipeline_run(const setting& in, std::size_t most_alive, const stage_list& stages)
      : in_(in), most_alive_(most_alive), stages_(stages), turns_(stages.size()) {}

  void run() {
    taker_waits_ = true;
    send_taker();
    strands_.wait();
  }
  // On one worker: an item goes through all filters before the next one comes, so that none waits.
  void run_serially() {
    for (pipeline_item item;;) {
      for (std::size_t stage = 0; stage != stages_.size(); ++stage) {
        if (!call(stage, item)) return;
      }
    }
  }

 private:
  struct traveler {
    pipeline_item item;
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
  // What a strand that comes to take an item has done before: the item that it had may still count as alive.
  enum class taker { was_sent, has_ended_item, is_free };

  bool serial(std::size_t stage) const { return stages_[stage]->mode != filter_mode::parallel; }
  bool in_order(std::size_t stage) const { return stages_[stage]->mode == filter_mode::serial_in_order; }

  // False: the filter was not called, or says that there is nothing more.
  bool call(std::size_t stage, pipeline_item& item) const {
    flow_control control;
    bool called = false;
    run_task(in_, [&] {
      item = stages_[stage]->call(std::move(item), control);
      called = true;
    });
    return called && !control.stopped_;
  }

  // Under the lock: whether the caller is to send one. One that nobody has begun with is enough: it sends the next one.
  bool needs_taker() {
    return !over_ && !input_busy_ && alive_ != most_alive_ && !std::exchange(taker_waits_, true);
  }
  void send_taker() {
    strands_.spawn([this] { or_cancel([&] { take_items(taker::was_sent); }); });
  }

  // A strand for which there is no memory ends the pipeline, as a filter that throws does.
  template <class F>
  void or_cancel(F&& f) const {
    try {
      f();
    } catch (...) {
      in_.inner->context.cancel_group_execution();
      throw;
    }
  }

  void take_items(taker by) {
    for (;; by = after_last()) {
      traveler t;
      if (!take_item(t, by) || !carry(t)) return;
    }
  }
  // An item leaves a serial filter by leave(), unless that is the first one, which is behind nobody's turn.
  taker after_last() const {
    const std::size_t last = stages_.size() - 1;
    return last != 0 && serial(last) ? taker::is_free : taker::has_ended_item;
  }

  // False: there is no more, or others are at it.
  bool take_item(traveler& t, taker by) {
    const bool one_at_a_time = serial(0);
    bool send = false;
    {
      const std::lock_guard guard(lock_);
      if (by == taker::was_sent) {
        taker_waits_ = false;
      } else if (by == taker::has_ended_item) {
        --alive_;
      }
      if (over_ || input_busy_ || alive_ == most_alive_ || in_.cancelled()) return false;
      ++alive_;
      input_busy_ = one_at_a_time;
      if (one_at_a_time) t.number = taken_++;
      send = needs_taker();
    }
    if (send) send_taker();
    bool got = false;
    try {
      got = call(0, t.item);
    } catch (...) {
      (void)end_input(false);
      throw;
    }
    if ((one_at_a_time || !got) && end_input(got)) send_taker();
    return got;
  }
  // Whether another strand had better take the next item.
  bool end_input(bool got) {
    const std::lock_guard guard(lock_);
    if (!got) {
      over_ = true;
      --alive_;
    }
    input_busy_ = false;
    return needs_taker();
  }

  // False: the item waits, or has been dropped with all others.
  bool carry(traveler& t) {
    for (; t.next != stages_.size(); ++t.next) {
      if (serial(t.next) && !enter(t)) return false;
      if (!go_through(t)) return false;
    }
    return true;
  }
  // Through the filter whose turn it is, and, after the last one, with the items that wait for it.
  bool go_through(traveler& t) {
    for (;;) {
      if (!call(t.next, t.item)) return false;
      if (!serial(t.next)) return true;
      const bool last = t.next + 1 == stages_.size();
      std::optional<traveler> next;
      if (leave(t.next, last, next)) send_taker();
      if (!next) return true;
      if (!last) {
        strands_.spawn([this, t = std::move(*next)]() mutable { or_cancel([&] { go_on(t); }); });
        return true;
      }
      t = std::move(*next);
    }
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

  // Gives the filter to the next item that waits. Whether another strand had better take an item.
  bool leave(std::size_t stage, bool last, std::optional<traveler>& next) {
    const std::lock_guard guard(lock_);
    turns& at = turns_[stage];
    at.busy = false;
    ++at.next;
    if (last) --alive_;
    const auto first = at.waiting.begin();
    if (first == at.waiting.end() || first->first != at.next) return false;
    next.emplace(std::move(first->second));
    at.waiting.erase(first);
    at.busy = true;
    return last && needs_taker();
  }
  // With an item whose turn it is.
  void go_on(traveler& t) {
    if (!go_through(t)) return;
    ++t.next;
    if (carry(t)) take_items(after_last());
  }

  const setting& in_;
  const std::size_t most_alive_;
  const stage_list& stages_;
  detail::d1::spin_mutex lock_;  // of all below but the group
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
  construct(context, [&](const setting& in) {
    pipeline_run run(in, most_alive, chain.stages());
    if (workers_here() == 1) {
      run.run_serially();
    } else {
      run.run();
    }
  });
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

// SPDX-License-Identifier: Apache-2.0
#include "engine/splice_run.hpp"

#include <algorithm>
#include <cassert>
#include <ranges>
#include <utility>

namespace sennit::sim {

splice_run::splice_run(const splice_graph& of)
    : graph_(of),
      size_(of.size()),
      waits_(size_),
      whose_(size_),
      when_(size_),
      state_(size_, step_state::ahead),
      splicers_(1) {
  for (std::uint32_t step = 0; step < size_; ++step)
    waits_[step] = static_cast<std::uint32_t>(of.before(step).size());
}

// The splicer that has all of it after merges.
splicer_number splice_run::now_of(splicer_number s) noexcept {
  while (splicers_[s].merged_into != none) {
    splicer& here = splicers_[s];
    const splicer_number next = splicers_[here.merged_into].merged_into;
    if (next != none) here.merged_into = next;
    s = here.merged_into;
  }
  return s;
}

// Whether the splicer knows that the step has been done.
bool splice_run::sees(splicer_number s, std::uint32_t step) noexcept {
  const splicer_number by = now_of(whose_[step]);
  for (std::uint32_t until = none; s != none; s = splicers_[s].parent) {
    if (by == s) return when_[step] < until;
    until = std::min(until, splicers_[s].forked_at);
  }
  return false;
}

bool splice_run::is_free(std::uint32_t step, splicer_number by) noexcept {
  if (waits_[step] != 0) return false;
  if (alive_ == 1) return true;
  return std::ranges::all_of(graph_.before(step), [&](std::uint32_t b) { return sees(by, b); });
}

std::uint32_t splice_run::make_call(std::uint32_t first, splicer_number by) {
  if (free_calls_.empty()) {
    free_calls_.push_back(static_cast<std::uint32_t>(calls_.size()));
    calls_.emplace_back();
  }
  const std::uint32_t made = free_calls_.back();
  free_calls_.pop_back();
  calls_[made] = {.first = first, .last = first, .left = 0, .owner = by};
  return made;
}

void splice_run::note_delayed() noexcept {
  ++delayed_in_all_;
  most_delayed_ = std::max(most_delayed_, ++delayed_);
}

bool splice_run::visit(std::uint32_t step, splicer_number by, std::uint32_t& of) {
  checks_ += graph_.before(step).size();
  if (is_free(step, by)) return true;
  if (of == none) {
    of = make_call(step, by);
    splicers_[by].waiting.push_back(of);
  }
  calls_[of].last = step + 1;
  ++calls_[of].left;
  state_[step] = step_state::delayed;
  whose_[step] = of;
  return false;
}

bool splice_run::close(std::uint32_t call) {
  delayed_call& c = calls_[call];
  c.is_closed = true;
  if (c.left == 0) {
    // It is one of the latest.
    std::vector<std::uint32_t>& waiting = splicers_[c.owner].waiting;
    waiting.erase(std::ranges::find(std::ranges::reverse_view(waiting), call).base() - 1);
    free_call(call);
    return false;
  }
  note_delayed();
  return true;
}

// A step of the range may wait for others in it, which are earlier.
bool splice_run::visit_whole(std::uint32_t first, std::uint32_t last, splicer_number by) {
  for (std::uint32_t step = first; step < last; ++step) {
    for (const std::uint32_t b : graph_.before(step)) {
      ++checks_;
      if (b >= first || (state_[b] == step_state::done && sees(by, b))) continue;
      const std::uint32_t call = make_call(first, by);
      calls_[call] = {.first = first,
                      .last = last,
                      .left = last - first,
                      .owner = by,
                      .is_closed = true,
                      .is_whole = true};
      for (std::uint32_t s = first; s < last; ++s) {
        state_[s] = step_state::held;
        whose_[s] = call;
      }
      note_delayed();
      splicers_[by].wholes.push_back(call);
      return false;
    }
  }
  return true;
}

std::uint32_t splice_run::take_ready(splicer_number by) noexcept {
  std::vector<std::uint32_t>& ready = splicers_[by].ready;
  if (ready.empty()) return none;
  const std::uint32_t step = ready.back();
  ready.pop_back();
  return step;
}

bool splice_run::release_wholes(splicer_number by) {
  splicer& s = splicers_[by];
  const auto is_free_now = [&](std::uint32_t call) {
    const delayed_call& c = calls_[call];
    for (std::uint32_t step = c.first; step < c.last; ++step)
      for (const std::uint32_t b : graph_.before(step)) {
        ++checks_;
        if (b < c.first && (state_[b] != step_state::done || !sees(by, b))) return false;
      }
    return true;
  };
  for (std::size_t i = 0; i < s.wholes.size(); ++i) {
    const std::uint32_t call = s.wholes[i];
    if (!is_free_now(call)) continue;
    s.wholes.erase(s.wholes.begin() + static_cast<std::ptrdiff_t>(i));
    const delayed_call c = calls_[call];
    for (std::uint32_t step = c.last; step > c.first; --step) {
      state_[step - 1] = step_state::ready;
      s.ready.push_back(step - 1);
    }
    return true;
  }
  return false;
}

void splice_run::done(std::uint32_t step, splicer_number by) {
  if (state_[step] == step_state::ready) {
    const std::uint32_t call = whose_[step];
    delayed_call& c = calls_[call];
    if (--c.left == 0 && c.is_closed) {
      --delayed_;
      if (c.is_whole) free_call(call);  // others are in a list of those that wait, which is looked through
    }
  }
  state_[step] = step_state::done;
  whose_[step] = by;
  when_[step] = clock_++;
  const std::span after = graph_.after(step);
  for (std::size_t i = after.size(); i > 0; --i) {
    const std::uint32_t other = after[i - 1];
    --waits_[other];
    if (waits_[other] != 0 || state_[other] != step_state::delayed) continue;
    if (calls_[whose_[other]].owner != by || !is_free(other, by)) continue;
    state_[other] = step_state::ready;
    splicers_[by].ready.push_back(other);
  }
}

splicer_number splice_run::fork(splicer_number from, std::uint32_t at) {
  ++alive_;
  splicers_.push_back({.parent = from, .forked_at = at});
  return static_cast<splicer_number>(splicers_.size() - 1);
}

void splice_run::merge(splicer_number into, splicer_number other) {
  --alive_;
  splicer gone = std::exchange(splicers_[other], {});
  assert(gone.ready.empty());
  splicers_[other].merged_into = into;
  splicer& all = splicers_[into];
  for (const std::uint32_t call : gone.wholes) {
    calls_[call].owner = into;
    all.wholes.push_back(call);
  }
  for (const std::uint32_t call : gone.waiting) {
    calls_[call].owner = into;
    all.waiting.push_back(call);
  }
  std::ranges::sort(all.waiting, {}, [&](std::uint32_t call) { return calls_[call].first; });
  std::ranges::sort(all.wholes, {}, [&](std::uint32_t call) { return calls_[call].first; });
  std::erase_if(all.waiting, [&](std::uint32_t call) {
    if (calls_[call].left != 0 || !calls_[call].is_closed) return false;
    free_call(call);
    return true;
  });
  for (std::size_t i = all.waiting.size(); i > 0; --i) {
    const delayed_call& c = calls_[all.waiting[i - 1]];
    for (std::uint32_t step = c.last; step > c.first; --step) {
      if (state_[step - 1] != step_state::delayed || !is_free(step - 1, into)) continue;
      state_[step - 1] = step_state::ready;
      all.ready.push_back(step - 1);
    }
  }
}

}  // namespace sennit::sim

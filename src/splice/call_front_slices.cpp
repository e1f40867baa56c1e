// SPDX-License-Identifier: Apache-2.0
// Slices in a front: where they are cut, so that no slice needs a later one of an earlier call.
#include "splice/call_front.hpp"
#include "splice/call_stack.hpp"
#include "splice/checking.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/detail/effects_access.hpp>
#include <sennit/detail/splice/bytes_of_trees.hpp>
#include <sennit/detail/splice/shifted_tree.hpp>

#include <algorithm>

namespace sennit::detail {

namespace {

// Sizes of slices that are tried: from this part of the first one, and as long as a step has so many slices.
constexpr std::int64_t smallest_part = 8;
constexpr std::int64_t fewest_slices = 8;

}  // namespace

sliced_step& splicer::call_front::slices_of(const node& n) noexcept { return *stack_of(*n.call)->slices; }

// What effects_of() throws, it throws again when the slice is looked for, as a failure of the step. Until then the slices
// stay as they are.
template <class Work>
void splicer::call_front::unless_effects_throw([[maybe_unused]] line& l, Work&& work) {
#if SENNIT_EXCEPTIONS
  try {
    work();
  } catch (...) {
    l.shift = 0;
  }
#else
  work();
#endif
}

// Slices are steps, of which what is left becomes less.
bool splicer::call_front::arrive_at_slice(line& l) {
  node& n = l.todo.back();
  live_call& c = *n.call;
  const auto few = [](const effects& fx) {
    return effects_access::size(fx) <= hulls::most && effects_access::all_contiguous(fx);
  };
  if (n.depth > deepest_slices || !few(*c.rest) || !few(*c.now)) {
    stop_ = true;
    return false;
  }
  if (l.sliced_key != n.key && slices_of(n).left() != nullptr) {
    unless_effects_throw(l, [&] {
      find_shift(static_cast<std::size_t>(&l - lines_.data()));
      if (slice_ != 0) cut_slices(l);
    });
  }
  n.own = hulls(*c.rest);
  l.add_up();
  l.now = hulls(*c.now);
  l.arrived = &c;
  return true;
}

// By how much the slices of the step at which the line has arrived have to be behind those of the lines before it. Where
// that cannot be found they are not shifted.
void splicer::call_front::find_shift(std::size_t i) {
  line& l = lines_[i];
  const node& n = l.todo.back();
  l.sliced_key = n.key;
  l.sliced = *slices_of(n).left();
  l.shift = 0;
  const std::int64_t limit = are_shifted_ ? l.sliced.size() : 0;
  for (std::size_t back = 1; back <= std::min<std::size_t>(i, nearby); ++back) {
    const line& other = lines_[i - back];
    if (other.sliced_key != n.key || !(other.sliced == l.sliced)) continue;
    const std::int64_t d = limit < 1 ? -1 : distance(i, back);
    if (d >= 0) usual_[back] = d;
    if (d < 0 || other.shift + d > limit) {
      l.shift = 0;
      return;
    }
    l.shift = std::max(l.shift, other.shift + d);
  }
}

// Returns -1 if there is none.
std::int64_t splicer::call_front::distance(std::size_t i, std::size_t back) {
  const line& l = lines_[i];
  const line& other = lines_[i - back];
  // The other step may have ended.
  if (other.arrived == nullptr || other.arrived->at != arrival::slice ||
      other.todo.back().key != l.sliced_key) {
    return usual_[back];
  }
  const sliced_tree mine{l.sliced, 0, &slices_of(l.todo.back())};
  const sliced_tree its{l.sliced, 0, &slices_of(other.todo.back())};
  return distance_behind(mine, its, usual_[back], l.sliced.size());
}

// The lines have arrived at their first steps: how large slices are, if these steps are sliced.
void splicer::call_front::choose_slices() {
  std::int64_t most = 0;
  line* largest = nullptr;  // others may be the last indices of steps that an earlier front has left
  const auto is_sliced = [](const line& l) {
    return l.arrived != nullptr && l.arrived->at == arrival::slice && l.sliced_key == l.todo.back().key;
  };
  for (line& l : lines_) {
    most = std::max(most, l.shift);
    if (is_sliced(l) && (largest == nullptr || l.sliced.size() > largest->sliced.size())) largest = &l;
  }
  if (largest != nullptr) unless_effects_throw(*largest, [&] { choose_slice(*largest, most); });
  for (line& l : lines_) {
    if (!is_sliced(l)) continue;
    if (!are_shifted_) l.shift = most = 0;
    unless_effects_throw(l, [&] { cut_slices(l); });
  }
  if (slice_ == 0) return;
  in_.report_.block = slice_;
  in_.report_.shift = std::max(in_.report_.shift, most);
}

// Of the line's step; `most`: between the first line and the last.
void splicer::call_front::choose_slice(const line& l, std::int64_t most) {
  sliced_step& s = slices_of(l.todo.back());
  const auto behind = static_cast<std::int64_t>(lines_.size() - 1);
  const std::int64_t apart = std::max(most, usual_[1] * behind);
  if (apart > 0) {
    const double share = static_cast<double>(apart) / static_cast<double>(l.sliced.size());
    const double bytes = share * static_cast<double>(effects_access::bytes(*l.arrived->rest));
    are_shifted_ = shift_fits(static_cast<std::uint64_t>(bytes));
    if (!are_shifted_)
      group_ = trees_that_fit(static_cast<std::uint64_t>(bytes) / static_cast<std::uint64_t>(behind),
                              static_cast<std::uint32_t>(lines_.size()));
  }
  slice_ = s.size();
  if (!s.size_is_chosen) return;
  sliced_tree t{l.sliced, 0, &s};
  // Nothing is to gain if all data stays in the cache.
  const auto rest_of = [&](std::size_t i) -> const effects& { return *lines_[i].arrived->rest; };
  const auto is_sliced = [](const line& of) {
    return of.arrived != nullptr && of.arrived->at == arrival::slice;
  };
  if (std::ranges::all_of(lines_, is_sliced) && data_fits(bytes_together(lines_.size(), rest_of))) {
    slice_ = l.sliced.size();
    are_shifted_ = false;
    is_whole_ = true;
    return;
  }
  if (most > 0 && are_shifted_) {
    choose_shifted_block(t, most, 1);
  } else {
    choose_block(t, group_);
  }
  slice_ = t.block;
  if (most == 0 || !are_shifted_) return;
  const std::int64_t largest =
      size_that_fits(t, [](std::uint64_t bytes) { return bytes <= shifted_step_bytes()[2]; });
  const std::int64_t least = std::max(most, slice_ / smallest_part);
  if (least > slice_ || l.sliced.size() / fewest_slices <= slice_) return;
  least_slice_ = least;
  most_slice_ = std::min(largest, l.sliced.size() / fewest_slices);
  in_.whole_.slices.begin(slice_, least_slice_, most_slice_);
  slice_ = next_size();
  tries_sizes_ = true;
}

std::int64_t splicer::call_front::next_size() const noexcept {
  return std::clamp(in_.whole_.slices.size(), least_slice_, most_slice_);
}

// All lines have been gone through. Every few rounds the time says what the size is worth, and another one may be tried:
// from a place on at which all lines are, so that their slices stay side by side.
void splicer::call_front::note_round() {
  if (++rounds_ < rounds_of_a_sample || !are_at_one_place()) return;
  const std::uint64_t now = now_ns();
  // A time in which other steps have been run, too, says nothing.
  const std::uint64_t key = lines_.front().sliced_key;
  if (begun_ns_ != 0 && sample_key_ == key) {
    in_.whole_.slices.took(slice_,
                           static_cast<double>(now - begun_ns_) / static_cast<double>(slice_ * rounds_));
  }
  sample_key_ = key;
  begun_ns_ = now;
  rounds_ = 0;
  if (next_size() == slice_) return;
  in_.report_.block = slice_ = next_size();
  begun_ns_ = 0;
  for (line& l : lines_) {
    unless_effects_throw(l, [&] {
      slices_of(l.todo.back()).cut(slice_, slice_);
      l.now = hulls(*l.todo.back().call->now);
    });
  }
}

bool splicer::call_front::are_at_one_place() const noexcept {
  const auto is_there = [&](const line& l) {
    if (l.arrived == nullptr || l.arrived->at != arrival::slice || l.sliced_key != l.todo.back().key)
      return false;
    const sliced_step& s = slices_of(l.todo.back());
    // Its first slice is shorter by the shift. A size that the program has given is a promise.
    const bool has_begun = s.left() != nullptr && s.left()->first > l.sliced.first;
    return has_begun && s.size_is_chosen && s.size() == slice_ &&
           l.todo.back().place() == lines_.front().todo.back().place();
  };
  return std::ranges::all_of(lines_, is_there);
}

// The slices of the line at its first slice begin with what the places of the other lines' slices have of it.
void splicer::call_front::cut_slices(line& l) {
  node& n = l.todo.back();
  sliced_step& s = slices_of(n);
  // A size that the program has given is a promise.
  const bool is_other = is_whole_ && l.sliced.size() > slice_;
  if (slice_ == 0 || is_other || (!s.size_is_chosen && s.size() != slice_)) {
    l.shift = 0;
    return;
  }
  s.cut(slice_ - l.shift % slice_, slice_);
  n.slice = static_cast<std::uint32_t>(l.shift / slice_);
  l.now = hulls(*n.call->now);
}

}  // namespace sennit::detail

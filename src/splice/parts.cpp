// SPDX-License-Identifier: Apache-2.0
// The parts of an open call: how they begin, also as one step where there is no memory for more, and how they are
// kept. docs/protocols/splices.md has the rules.
#include "policy/splicing.hpp"
#include "splice/splicer.hpp"

#include <sennit/detail/assert.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <utility>

namespace sennit::detail {

namespace {

// For a part that could not be begun: it ends with its failure.
constexpr call_kind not_begun = {.advance = [](spliced_call&) noexcept { return arrival::end; },
                                 .next_part = nullptr,
                                 .run = nullptr,
                                 .move = [](spliced_call&, spliced_call&) noexcept {},
                                 .drop = [](spliced_call&) noexcept {}};

// Apart from the code for calls that have no index.
[[gnu::noinline]] void add_to(part_index& index, live_call& part) noexcept {
  index.add(&part, hulls(part.all));
}
[[gnu::noinline]] void remove_from(part_index& index, const live_call& part) noexcept {
  index.remove(part.index, hulls(part.all));
}

}  // namespace

void splicer::open(live_call& c) {
  SENNIT_ASSERT(mine(c) && c.parts.first == nullptr && c.parts.left == 0);
  ++c.parts.sequence;
  c.parts.index.reset();
  c.parts.last = nullptr;
  c.parts.begun = 0;
  c.parts.end = c.sequence_size;
  c.parts.left = c.parts.may_begin() ? 1 : 0;
  while (c.parts.may_begin() && c.parts.begun < few) begin_part(c);
  // Last, because a call without parts is not to be continued by end_part().
  c.state = c.has_left_row() ? call_state::open_alone : call_state::open;
}

// Returns null if there are no more parts.
live_call* splicer::begin_part(live_call& c) {
  SENNIT_ASSERT(mine(c) && c.parts.may_begin());
  make_room_for_part(c, c.parts.begun);
  live_call& part = make(&c);
  part.index = c.parts.begun;
  if (!try_part(c, part)) {
    recycle(part);
    c.parts.end = c.parts.begun;
    end_part(c);
    return nullptr;
  }
  ++c.parts.left;
  ++c.parts.begun;
  add_part(c, part);
  if (!c.parts.may_begin()) end_part(c);
  count_bytes(part);
  if (c.parts.index != nullptr) count_bytes(c);
  return &part;
}

// Begins all parts that have not begun.
void splicer::begin_rest(live_call& c) {
  while (c.parts.may_begin()) begin_part(c);
  if (c.parts.index == nullptr) return;
  c.parts.index->complete();
  count_bytes(c);
}

// Returns false if there are no more parts. Where the splice is past its limit, all parts that are left become one.
bool splicer::try_part(live_call& c, live_call& part) {
  if (c.kind->rest != nullptr) {
    // What will not begin is one part, too: others may wait for what it was to write.
    if (is_void(part)) return make_rest(c, part) > 0;
    if (is_past_limit(c)) return leave_unspliced(c, part);
  }
#if SENNIT_EXCEPTIONS
  try {
    return c.kind->next_part(c, part, part.index);
  } catch (const std::bad_alloc&) {
    if (c.kind->rest == nullptr) part.failure = std::current_exception();
  } catch (...) {
    part.failure = std::current_exception();
  }
  if (!part.failure) return leave_unspliced(c, part);
  part.kind = &not_begun;
  part.all = c.all;
  c.parts.end = part.index + 1;
  return true;
#else
  return c.kind->next_part(c, part, part.index);
#endif
}

// Returns false if there are no more parts.
bool splicer::leave_unspliced(live_call& c, live_call& part) {
  const std::uint32_t count = make_rest(c, part);
  report_.unspliced += count;
  return count > 0;
}

// Returns the number of parts in it.
std::uint32_t splicer::make_rest(live_call& c, live_call& part) {
  part.all = c.all;
  part.one_step = part.last_step = true;
  c.parts.end = part.index + 1;
  return c.kind->rest(c, part, part.index);
}

bool splicer::is_past_limit(const live_call& c) const noexcept {
  // The rest is for what is counted later: lists of obstacles, and calls that thieves copy.
  const std::size_t rest = whole_.how.most_bytes / (whole_.workers > 1 ? 4 : 16);
  return c.depth >= policy::deepest_call || bytes_in_use() >= whole_.how.most_bytes - rest;
}

void splicer::make_room_in_index(live_call& c, std::uint32_t position) {
  if (c.parts.first == nullptr && c.parts.index != nullptr) {
    // All parts in it have ended.
    c.parts.index.reset();
    count_bytes(c);
  }
  if (c.parts.index == nullptr) {
    if (c.parts.left <= few) return;  // all parts in the index had ended
    auto index = std::make_unique<part_index>(c.parts.first != nullptr ? c.parts.first->index : position);
    for (live_call* part = c.parts.first; part != nullptr; part = part->next) {
      while (index->end() < part->index) {
        index->reserve();
        index->add(nullptr, hulls());
      }
      index->reserve();
      index->add(part, hulls(part->all));
    }
    c.parts.index = std::move(index);
  }
  while (c.parts.index->end() < position) {
    c.parts.index->reserve();
    c.parts.index->add(nullptr, hulls());
  }
  c.parts.index->reserve();
}

void splicer::add_part(live_call& c, live_call& part) noexcept {
  part.previous = std::exchange(c.parts.last, &part);
  *(part.previous == nullptr ? &c.parts.first : &part.previous->next) = &part;
  if (c.parts.index != nullptr) add_to(*c.parts.index, part);
}

void splicer::remove_part(live_call& part) noexcept {
  live_call& around = *part.around;
  *(part.previous == nullptr ? &around.parts.first : &part.previous->next) = part.next;
  *(part.next == nullptr ? &around.parts.last : &part.next->previous) = part.previous;
  if (around.parts.index != nullptr) remove_from(*around.parts.index, part);
}

// A part has ended, or there are no parts left that have not begun.
void splicer::end_part(live_call& around) {
  SENNIT_ASSERT(around.parts.left > 0);
  if (--around.parts.left == 0 && around.state == call_state::open_alone && !whole_.stop.is_set()) {
    ++around.uses;
    ready_.push(around);
  }
}

}  // namespace sennit::detail

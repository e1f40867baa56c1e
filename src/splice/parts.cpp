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

}  // namespace

void splicer::open(live_call& c) {
  SENNIT_ASSERT(mine(c) && c.parts == nullptr && c.parts_left == 0);
  ++c.sequences;
  c.index_of_parts.reset();
  c.last_part = nullptr;
  c.parts_begun = 0;
  c.parts_left = 1;
  c.more_parts = true;
  while (c.more_parts && c.parts_begun < few) begin_part(c);
  // Last, because a call without parts is not to be continued by end_part().
  c.state = call_state::open;
}

// Returns null if there are no more parts.
live_call* splicer::begin_part(live_call& c) {
  SENNIT_ASSERT(mine(c) && c.more_parts);
  make_room_for_part(c, c.parts_begun);
  live_call& part = make(&c);
  part.index = c.parts_begun;
  if (!try_part(c, part)) {
    recycle(part);
    c.more_parts = false;
    end_part(c);
    return nullptr;
  }
  ++c.parts_left;
  ++c.parts_begun;
  if (c.parts_begun == c.sequence_size) c.more_parts = false;
  add_part(c, part);
  if (!c.more_parts) end_part(c);
  count_bytes(part);
  if (c.index_of_parts != nullptr) count_bytes(c);
  return &part;
}

// Begins all parts that have not begun.
void splicer::begin_rest(live_call& c) {
  while (c.more_parts) begin_part(c);
  if (c.index_of_parts == nullptr) return;
  c.index_of_parts->complete();
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
  c.more_parts = false;
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
  c.more_parts = false;
  return c.kind->rest(c, part, part.index);
}

bool splicer::is_past_limit(const live_call& c) const noexcept {
  // The rest is for what is counted later: lists of obstacles, and calls that thieves copy.
  const std::size_t rest = whole_.how.most_bytes / (whole_.workers > 1 ? 4 : 16);
  return c.depth >= policy::deepest_call || bytes_in_use() >= whole_.how.most_bytes - rest;
}

void splicer::make_room_in_index(live_call& c, std::uint32_t position) {
  if (c.parts == nullptr && c.index_of_parts != nullptr) {
    // All parts in it have ended.
    c.index_of_parts.reset();
    count_bytes(c);
  }
  if (c.index_of_parts == nullptr) {
    if (c.parts_left <= few) return;  // all parts in the index had ended
    auto index = std::make_unique<part_index>(c.parts != nullptr ? c.parts->index : position);
    for (live_call* part = c.parts; part != nullptr; part = part->next) {
      while (index->end() < part->index) {
        index->reserve();
        index->add(nullptr, hulls());
      }
      index->reserve();
      index->add(part, hulls(part->all));
    }
    c.index_of_parts = std::move(index);
  }
  while (c.index_of_parts->end() < position) {
    c.index_of_parts->reserve();
    c.index_of_parts->add(nullptr, hulls());
  }
  c.index_of_parts->reserve();
}

void splicer::add_part(live_call& c, live_call& part) noexcept {
  part.previous = std::exchange(c.last_part, &part);
  *(part.previous == nullptr ? &c.parts : &part.previous->next) = &part;
  if (c.index_of_parts != nullptr) c.index_of_parts->add(&part, hulls(part.all));
}

void splicer::remove_part(live_call& part) noexcept {
  live_call& around = *part.around;
  *(part.previous == nullptr ? &around.parts : &part.previous->next) = part.next;
  *(part.next == nullptr ? &around.last_part : &part.next->previous) = part.previous;
  if (around.index_of_parts != nullptr) around.index_of_parts->remove(part.index, hulls(part.all));
}

// A part has ended, or there are no parts left that have not begun.
void splicer::end_part(live_call& around) {
  SENNIT_ASSERT(around.parts_left > 0);
  if (--around.parts_left == 0 && around.left && around.state == call_state::open && !whole_.stop.is_set()) {
    ++around.uses;
    ready_.push(around);
  }
}

}  // namespace sennit::detail

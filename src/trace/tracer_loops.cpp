// SPDX-License-Identifier: Apache-2.0
// Loops under a trace, and their leaves.
#include "trace/traced_strand.hpp"
#include "trace/tracer.hpp"

#include <utility>

namespace sennit::detail {

namespace {

using kind = traced_body::kind;

}  // namespace

void tracer::loop_begins(strand& of, trace_cursor& cursor, whereabouts& where, std::uintptr_t site) noexcept {
  const std::uint64_t expected_ns = expected(of.innermost, site);
  traced_body* const body = open(of, kind::loop, site);
  if (body == nullptr) return;
  body->expected_ns = expected_ns;
  body->told = expected_ns >= resolution_ns;
  cursor.level().notes = body;
  if (body->told) {
    cursor.level().awaited = 0;
  } else {
    // Little is told of what is in a brief one: it lies in what is around.
    body->id = body->in;
  }
  where.position = body->id;
}

void tracer::loop_ends(strand& of, traced_body& loop) noexcept {
  tell_leaf(of);
  leave(of, loop);
  const std::uint64_t end = now();
  const std::uint64_t took = end - loop.begun_ns;
  learn(loop, took, 0);
  durations_.took(loop.site, any_depth, took);
  if (loop.holds_told && !loop.told) {
    // That lies in what is around.
    if (of.innermost != nullptr) of.innermost->holds_told = true;
  } else if (is_worth_telling(loop, took)) {
    if (!loop.told) {
      loop.id = next_id();
      tell_whole(loop, end);
    }
    tell_in(of, loop, end);
    was_told(of);
  } else {
    was_brief(of, loop, took);
  }
  of.give_back(loop);
}

// A loop that is told although it was expected to be brief: as a single part.
void tracer::tell_whole(const traced_body& loop, std::uint64_t end_ns) noexcept {
  traced_body leaf;
  leaf.what = kind::leaf;
  leaf.id = next_id();
  leaf.in = loop.id;
  leaf.begun_ns = loop.begun_ns;
  leaf.last = loop.last;
  tell(leaf, end_ns);
}

// Parts of a loop that follow each other in one strand are one as long as that is brief.
void tracer::leaf_begins(trace_cursor& cursor, position first, position last) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr || !of->in_cuts()) return;
  settle(*of);
  traced_body* body = of->leaf;
  if (body != nullptr && body->in == of->id() && body->last == first && body->left_ns < resolution_ns) {
    of->leaf = nullptr;
    body->outer = std::exchange(of->innermost, body);
  } else {
    tell_leaf(*of);
    body = open(*of, kind::leaf, 0);
    if (body == nullptr) return;
    body->first = first;
  }
  body->last = last;
}

void tracer::leaf_ends(trace_cursor& cursor) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr) return;
  settle(*of);
  traced_body* const body = of->innermost;
  if (body == nullptr || body->what != kind::leaf) return;
  leave(*of, *body);
  body->outer = nullptr;
  body->left_ns = now() - body->begun_ns;
  of->leaf = body;
}

void tracer::tell_leaf(strand& of) noexcept {
  traced_body* const body = std::exchange(of.leaf, nullptr);
  if (body == nullptr) return;
  tell_brief(of);
  tell(*body, body->begun_ns + body->left_ns);
  of.give_back(*body);
}

}  // namespace sennit::detail

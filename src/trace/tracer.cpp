// SPDX-License-Identifier: Apache-2.0
#include "trace/tracer.hpp"

#include "system/nanoseconds.hpp"
#include "trace/traced_strand.hpp"
#include "worker/worker.hpp"

#include <memory>
#include <new>
#include <utility>

namespace sennit::detail {

namespace {

using kind = traced_body::kind;

}  // namespace

std::uint64_t tracer::now() const noexcept { return now_ns() - begun_ns_; }

traced_body* tracer::open(strand& of, kind what, std::uintptr_t site) noexcept {
  traced_body* const body = of.take();
  if (body == nullptr) return nullptr;
  body->what = what;
  body->outer = of.innermost;
  body->in = of.id();
  body->site = site;
  body->id = what == kind::cut ? body->in : next_id();
  if (of.innermost != nullptr) {
    const bool deeper = what != kind::right && what != kind::cut && of.innermost->what != kind::cut;
    body->depth = of.innermost->depth + (deeper ? 1 : 0);
    // A part of a loop takes as long as it has iterations: nobody knows how many.
    if (what != kind::leaf) body->expected_ns = of.innermost->expected_ns;
  }
  body->begun_ns = now();
  of.innermost = body;
  return body;
}

// The body leaves the strand, and those that were left open within it.
void tracer::leave(strand& of, traced_body& body) noexcept {
  while (of.innermost != nullptr && of.innermost != &body) {
    traced_body* const within = std::exchange(of.innermost, of.innermost->outer);
    forget_brief(of, *within);
    of.give_back(*within);
  }
  if (of.innermost != nullptr) of.innermost = body.outer;
}

void tracer::close(strand& of, traced_body& body) noexcept {
  leave(of, body);
  tell_in(of, body, now());
  of.give_back(body);
}

// The body has left the strand.
void tracer::tell_in(strand& of, const traced_body& body, std::uint64_t end_ns) noexcept {
  const bool may_be_left_out = body.what == kind::fork || body.what == kind::right;
  if (may_be_left_out && !body.holds_told && end_ns - body.begun_ns < brief_ns) {
    if (of.innermost != nullptr) of.innermost->skipped += body.skipped + (body.what == kind::fork ? 1 : 0);
    forget_brief(of, body);
    return;
  }
  tell_brief(of);
  tell(body, end_ns);
  if (of.innermost != nullptr) of.innermost->holds_told = true;
}

// The right branch of the fork that was popped last never began.
void tracer::settle(strand& of) noexcept {
  traced_body* const body = std::exchange(of.popped, nullptr);
  if (body == nullptr) return;
  body->holds_told = true;  // or else somebody may look for its branches
  tell_in(of, *body, body->begun_ns + body->left_ns);
  of.give_back(*body);
}

void tracer::was_brief(strand& of) noexcept {
  if (of.brief_ones < enough_brief_ones) ++of.brief_ones;
  if (of.innermost != nullptr) ++of.innermost->skipped;
}

// A construct that has left the strand. Only those directly in a body that is told count, as that is where they are said to be.
void tracer::was_brief(strand& of, const traced_body& construct, std::uint64_t took_ns) noexcept {
  was_brief(of);
  if (of.innermost == nullptr || !of.innermost->told) return;
  begin_brief(of);
  const bool is_fork = construct.what == kind::fork;
  of.untold.took(of.innermost->id,
                 {.site = construct.site,
                  .is_fork = is_fork,
                  .count = 1,
                  .took_ns = static_cast<double>(took_ns),
                  .left_ns = static_cast<double>(is_fork ? construct.left_ns : 0),
                  .iterations = static_cast<double>(is_fork ? 0 : construct.last)},
                 construct.begun_ns, construct.begun_ns + took_ns);
}

// What is known of the brief constructs of another body is told.
void tracer::begin_brief(strand& of) noexcept {
  if (of.untold.body() != of.innermost->id) tell_brief(of);
}

void tracer::forget_brief(strand& of, const traced_body& body) noexcept {
  if (of.untold.body() == body.id) of.untold.forget();
}

void tracer::was_told(strand& of) noexcept { of.brief_ones -= of.brief_ones / told_share; }

unobserved_part* tracer::leaves_alone(trace_cursor& cursor) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr || of->brief_ones < enough_brief_ones || of->innermost == nullptr || of->in_cuts())
    return nullptr;
  settle(*of);
  of->alone_since_ns = of->gate_met_ns = now();
  of->alike_ns = 0;
  of->untold.left_alone(of->innermost->site, of->alone_since_ns);
  return &of->unobserved;
}

void tracer::hears_again(trace_cursor& cursor) noexcept {
  strand& of = *strand::of(cursor);
  const std::uint64_t since = of.alone_since_ns;
  const std::uint64_t end = now();
  if (end - since >= alone_ns) of.brief_ones = enough_brief_ones - few_brief_ones;
  if (of.innermost == nullptr || !of.innermost->told || of.in_cuts()) return;
  begin_brief(of);
  of.meets_gate(end);
  of.untold.was_alone(of.innermost->id, of.alike_ns, since, end);
}

bool tracer::has_left_alone_for_long(trace_cursor& cursor) noexcept {
  strand& of = *strand::of(cursor);
  of.meets_gate(now());
  return of.gate_met_ns - of.alone_since_ns >= alone_ns;
}

bool tracer::may_be_long(trace_cursor&, std::uintptr_t site) noexcept {
  return durations_.mean_ns(site, any_depth) >= resolution_ns;
}

void tracer::begin(trace_cursor& cursor, frame* branch) noexcept {
  std::unique_ptr<strand> made(new (std::nothrow) strand);
  cursor.note = nullptr;
  if (!made || branch == nullptr) return;
  const whereabouts where = branch->where();
  const bool is_root = where.position == nowhere;
  // Of a part of the program that nothing is told of.
  if (!is_root && where.plan == nullptr) return;
  const bool is_cut = !where.within && fork_notes::of(where).part_of_loop;
  traced_body* const body =
      open(*made,
           is_root        ? kind::region
           : where.within ? kind::child
           : is_cut       ? kind::cut
                          : kind::right,
           where.within && !is_root ? reinterpret_cast<std::uintptr_t>(branch->code()) : 0);
  if (body == nullptr) return;
  if (is_cut) {
    body->id = where.position;
  } else if (where.within && !is_root) {
    spawned(*body, where);
  } else if (!is_root) {
    body->in = where.position;
    body->depth = fork_notes::of(where).depth;
  }
  cursor.level().awaited = cursor.level().begun = 0;
  cursor.note = made.release();
  clock_.strand_begins(worker::current()->core());
}

void tracer::end(trace_cursor& cursor, frame*) noexcept {
  const std::unique_ptr<strand> of(static_cast<strand*>(std::exchange(cursor.note, nullptr)));
  if (!of) return;
  clock_.strand_ends(worker::current()->core());
  settle(*of);
  tell_leaf(*of);
  traced_body* body = of->innermost;
  while (body != nullptr && body->outer != nullptr) body = body->outer;
  if (body == nullptr || body->what == kind::cut) return;
  const std::uint64_t end = now();
  if (body->what == kind::child) {
    durations_.took(body->last, depth_of_child(body->depth), end - body->begun_ns);
    if (!is_worth_telling(*body, end - body->begun_ns)) return;
  }
  tell_brief(*of);
  tell(*body, end, body->what != kind::region);
  if (body->what == kind::region) flush_now_and_then();
}

donee tracer::reached(trace_cursor& cursor, whereabouts& where, construct begun) noexcept {
  strand* const of = strand::of(cursor);
  const std::uintptr_t site = std::exchange(cursor.site, 0);
  if (of == nullptr) return {};
  settle(*of);
  cursor_level& level = cursor.around();
  level.awaited = level.begun;
  switch (begun.what) {
    case construct::kind::wait: break;
    case construct::kind::child: child_begins(*of, cursor, where, begun.group); break;
    case construct::kind::loop: loop_begins(*of, cursor, where, site); break;
    case construct::kind::fork: return fork_begins(*of, cursor, where, site);
  }
  return {};
}

void tracer::follow(trace_cursor& cursor, const whereabouts& where) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr || where.plan == nullptr) return;
  settle(*of);
  traced_body* const body = open(*of, kind::child, 0);
  if (body == nullptr) return;
  spawned(*body, where);
  cursor.level().notes = body;
  cursor.level().awaited = 0;
}

traced_body* tracer::take_left(trace_cursor& cursor) noexcept {
  return static_cast<traced_body*>(std::exchange(cursor.left().notes, nullptr));
}

void tracer::kept(trace_cursor& cursor, const whereabouts&, position size) noexcept {
  strand* const of = strand::of(cursor);
  traced_body* const body = take_left(cursor);
  const std::uintptr_t popped_at = std::exchange(cursor.site, 0);
  if (of == nullptr || body == nullptr) return;
  settle(*of);
  switch (body->what) {
    case kind::fork:
      leave(*of, *body);
      body->left_ns = now() - body->begun_ns;
      if (body->site == 0) body->site = popped_at;
      of->popped = body;
      break;
    case kind::cut:
      leave(*of, *body);
      of->give_back(*body);
      break;
    case kind::loop:
      body->last = size;
      loop_ends(*of, *body);
      break;
    default: child_ends(*of, *body);
  }
}

void tracer::dropped(trace_cursor& cursor) noexcept {
  strand* const of = strand::of(cursor);
  traced_body* const body = take_left(cursor);
  if (of == nullptr || body == nullptr) return;
  settle(*of);
  leave(*of, *body);
  forget_brief(*of, *body);
  of->give_back(*body);
}

traced_body* tracer::name_begins(std::string_view name, std::uintptr_t site) noexcept {
  unobserved_part::end_stretch_if_possible();
  traced_body* body = nullptr;
  if (trace_cursor* const cursor = current_tls().cursor; cursor != nullptr && &cursor->by() == this) {
    strand* const of = strand::of(*cursor);
    if (of == nullptr) return nullptr;
    settle(*of);
    body = open(*of, kind::named, site);
  } else if (worker::current() == nullptr) {
    strand outside;
    body = open(outside, kind::named, site);
    outside.innermost = nullptr;
  }
  if (body != nullptr) body->name = name;
  return body;
}

void tracer::name_ends(traced_body& section) noexcept {
  unobserved_part::end_stretch();
  trace_cursor* const cursor = current_tls().cursor;
  strand* const of = cursor != nullptr && &cursor->by() == this ? strand::of(*cursor) : nullptr;
  if (of != nullptr) {
    settle(*of);
    close(*of, section);
  } else {
    tell(section, now());
    delete &section;
  }
}

}  // namespace sennit::detail

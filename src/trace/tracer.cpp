#include "trace/tracer.hpp"

#include "process/environment.hpp"
#include "process/fork_child.hpp"
#include "process/settings.hpp"
#include "system/nanoseconds.hpp"
#include "worker/runtime_core.hpp"
#include "worker/unobserved_part.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/fork/frame.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace sennit::detail {

namespace {

using kind = traced_body::kind;

// What is noted in a frame's whereabouts: of a fork, its body's number and whether it is a part of a loop; of a child, when it
// was spawned, where and in which group.
struct fork_notes {
  bool part_of_loop = false;
  std::uint32_t depth = 0;

  const void* packed() const noexcept {
    return reinterpret_cast<const void*>(std::uintptr_t{depth} << 2 | (part_of_loop ? 3 : 1));
  }
  static fork_notes of(const whereabouts& where) noexcept {
    const auto word = reinterpret_cast<std::uintptr_t>(where.plan);
    return {.part_of_loop = (word & 2) != 0, .depth = static_cast<std::uint32_t>(word >> 2)};
  }
};

constexpr unsigned group_bits = 20;

// Two groups that are open at once have the same number once in a million times.
std::uint64_t group_number(const void* group) noexcept {
  return ((reinterpret_cast<std::uintptr_t>(group) * 0x9e3779b97f4a7c15U) >> (64 - group_bits)) | 1;
}
const void* spawned_in(std::uint64_t body, const void* group) noexcept {
  return reinterpret_cast<const void*>(body << group_bits | group_number(group));
}
std::uint64_t body_of(const void* spawned) noexcept {
  return reinterpret_cast<std::uintptr_t>(spawned) >> group_bits;
}
std::uint64_t group_of(const void* spawned) noexcept {
  return reinterpret_cast<std::uintptr_t>(spawned) & ((std::uint64_t{1} << group_bits) - 1);
}

constexpr std::string_view name_of(kind what) noexcept {
  switch (what) {
    case kind::region: return "region";
    case kind::fork: return "fork";
    case kind::right: return "right";
    case kind::loop: return "loop";
    case kind::leaf: return "leaf";
    case kind::child: return "child";
    case kind::named: return "named";
    case kind::wait: return "wait";
    case kind::cut: break;
  }
  return "cut";
}

}  // namespace

// What the tracer knows of a strand: its bodies, from the innermost outwards.
struct tracer::strand {
  traced_body* innermost = nullptr;
  traced_body* popped = nullptr;  // a fork whose right branch has not begun
  traced_body* waits = nullptr;   // for groups
  traced_body* leaf = nullptr;    // that has ended, and took `left_ns`
  unobserved_part unobserved;
  std::uint64_t wait_depth = 0;
  bool long_children = false;  // since the last wait that was told
  traced_body* spare = nullptr;

  strand() = default;
  strand(const strand&) = delete;
  strand& operator=(const strand&) = delete;
  ~strand() {
    for (traced_body* list : {innermost, popped, waits, leaf, spare}) {
      while (list != nullptr) delete std::exchange(list, list->outer);
    }
  }
  traced_body* take() noexcept {
    if (spare == nullptr) return new (std::nothrow) traced_body;
    traced_body* const taken = std::exchange(spare, spare->outer);
    *taken = {};
    return taken;
  }
  void give_back(traced_body& body) noexcept { body.outer = std::exchange(spare, &body); }
  // Whether a fork here is a part of a loop.
  bool in_cuts() const noexcept {
    return innermost != nullptr && innermost->told &&
           (innermost->what == kind::loop || innermost->what == kind::cut);
  }
  std::uint64_t id() const noexcept { return innermost != nullptr ? innermost->id : 0; }

  static strand* of(trace_cursor& cursor) noexcept { return static_cast<strand*>(cursor.note); }
};

tracer::tracer(std::string_view path, unsigned workers)
    : begun_ns_(now_ns()), file_(path, first_line(workers)) {
  file_.add_now(trace_line()
                    .raw(R"({"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":)")
                    .quoted(own_program())
                    .raw("}}"));
}

trace_line tracer::first_line(unsigned workers) {
  trace_line line;
  line.raw(R"({"name":"sennit_trace","ph":"M","pid":1,"tid":0,"args":{"version":1,"program":)");
  line.quoted(own_program(), 600);
  line.raw(R"(,"workers":)").number(workers);
  line.raw(R"(,"resolution_ns":)").number(resolution_ns).raw("}}");
  return line;
}

std::uint64_t tracer::now() const noexcept { return now_ns() - begun_ns_; }

// The lanes of further runtimes come after those of the first.
unsigned tracer::lane() noexcept {
  constexpr unsigned lanes_of_runtime = trace_file::most_lanes / most_runtimes;
  const worker* const here = worker::current();
  if (here == nullptr) return outside_lane;
  const runtime_core* const core = &here->core();
  unsigned runtime = 0;
  for (; runtime < most_runtimes - 1; ++runtime) {
    const runtime_core* known = cores_[runtime].load(std::memory_order_relaxed);
    if (known == nullptr && cores_[runtime].compare_exchange_strong(known, core, std::memory_order_relaxed))
      known = core;
    if (known == core) break;
  }
  const unsigned lane = runtime * lanes_of_runtime + here->core().number_of(*here) % lanes_of_runtime;
  if (!named_[lane].load(std::memory_order_relaxed) &&
      !named_[lane].exchange(true, std::memory_order_relaxed)) {
    trace_line line;
    line.raw(R"({"name":"thread_name","ph":"M","pid":1,"tid":)").number(lane);
    line.raw(R"(,"args":{"name":"worker )").number(lane).raw("\"}}");
    file_.add(lane, line);
  }
  return lane;
}

void tracer::tell(const traced_body& body, std::uint64_t end_ns, bool stolen) noexcept {
  const unsigned to = lane();
  trace_line line;
  line.raw(R"({"name":)");
  if (body.what == kind::named) {
    line.quoted(body.name);
  } else {
    line.raw("\"").raw(name_of(body.what)).raw("\"");
  }
  line.raw(R"(,"cat":")").raw(name_of(body.what)).raw(R"(","ph":"X","ts":)").time(body.begun_ns);
  line.raw(R"(,"dur":)").time(end_ns - body.begun_ns).raw(R"(,"pid":1,"tid":)").number(to);
  line.raw(R"(,"args":{"id":)").number(body.id);
  if (body.in != 0) line.raw(R"(,"in":)").number(body.in);
  if (const std::uint32_t site = sites_.number_of(body.site)) line.raw(R"(,"site":)").number(site);
  if (body.skipped != 0) line.raw(R"(,"skipped":)").number(body.skipped);
  if (stolen) line.raw(R"(,"stolen":1)");
  switch (body.what) {
    case kind::fork: line.raw(R"(,"left":)").time(body.left_ns); break;
    case kind::loop: line.raw(R"(,"n":)").number(body.last); break;
    case kind::leaf: line.raw(R"(,"first":)").number(body.first).raw(R"(,"last":)").number(body.last); break;
    case kind::wait: line.raw(R"(,"group":)").number(body.last); break;
    case kind::child: line.raw(R"(,"at":)").time(body.first).raw(R"(,"group":)").number(body.last); break;
    default: break;
  }
  file_.add(to, line.raw("}}"));
}

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
    return;
  }
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

void tracer::spawned(traced_body& child, const whereabouts& where) noexcept {
  child.in = body_of(where.plan);
  child.first = where.position;
  child.last = group_of(where.plan);
  child.expected_ns = durations_.mean_ns(child.last, child_depth);
  child.told = child.expected_ns >= resolution_ns;
  // What is told of one that is not itself told lies where that was spawned.
  if (!child.told) child.id = child.in;
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
    durations_.took(body->last, child_depth, end - body->begun_ns);
    if (!body->told && end - body->begun_ns < resolution_ns) return;
    if (!body->told) body->id = next_id();
  }
  tell(*body, end, body->what != kind::region);
  if (body->what == kind::region) flush_now_and_then();
}

void tracer::flush_now_and_then() noexcept {
  constexpr std::uint64_t between_ns = 100'000'000;
  const std::uint64_t time = now();
  std::uint64_t before = flushed_ns_.load(std::memory_order_relaxed);
  if (time < before + between_ns) return;
  if (flushed_ns_.compare_exchange_strong(before, time, std::memory_order_relaxed)) file_.flush();
}

// Whether a construct in the body is to be looked at. Those that are as brief as all before them are not, but for some. Forks and
// children then do not even come here.
bool tracer::is_sampled(traced_body* around, cursor_level& level, std::uint64_t expected_ns) noexcept {
  if (around == nullptr) return true;
  if (expected_ns >= least_ns) {
    around->brief_ones = 0;
    return true;
  }
  if (++around->brief_ones < brief_ones) return true;
  if (around->brief_ones % (unseen_ones + 1) != 0) {
    ++around->skipped;
    return false;
  }
  around->brief_ones += unseen_ones;
  level.awaited = level.begun + unseen_ones;
  return true;
}

void tracer::spawned_unseen(whereabouts& where, const void* group) noexcept {
  where = {.position = now(), .plan = spawned_in(0, group), .within = true};
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

void tracer::child_begins(strand& of, trace_cursor& cursor, whereabouts& where, const void* group) noexcept {
  const void* const plan = spawned_in(of.id(), group);
  where.position = 0;
  cursor.level().plan = nullptr;
  const std::uint64_t expected_ns = durations_.mean_ns(group_of(plan), child_depth);
  if (!is_sampled(of.innermost, cursor.around(), expected_ns)) return;
  if (expected_ns >= resolution_ns) of.long_children = true;
  where.position = now();
  cursor.level().plan = plan;
  if (of.innermost != nullptr) of.innermost->holds_told = true;
}

void tracer::loop_begins(strand& of, trace_cursor& cursor, whereabouts& where, std::uintptr_t site) noexcept {
  const std::uint64_t expected_ns = expected(of.innermost, site);
  if (!is_sampled(of.innermost, cursor.around(), expected_ns)) return;
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

donee tracer::fork_begins(strand& of, trace_cursor& cursor, whereabouts& where,
                          std::uintptr_t site) noexcept {
  const bool is_cut = of.in_cuts();
  const std::uint64_t expected_ns = is_cut ? policy::unknown_ns : expected(of.innermost, site);
  if (!is_cut && !is_sampled(of.innermost, cursor.around(), expected_ns)) return {};
  traced_body* const body = open(of, is_cut ? kind::cut : kind::fork, site);
  if (body == nullptr) return {};
  cursor.level().notes = body;
  cursor.level().awaited = 0;
  where.position = body->id;
  where.plan = fork_notes{.part_of_loop = is_cut, .depth = body->depth}.packed();
  if (is_cut) return {};
  body->expected_ns = expected_ns;
  body->told = expected_ns >= resolution_ns;
  return {.part = body->told ? nullptr : &of.unobserved};
}

// Of what lies in the body: in a fork, in its left branch.
std::uint64_t tracer::expected_in(const traced_body* around) const noexcept {
  if (around == nullptr) return policy::unknown_ns;
  if (around->what != kind::fork) return around->expected_ns;
  const float left = durations_.shares(around->site).left;
  return left > 0 ? policy::share_of(around->expected_ns, left) : policy::unknown_ns;
}

// By what is known of the body around, or else of other constructs at that place, as deep.
std::uint64_t tracer::expected(const traced_body* around, std::uintptr_t site) const noexcept {
  const std::uint64_t by_body = policy::share_of(expected_in(around), durations_.shares(site).of_body);
  return by_body != policy::unknown_ns ? by_body
                                       : durations_.mean_ns(site, around != nullptr ? around->depth + 1 : 0);
}

void tracer::learn(const traced_body& fork, std::uint64_t took_ns, std::uint64_t right_ns) noexcept {
  const auto part = [](std::uint64_t of, std::uint64_t whole) {
    return static_cast<float>(of) / (static_cast<float>(whole) + 1);
  };
  policy::fork_shares known = durations_.shares(fork.site);
  // Of what is briefer, most is the time that measuring takes.
  const std::uint64_t around_ns = expected_in(fork.outer);
  if (around_ns != policy::unknown_ns && around_ns >= least_ns)
    known.of_body = policy::learned(known.of_body, std::min(part(took_ns, around_ns), 1.0F));
  // Whatever else comes there: the body takes longer than was expected.
  if (fork.outer != nullptr && fork.outer->expected_ns < took_ns) fork.outer->expected_ns = took_ns;
  known.left += (part(fork.left_ns, took_ns) - known.left) * 0.25F;
  known.right += (part(right_ns, took_ns) - known.right) * 0.25F;
  durations_.learn(fork.site, known);
  durations_.took(fork.site, fork.depth, took_ns);
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

void tracer::loop_ends(strand& of, traced_body& loop) noexcept {
  tell_leaf(of);
  leave(of, loop);
  const std::uint64_t end = now();
  const std::uint64_t took = end - loop.begun_ns;
  learn(loop, took, 0);
  if (loop.told || took >= resolution_ns) {
    if (!loop.told) {
      loop.id = next_id();
      tell_whole(loop, end);
    }
    tell_in(of, loop, end);
  } else if (of.innermost != nullptr) {
    ++of.innermost->skipped;
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

void tracer::child_ends(strand& of, traced_body& child) noexcept {
  leave(of, child);
  const std::uint64_t end = now();
  const std::uint64_t took = end - child.begun_ns;
  durations_.took(child.last, child_depth, took);
  if (child.told || took >= resolution_ns) {
    if (!child.told) child.id = next_id();
    tell_in(of, child, end);
  } else if (of.innermost != nullptr) {
    ++of.innermost->skipped;
  }
  of.give_back(child);
}

void tracer::dropped(trace_cursor& cursor) noexcept {
  strand* const of = strand::of(cursor);
  traced_body* const body = take_left(cursor);
  if (of == nullptr || body == nullptr) return;
  settle(*of);
  leave(*of, *body);
  of->give_back(*body);
}

bool tracer::runs_in_place(trace_cursor& cursor, const whereabouts&) noexcept {
  const strand* const of = strand::of(cursor);
  return of != nullptr && of->popped != nullptr;
}

void tracer::in_place_begins(trace_cursor& cursor, const whereabouts&) noexcept {
  strand& of = *strand::of(cursor);
  traced_body* const fork = std::exchange(of.popped, nullptr);
  fork->outer = std::exchange(of.innermost, fork);
  traced_body* const right = open(of, kind::right, 0);
  cursor.level().notes = fork;
  cursor.level().awaited = 0;
  if (right != nullptr)
    right->expected_ns = policy::right_after(fork->left_ns, fork->expected_ns, durations_.shares(fork->site));
}

void tracer::in_place_ends(trace_cursor& cursor, const whereabouts&) noexcept {
  strand& of = *strand::of(cursor);
  settle(of);
  auto* const fork = static_cast<traced_body*>(std::exchange(cursor.level().notes, nullptr));
  while (of.innermost != nullptr && of.innermost != fork) close(of, *of.innermost);
  leave(of, *fork);
  const std::uint64_t end = now();
  learn(*fork, end - fork->begun_ns, end - fork->begun_ns - fork->left_ns);
  tell_in(of, *fork, end);
  of.give_back(*fork);
}

bool tracer::is_overdue(trace_cursor& cursor) noexcept {
  const auto* const body = static_cast<const traced_body*>(cursor.level().notes);
  return body != nullptr && now() - body->begun_ns >= overdue_ns;
}

// When it began is not known. What was done before counts for what is around.
void tracer::begins_late(trace_cursor& cursor, whereabouts& where) noexcept {
  strand* const of = strand::of(cursor);
  where = {.position = 0, .plan = nullptr, .within = false};
  if (of == nullptr) return;
  settle(*of);
  if (const traced_body* const around = of->innermost;
      around != nullptr && around->what == kind::fork && around->left_ns != 0) {
    const std::uint64_t begun_ns = around->begun_ns + around->left_ns;
    if (traced_body* const right = open(*of, kind::right, 0)) {
      right->begun_ns = begun_ns;
      right->expected_ns = policy::unknown_ns;
    }
  }
  traced_body* const body = open(*of, kind::fork, 0);
  if (body == nullptr) return;
  body->expected_ns = policy::unknown_ns;
  cursor.level().notes = body;
  cursor.level().awaited = 0;
  where.position = body->id;
  where.plan = fork_notes{.part_of_loop = false, .depth = body->depth}.packed();
}

void tracer::unobserved_left_ends(trace_cursor& cursor) noexcept {
  if (auto* const body = static_cast<traced_body*>(cursor.level().notes))
    body->left_ns = now() - body->begun_ns;
}

// A fork that was not as brief as expected is told after all, without what is inside.
void tracer::unobserved_ends(trace_cursor& cursor) noexcept {
  strand& of = *strand::of(cursor);
  traced_body* const fork = take_left(cursor);
  if (fork == nullptr) return;
  // The right branch has been looked into.
  const bool told = of.innermost != nullptr && of.innermost != fork;
  while (of.innermost != nullptr && of.innermost != fork) close(of, *of.innermost);
  leave(of, *fork);
  const std::uint64_t end = now();
  const std::uint64_t took = end - fork->begun_ns;
  learn(*fork, took, took - fork->left_ns);
  if (told) {
    tell_in(of, *fork, end);
  } else if (took < resolution_ns) {
    if (of.innermost != nullptr) ++of.innermost->skipped;
  } else {
    traced_body right;
    right.what = kind::right;
    right.id = next_id();
    right.in = fork->id;
    right.begun_ns = fork->begun_ns + fork->left_ns;
    tell(right, end);
    fork->holds_told = true;
    tell_in(of, *fork, end);
  }
  of.give_back(*fork);
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
  tell(*body, body->begun_ns + body->left_ns);
  of.give_back(*body);
}

void tracer::waits(trace_cursor& cursor, const whereabouts&) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr) return;
  settle(*of);
  tell_leaf(*of);
  if (auto* const body = static_cast<traced_body*>(cursor.left().notes); body != nullptr)
    body->left_ns = now() - body->begun_ns;
}

void tracer::joined(trace_cursor& cursor, frame&, pause) noexcept {
  strand* const of = strand::of(cursor);
  traced_body* const body = take_left(cursor);
  cursor.site = 0;
  if (of == nullptr || body == nullptr) return;
  if (body->what == kind::cut) {
    leave(*of, *body);
    of->give_back(*body);
  } else {
    body->holds_told = true;  // by its thief
    close(*of, *body);
  }
}

void tracer::wait_begins(trace_cursor& cursor, const void* group) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr) return;
  settle(*of);
  ++of->wait_depth;
  traced_body* const wait = of->take();
  if (wait == nullptr) return;
  wait->what = kind::wait;
  wait->in = of->id();
  wait->first = of->wait_depth;
  wait->last = group_number(group);
  wait->begun_ns = now();
  wait->outer = std::exchange(of->waits, wait);
}

void tracer::regrouped(trace_cursor& cursor, const whereabouts&, pause) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr) return;
  settle(*of);
  if (of->wait_depth == 0) return;
  traced_body* const wait = of->waits;
  const bool told = wait != nullptr && wait->first == of->wait_depth;
  --of->wait_depth;
  if (!told) return;
  of->waits = wait->outer;
  const std::uint64_t end = now();
  // Of a wait for brief children that is itself brief, nobody learns anything.
  if (!std::exchange(of->long_children, false) && end - wait->begun_ns < least_ns) {
    of->give_back(*wait);
    return;
  }
  wait->id = next_id();
  tell_in(*of, *wait, end);
  of->give_back(*wait);
}

traced_body* tracer::name_begins(std::string_view name, std::uintptr_t site) noexcept {
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

namespace {

// Null: there is none, or not yet.
constinit std::atomic<tracer*> in_use{nullptr};
constinit std::atomic<bool> asked_for{true};  // until it is known
unsigned generation_in_use = 0;

// The file ends with the program, as far as that ends by exit(3).
struct ends_with_program {
  ~ends_with_program() {
    // ORD[D73] acquire: the tracer as it was made.
    tracer* const all = in_use.load(std::memory_order_acquire);
    if (all != nullptr && generation_in_use == fork_generation()) all->close();
  }
} const ends_file;

unsigned default_workers() noexcept {
  unsigned workers = 0;
  attempt<std::exception>([&] { workers = resolve({}).workers; });
  return workers;
}

tracer* made(std::string_view path, unsigned workers) noexcept {
  tracer* all = nullptr;
  std::string refusal = "there is no memory";
  const bool is_made = attempt<std::exception>([&] {
#if SENNIT_EXCEPTIONS
    try {
      all = new tracer(path, workers);
    } catch (const std::runtime_error& error) {
      refusal = error.what();
    }
#else
    all = new tracer(path, workers);
#endif
  });
  if (!is_made || all == nullptr)
    std::fprintf(
        stderr,
        "sennit: there is no trace, as SENNIT_TRACE=%s: name a file in a directory that can be written "
        "to, or unset the variable\n",
        refusal.c_str());
  return all;
}

}  // namespace

bool tracer::may_be_on() noexcept { return asked_for.load(std::memory_order_relaxed); }

tracer* tracer::current(unsigned workers) noexcept {
  if (!may_be_on()) [[likely]]
    return nullptr;
  // ORD[D73] acquire: the tracer as it was made; pairs with the release below.
  tracer* all = in_use.load(std::memory_order_acquire);
  if (all == nullptr) {
    static constinit std::mutex making;
    const std::lock_guard guard(making);
    all = in_use.load(std::memory_order_relaxed);
    if (all == nullptr) {
      const auto path = variable("SENNIT_TRACE");
      if (path) all = made(*path, workers != 0 ? workers : default_workers());
      generation_in_use = fork_generation();
      // ORD[D73] release: the tracer as it was made, and of which process.
      in_use.store(all, std::memory_order_release);
      if (all == nullptr) asked_for.store(false, std::memory_order_relaxed);
    }
  }
  // A child of fork(2) has no part in its parent's file.
  return all != nullptr && generation_in_use == fork_generation() ? all : nullptr;
}

}  // namespace sennit::detail

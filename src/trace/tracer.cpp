#include "trace/tracer.hpp"

#include "process/environment.hpp"
#include "process/fork_child.hpp"
#include "system/nanoseconds.hpp"
#include "worker/runtime_core.hpp"
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
const void* const part_of_loop = reinterpret_cast<const void*>(std::uintptr_t{1});

constexpr unsigned group_bits = 20;

// Two groups that are open at once have the same number once in a million times.
std::uint64_t group_number(const void* group) noexcept {
  return (reinterpret_cast<std::uintptr_t>(group) * 0x9e3779b97f4a7c15U) >> (64 - group_bits);
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
  std::uint64_t wait_depth = 0;
  traced_body* spare = nullptr;

  strand() = default;
  strand(const strand&) = delete;
  strand& operator=(const strand&) = delete;
  ~strand() {
    for (traced_body* list : {innermost, popped, waits, spare}) {
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
    return innermost != nullptr && (innermost->what == kind::loop || innermost->what == kind::cut);
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
  tell(body, now());
  of.give_back(body);
}

// The right branch of the fork that was popped last never began.
void tracer::settle(strand& of) noexcept {
  traced_body* const body = std::exchange(of.popped, nullptr);
  if (body == nullptr) return;
  tell(*body, body->begun_ns + body->left_ns);
  of.give_back(*body);
}

void tracer::begin(trace_cursor& cursor, frame* branch) noexcept {
  std::unique_ptr<strand> made(new (std::nothrow) strand);
  cursor.note = nullptr;
  if (!made || branch == nullptr) return;
  const whereabouts where = branch->where();
  const bool is_root = where.position == nowhere;
  const bool is_cut = !where.within && where.plan == part_of_loop;
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
  }
  cursor.level().awaited = cursor.level().begun = 0;
  cursor.note = made.release();
}

void tracer::spawned(traced_body& child, const whereabouts& where) noexcept {
  child.in = body_of(where.plan);
  child.first = where.position;
  child.last = group_of(where.plan);
}

void tracer::end(trace_cursor& cursor, frame*) noexcept {
  const std::unique_ptr<strand> of(static_cast<strand*>(std::exchange(cursor.note, nullptr)));
  if (!of) return;
  settle(*of);
  traced_body* body = of->innermost;
  while (body != nullptr && body->outer != nullptr) body = body->outer;
  if (body == nullptr || body->what == kind::cut) return;
  const bool stolen = body->what == kind::right || body->what == kind::child;
  tell(*body, now(), stolen);
  if (body->what == kind::region) flush_now_and_then();
}

void tracer::flush_now_and_then() noexcept {
  constexpr std::uint64_t between_ns = 100'000'000;
  const std::uint64_t time = now();
  std::uint64_t before = flushed_ns_.load(std::memory_order_relaxed);
  if (time < before + between_ns) return;
  if (flushed_ns_.compare_exchange_strong(before, time, std::memory_order_relaxed)) file_.flush();
}

donee tracer::reached(trace_cursor& cursor, whereabouts& where, construct begun) noexcept {
  strand* const of = strand::of(cursor);
  const std::uintptr_t site = std::exchange(cursor.site, 0);
  if (of == nullptr) return {};
  settle(*of);
  cursor.around().awaited = cursor.around().begun;
  if (begun.what == construct::kind::wait) return {};
  if (begun.what == construct::kind::child) {
    where.position = now();
    cursor.level().plan = spawned_in(of->id(), begun.group);
    return {};
  }
  const bool is_cut = begun.what == construct::kind::fork && of->in_cuts();
  traced_body* const body = open(*of,
                                 begun.what == construct::kind::loop ? kind::loop
                                 : is_cut                            ? kind::cut
                                                                     : kind::fork,
                                 site);
  if (body == nullptr) return {};
  cursor.level().notes = body;
  cursor.level().awaited = 0;
  where.position = body->id;
  where.plan = is_cut ? part_of_loop : nullptr;
  return {};
}

void tracer::follow(trace_cursor& cursor, const whereabouts& where) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr) return;
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
  cursor.site = 0;
  if (of == nullptr || body == nullptr) return;
  settle(*of);
  switch (body->what) {
    case kind::fork:
      leave(*of, *body);
      body->left_ns = now() - body->begun_ns;
      of->popped = body;
      break;
    case kind::cut:
      leave(*of, *body);
      of->give_back(*body);
      break;
    default:
      if (body->what == kind::loop) body->last = size;
      close(*of, *body);
  }
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
  if (right != nullptr) fork->last = right->id;
}

void tracer::in_place_ends(trace_cursor& cursor, const whereabouts&) noexcept {
  strand& of = *strand::of(cursor);
  settle(of);
  auto* const fork = static_cast<traced_body*>(std::exchange(cursor.level().notes, nullptr));
  if (of.innermost != nullptr && of.innermost != fork) close(of, *of.innermost);
  close(of, *fork);
}

void tracer::leaf_begins(trace_cursor& cursor, position first, position last) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr) return;
  settle(*of);
  if (!of->in_cuts()) return;
  traced_body* const body = open(*of, kind::leaf, 0);
  if (body == nullptr) return;
  body->first = first;
  body->last = last;
}

void tracer::leaf_ends(trace_cursor& cursor) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr) return;
  settle(*of);
  if (of->innermost != nullptr && of->innermost->what == kind::leaf) close(*of, *of->innermost);
}

void tracer::waits(trace_cursor& cursor, const whereabouts&) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr) return;
  settle(*of);
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
  wait->id = next_id();
  tell(*wait, now());
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
    tracer* const all = in_use.load(std::memory_order_acquire);
    if (all != nullptr && generation_in_use == fork_generation()) all->close();
  }
} const ends_file;

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
      if (path) all = made(*path, workers);
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

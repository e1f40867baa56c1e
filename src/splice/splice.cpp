// SPDX-License-Identifier: Apache-2.0
#include "policy/splicing.hpp"
#include "splice/call_stack.hpp"
#include "splice/checking.hpp"
#include "splice/splicer.hpp"
#include "splice/tile_front.hpp"
#include "splice/wavefront.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/region.hpp>
#include <sennit/splice.hpp>
#include <sennit/worker.hpp>

#include <algorithm>
#include <bit>
#include <exception>
#include <span>
#include <stdexcept>
#include <utility>

namespace sennit::detail {

namespace {

// A call of a spliced function.
struct function_call {
  call_stack* on;
  call_stack::saying said;
  bool taken;       // its last construct has been handled
  bool undeclared;  // it has ended without declaring its effects
};

std::exception_ptr undeclared() noexcept {
#if SENNIT_EXCEPTIONS
  try {
#endif
    fail<std::logic_error>("sennit: a call in a splice has ended without declaring its effects, and so ran "
                           "before its turn: begin "
                           "the function with a call_effects, or pass it to sequence() without call()");
#if SENNIT_EXCEPTIONS
  } catch (...) {
    return std::current_exception();
  }
#endif
}

void end(spliced_call& c) noexcept {
  function_call& f = c.get<function_call>();
  c.failure = std::move(f.on->escaped);
  f.on->escaped = nullptr;
  call_stack::put_back(*f.on);
  f.on = nullptr;
  c.stack_bytes = 0;
}

bool next_slice(spliced_call& c) noexcept {
  sliced_step& s = *c.get<function_call>().on->slices;
  bool more = false;
#if SENNIT_EXCEPTIONS
  try {
    more = s.next();
  } catch (...) {
    c.failure = std::current_exception();
  }
#else
  more = s.next();
#endif
  c.now = &s.now;
  c.rest = more ? &s.rest : nullptr;
  return more;
}

arrival advance(spliced_call& c) noexcept {
  function_call& f = c.get<function_call>();
  if (f.on == nullptr) {
    if (f.undeclared && !c.failure) c.failure = undeclared();
    return arrival::end;
  }
  if (f.said == call_stack::saying::slices && f.taken && !c.failure && next_slice(c)) return arrival::slice;
  if (std::exchange(f.taken, true)) {
    c.switches += 2;
    f.said = f.on->go_on(c.failure);
  }
  switch (f.said) {
    case call_stack::saying::step:
      c.now = f.on->fx;
      c.one_step = f.on->whole_step;
      return arrival::step;
    case call_stack::saying::slices:
      if (next_slice(c)) return arrival::slice;
      return advance(c);
    case call_stack::saying::sequence:
      c.afterwards = f.on->fx;
      c.sequence_size = static_cast<std::uint32_t>(f.on->items.size());
      return arrival::sequence;
    case call_stack::saying::end: break;
  }
  end(c);
  return arrival::end;
}

bool next_part(spliced_call& whole, spliced_call& in, std::uint32_t index) {
  const call_stack& s = *whole.get<function_call>().on;
  if (index == s.items.size()) return false;
  s.items[index].begin(s.items[index].object, in);
  return true;
}

void run(spliced_call& c) {
  const function_call& f = c.get<function_call>();
  if (f.said == call_stack::saying::slices) {
    f.on->slices->run();
  } else {
    (*f.on->body)();
  }
}

void move(spliced_call& from, spliced_call& to) noexcept { to.put<function_call>(from.get<function_call>()); }

void drop(spliced_call& c) noexcept {
  function_call& f = c.get<function_call>();
  if (f.on == nullptr) return;
  f.on->give_up();
  end(c);
}

// What is left of a sequence, as one step: its calls run as they would outside a splice.
struct rest_of_sequence {
  std::span<const sequence_item> items;
  bool over;
};

void run_rest(spliced_call& c) {
  for (const sequence_item& i : c.get<rest_of_sequence>().items) {
#if SENNIT_EXCEPTIONS
    if (stop_requested()) [[unlikely]]
      throw sennit::cancelled();
#endif
    i.run(i.object);
  }
}

constexpr call_kind rest_kind = {
    .advance = [](spliced_call& c) noexcept -> arrival {
      c.now = &c.all;
      return std::exchange(c.get<rest_of_sequence>().over, true) ? arrival::end : arrival::step;
    },
    .next_part = nullptr,
    .run = run_rest,
    .move = [](spliced_call& from,
               spliced_call& to) noexcept { to.put<rest_of_sequence>(from.get<rest_of_sequence>()); },
    .drop = [](spliced_call&) noexcept {}};

std::uint32_t rest(spliced_call& whole, spliced_call& in, std::uint32_t index) noexcept {
  const std::span<const sequence_item> items = whole.get<function_call>().on->items.subspan(index);
  in.kind = &rest_kind;
  in.put<rest_of_sequence>(items, false);
  return static_cast<std::uint32_t>(items.size());
}

constexpr call_kind function_kind = {advance, next_part, run, move, drop, rest};

// Code whose effects are not known.
struct unknown_call {
  const void* object;
  void (*run)(const void*);
  bool over;
};

constexpr call_kind unknown_kind = {
    .advance = [](spliced_call& c) noexcept -> arrival {
      c.now = &c.all;
      return std::exchange(c.get<unknown_call>().over, true) ? arrival::end : arrival::step;
    },
    .next_part = nullptr,
    .run =
        [](spliced_call& c) {
          const unknown_call& u = c.get<unknown_call>();
          u.run(u.object);
        },
    .move = [](spliced_call& from,
               spliced_call& to) noexcept { to.put<unknown_call>(from.get<unknown_call>()); },
    .drop = [](spliced_call&) noexcept {}};

}  // namespace

void begin_root(void (*begin)(const void*, std::uint32_t, spliced_call&), const void* object, std::uint32_t i,
                spliced_call& root) {
#if SENNIT_EXCEPTIONS
  try {
    begin(object, i, root);
  } catch (...) {
    root.kind = &unknown_kind;
    root.put<unknown_call>(nullptr, nullptr, true);
    root.failure = std::current_exception();
  }
#else
  begin(object, i, root);
#endif
}

bool accept_as_run(spliced_call& c) noexcept {
  if (c.kind != &function_kind || c.get<function_call>().on != nullptr) return false;
  c.get<function_call>().undeclared = false;
  return true;
}

namespace {

void run_together(const splicing& how, std::uint32_t first, std::uint32_t count,
                  void (*begin)(const void*, std::uint32_t, spliced_call&), const void* object,
                  splice_log* log, splice_reason no_wavefront, block_site& slices, splice_report& report) {
  if (instead_of_splicer != nullptr) [[unlikely]] {
    report.used(splice_engine::checker, splice_reason::checked);
    return instead_of_splicer(first, count, begin, object, log, report);
  }
  report.used(splice_engine::calls, no_wavefront);
  const unsigned workers = worker_count();
  whole_splice whole(how, workers, slices);
  // With a log: two strands for each worker, even if no worker takes them. A run that follows the log will
  // use them.
  splicer mine(whole, log, log != nullptr && workers > 1 ? std::bit_width(workers - 1) + 1 : 0);
  whole.stop.attempt([&] {
    whole.roots.reserve(count);
    // A body that declares nothing has run when it was begun. That is its right place in the order if all
    // bodies before it have run, too.
    bool in_turn = true;
    for (std::uint32_t i = 0; i < count && !(in_turn && i > 0 && whole.roots.back()->failure); ++i) {
      live_call& root = mine.make(nullptr);
      whole.roots.push_back(&root);
      root.iteration = i;
      begin_root(begin, object, first + i, root);
      in_turn = in_turn && accept_as_run(root);
    }
  });
  mine.run();
  report += mine.report();
  report.extra_bytes = std::max(report.extra_bytes, whole.bytes.most());
  whole.failure.rethrow();
  whole.stop.rethrow();
}

}  // namespace

constinit calls_runner* instead_of_splicer = nullptr;

bool splices_are_checked() noexcept { return instead_of_splicer != nullptr; }

call_stack* stack_of(spliced_call& c) noexcept {
  return c.kind == &function_kind ? c.get<function_call>().on : nullptr;
}

void begin_call(spliced_call& in, const void* object, void (*run)(const void*)) {
  call_stack& s = call_stack::take();
  in.kind = &function_kind;
  function_call& f = in.put<function_call>(&s, call_stack::saying::end, false, false);
  f.said = s.begin(object, run, in.all);
  in.switches = 2;
  in.stack_bytes = s.touched_bytes();
  if (f.said == call_stack::saying::end) {
    f.undeclared = !s.declared;
    end(in);
  } else if (!s.declared) {
    in.all = effects::everything();
  }
}

void begin_unknown(spliced_call& in, const void* object, void (*run)(const void*)) {
  in.kind = &unknown_kind;
  in.put<unknown_call>(object, run, false);
  in.all = effects::everything();
  in.one_step = in.last_step = true;
}

namespace {

// Calls some(first, count) for each group of calls that are interleaved.
template <class Some>
void in_groups(const splicing& how, std::uint32_t n, Some&& some) {
  const std::uint32_t at_once = std::min(n, calls_together(how));
  auto all = [&] {
    const struct at_end {
      at_end() = default;
      at_end(const at_end&) = delete;
      ~at_end() { call_stack::keep_some(); }
    } stacks;
    for (std::uint32_t first = 0; first < n; first += std::min(at_once, n - first)) {
      some(first, std::min(at_once, n - first));
    }
  };
  in_region(all);
}

splice_group group_of(const splicing& how, std::uint32_t n) noexcept {
  if (n == 0) return splice_group::none;
  if (n <= calls_together(how)) return splice_group::all;
  return how.together == 0 ? splice_group::usual : splice_group::given;
}

}  // namespace

splice_report run_splice(const splicing& how, std::uint32_t n,
                         void (*begin)(const void*, std::uint32_t, spliced_call&), const void* object,
                         splice_log* log) {
  splice_report report;
  report.interleaved(std::min(n, calls_together(how)), group_of(how, n));
  block_site slices;
  in_groups(how, n, [&](std::uint32_t first, std::uint32_t count) {
    run_together(how, first, count, begin, object, log, splice_reason::functions, slices, report);
  });
  if (slices.tried() != 0) slices.tell(report);
  return report;
}

namespace {

// Of trees that are a step each.
void run_in_order(std::uint32_t n, const forest& trees, splice_report& report) {
  report.used(splice_engine::in_order, splice_reason::none);
  auto all = [&] {
    for (std::uint32_t t = 0; t < n; ++t) {
#if SENNIT_EXCEPTIONS
      if (stop_requested()) [[unlikely]]
        throw sennit::cancelled();
#endif
      part_room root;
      trees.root(trees.trees, t, root);
      trees.step(trees.trees, t, root);
      ++report.steps;
    }
  };
  in_region(all);
}

}  // namespace

splice_report run_splice(const splicing& how, std::uint32_t n, const forest& trees, splice_log* log) {
  splice_report report;
  if (n > 0 && trees.are_steps && log == nullptr && worker_count() == 1 && !splices_are_checked()) {
    run_in_order(n, trees, report);
    return report;
  }
  report.interleaved(std::min(n, calls_together(how)), group_of(how, n));
  block_site no_slices;  // trees have none
  in_groups(how, n, [&](std::uint32_t first, std::uint32_t count) {
    splice_reason why = splice_reason::checked;
    if (!splices_are_checked()) {
      if (trees.tiled) {
        tile_front front(trees, first, count);
        why = front.unsuitable();
        if (why == splice_reason::none) {
          report.used(splice_engine::wavefront, why);
          return front.run(log, worker_count(), report);
        }
        report.checks += front.checks();
        report.no_tiles = why;
      }
      wavefront front(trees, first, count);
      const splice_reason other = front.unsuitable();
      if (other == splice_reason::none) {
        report.used(splice_engine::wavefront, other);
        return front.run(log, worker_count(), report);
      }
      if (!trees.tiled) why = other;
    }
    run_together(how, first, count, trees.begin, trees.trees, log, why, no_slices, report);
  });
  return report;
}

std::uint32_t calls_together(const splicing& how) noexcept {
  return how.together == 0 ? policy::calls_together : how.together;
}

void refuse_count() { fail<std::length_error>("sennit: a splice of more than 2^32 - 1 calls: make several"); }

void in_region(action body) {
  if (in_spliced_call()) {
    fail<std::logic_error>(
        "sennit: a splice() in a spliced function, outside its steps: put it into a step()");
  }
  auto inside = [&] { run_as_one("splice", body); };
  run_region(nullptr, inside);
}

}  // namespace sennit::detail

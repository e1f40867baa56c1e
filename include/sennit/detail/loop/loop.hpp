// SPDX-License-Identifier: Apache-2.0
// What all loops are made of: positions 0..n, claimed in chunks by the strand that began the loop, cut in
// halves by idle workers. docs/protocols/loops.md has the protocol.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/cost.hpp>
#include <sennit/detail/loop/frame.hpp>
#include <sennit/detail/loop/held.hpp>
#include <sennit/detail/loop/pace.hpp>
#include <sennit/detail/loop/probe.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/region.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace sennit {

// How a loop is cut into chunks.
struct loop_options {
  // Iterations a chunk; 0: by measured time.
  std::uint64_t grain = 0;
  // Dealt out in equal contiguous parts when the loop begins, and not split afterwards.
  bool fixed_parts = false;
  // Set by baseline::thesis.
  bool thesis = false;

  constexpr bool measured() const noexcept { return grain == 0 && !fixed_parts && !thesis; }
};

namespace detail {

// A type of its own, so that there is nothing of a partition in loops that have none.
struct partition_options : loop_options {
  partition_view by;
};

// The block that a loop with this body runs without being exposed, where nobody waits as it begins. Zero:
// nothing is known yet, or even one iteration is long. Not in the table of symbols that are unique in the
// process: those keep a shared object from being unloaded.
template <class Body>
struct [[gnu::visibility("hidden")]] remembered {
  inline static constinit std::atomic<std::uint32_t> block{0};
};

template <class Body>
void remember(position block) noexcept {
  if (remembered<Body>::block.load(std::memory_order_relaxed) != block)
    remembered<Body>::block.store(static_cast<std::uint32_t>(block), std::memory_order_relaxed);
}

// `looks`: the gate is looked at between any two iterations. Then somebody who comes to wait has the rest of
// the loop after one of them.
template <class Body>
void remember(const loop_cost& cost, bool looks) noexcept {
  constexpr position most_briefs = 4;
  const position iterations = most_briefs * cost.brief_iterations();
  remember<Body>(looks && cost.iteration() <= most_briefs * loop_cost::brief
                     ? pace::block
                     : std::min(pace::block, iterations));
}

// A loop with a body. `value make()` begins the value of a part. `run(value&, from, to, gate)` adds
// iterations to it, at least one, and returns where it has stopped: at `to`, or where it found the gate shut.
// `run_one(value&, at)` adds one. `merge(value& left, value&& right)` appends the value of the iterations
// that follow. `code()` is the code that the body calls, as code_of() has it. `whole_chunks` says that run()
// had better be called for many iterations at once, and does not look at the gate.
template <class Body, class Options>
class loop_over : public loop_state {
 public:
  using value = typename Body::value;

  // `parts`: if not zero, these are what positions count, and n the iterations.
  loop_over(Body& body, const Options& how, position n, position parts, loop_cost& cost) noexcept
      : loop_state(calls, SENNIT_EXCEPTIONS), body_(body), how_(how), n_(n), parts_(parts), cost_(cost) {}

  // The strand that begins the loop calls it. The loop runs from `first` on; `sum` is the value of what comes
  // before.
  value all(value sum, position first, position n) {
    loop_piece* split_off = nullptr;
    if (!how_.thesis) n = deal_out(first, n, split_off);
    part(first, n, sum, split_off);
    if (pieces() == nullptr) {
      rethrow();
      return sum;
    }
    if (!over_soon()) take_back_all(split_off);
    wait();
    rethrow();
    if constexpr (!std::is_empty_v<value>) append_pieces(sum);
    return sum;
  }

 private:
  class piece : public loop_piece {
   public:
    using loop_piece::loop_piece;
    std::optional<value> sum;
  };

  static loop_piece* make_piece(loop_state& whole, position first, position last) noexcept {
    return new (std::nothrow) piece(whole, first, last);
  }

  static void work(loop_state& base, loop_piece& cut) noexcept {
    auto& self = static_cast<loop_over&>(base);
    loop_piece* split_off = nullptr;
    self.run_piece(cut, split_off);
    self.take_back_all(split_off);
  }

  // Latest first, so lowest first. In a loop: each may be split off again, as often as it has iterations.
  void take_back_all(loop_piece*& split_off) noexcept {
    while (loop_piece* const mine = loop_frame::take_back(split_off)) {
      {
        const separate_views own(*mine);
        run_piece(*mine, split_off);
      }
      done().finish();
    }
  }

  position deal_out(position first, position n, loop_piece*& split_off) noexcept {
    const position brief = cost_.brief_iterations();
    if constexpr (std::is_same_v<Options, partition_options>) {
      return deal(first, n, brief / 2, how_.by, split_off);
    } else {
      if (!how_.measured()) return deal(first, n, how_.grain, 0, split_off);
      // What is over before anybody comes is for those who ask.
      return n - first <= brief ? n : deal(first, n, brief / 2, brief / 4, split_off);
    }
  }

  void run_piece(loop_piece& cut, loop_piece*& split_off) noexcept {
    auto& mine = static_cast<piece&>(cut);
    if (pointless(mine.first())) return;
    if constexpr (std::is_empty_v<value>) {
      // No need to write to the piece: the strand that waits reads it next, on another processor.
      value none;
      part(mine.first(), mine.last(), none, split_off);
      return;
    }
#if SENNIT_EXCEPTIONS
    try {
      mine.sum.emplace(body_.make());
    } catch (...) {
      failed(mine.first() + 1, std::current_exception());
      return;
    }
#else
    mine.sum.emplace(body_.make());
#endif
    part(mine.first(), mine.last(), *mine.sum, split_off);
  }

  // What becomes of [first, last) is recorded: nothing is thrown, as pieces of it may be at work elsewhere.
  void part(position first, position last, value& sum, loop_piece*& split_off) noexcept {
    loop_frame rest(*this, first, last, split_off);
    const bool exposed = rest.expose();
    bool complete = false;
#if SENNIT_EXCEPTIONS
    try {
      complete = claim_all(rest, first, sum);
    } catch (const sennit::cancelled&) {
      dropped();
    } catch (...) {
      failed(rest.claimed(), std::current_exception());
    }
#else
    complete = claim_all(rest, first, sum);
#endif
    if (rest.stopped()) dropped();
    if (!complete) rest.abandon();
    if (exposed) rest.retire();
  }

  // False: what is left must be dropped.
  bool claim_all(loop_frame& rest, position at, value& sum) {
    if (parts_ != 0) return claim_parts(rest, at, sum);
    if (how_.thesis) return claim_as_in_thesis(rest, at, sum);
    if (how_.grain == 0) return claim_measured(rest, at, sum);
    if (how_.grain == 1) return claim_all_ones(rest, at, sum);
    // No more than there can be iterations: the sum does not wrap around.
    const position grain = std::min(how_.grain, position{1} << 62);
    while (const position to = next(rest, at, grain)) {
      at = run(sum, at, to);
      if (pointless(at)) return false;
    }
    return !rest.stopped();
  }

  // Nothing remains of the loop over a chunk.
  SENNIT_HOT bool claim_all_ones(loop_frame& rest, position at, value& sum) {
    auto&& body = nearby(body_);
    for (; rest.claim(at, at + 1) != at; ++at) body.run_one(sum, at);
    return !rest.stopped();
  }

  bool claim_parts(loop_frame& rest, position at, value& sum) {
    for (; rest.claim(at, at + 1) != at; ++at) {
      const position from = begin_of(at);
      const position to = begin_of(at + 1);
      if (from != to) run_whole(sum, from, to);
    }
    return !rest.stopped();
  }
  position begin_of(position part) const noexcept { return n_ / parts_ * part + std::min(part, n_ % parts_); }

  SENNIT_HOT bool claim_as_in_thesis(loop_frame& rest, position at, value& sum) {
    auto&& body = nearby(body_);
    for (; rest.claim_as_in_thesis(at, at + 1) != at; ++at) body.run_one(sum, at);
    return !rest.stopped();
  }

  // The end of the chunk to run now; 0: there is none.
  SENNIT_INLINE static position next(loop_frame& rest, position at, position size) noexcept {
    if (rest.over(at)) return 0;
    const position to = rest.claim(at, at + size);
    return to == at ? 0 : to;
  }

  // Once in the program for each loop, so that the compiler finds it worth inlining the body. At the end of
  // each block it is seen whether somebody waits.
  SENNIT_HOT position run(value& sum, position at, position to, position block = pace::block) {
    if constexpr (Body::whole_chunks) block = ~position{0};
    for (;;) {
      const position end = to - at <= block ? to : at + block;
      body_.run(sum, at, end, no_gate());
      at = end;
      if (at == to || any_gate_shut()) return at;
    }
  }
  SENNIT_HOT void run_whole(value& sum, position from, position to) { body_.run(sum, from, to, no_gate()); }

  // Runs one iteration, and says whether the compiler has seen all of it: then it knows what it has written
  // to `written` before, which no store of an iteration reaches, but code that it has not seen might. Such code
  // may take any time, so nothing of the loop may be kept back meanwhile; what is seen is claimed in chunks,
  // and vectorized.
  SENNIT_HOT static bool run_one(held<Body> body, value& sum, position at, probe* __restrict written) {
    asm volatile("" : : "r"(written) : "memory");
    *written = probe::set;
    body.run_one(sum, at);
    return __builtin_constant_p(*written);
  }
  bool run_one(value& sum, position at) {
    probe written;
    return run_one(body_, sum, at, &written) || Body::whole_chunks;
  }

  // One iteration after the other, `most` of them: returns where that ends.
  SENNIT_HOT position claim_ones(loop_frame& rest, position at, position most, value& sum) {
    auto&& body = nearby(body_);
    const position end = at + most;
    for (; at != end && rest.claim(at, at + 1) != at; ++at) body.run_one(sum, at);
    return at;
  }

  // The end of a chunk of about `size` iterations, which has been run; `at`: there is none.
  // `begun`: when that was, if the claim has taken time to serve others.
  SENNIT_INLINE position run_chunk(loop_frame& rest, position at, position size, position block, value& sum,
                                   bool seen, ticks& begun) {
    if (!seen) return claim_ones(rest, at, size, sum);
    const position to = next(rest, at, size < rest.left(at) ? in_lines(at + size, size) - at : size);
    if (rest.served()) begun = read_clock();
    return to == 0 ? at : run(sum, at, to, block);
  }

  SENNIT_HOT bool claim_measured(loop_frame& rest, position at, value& sum) {
    const position brief = cost_.brief_iterations();
    // Whole chunks do not end where somebody comes to wait. So what this iteration takes says how many may be claimed.
    const bool timed = Body::whole_chunks || rest.left(at) > brief || take_time_of_loop();
    rest.worth(brief);
    // The first iteration may be of any length, whatever the last ones were: all others can be had meanwhile.
    const position second = next(rest, at, 1);
    if (second == 0) return !rest.stopped();
    const ticks begun = timed ? read_clock() : 0;
    const bool seen = run_one(sum, at);
    const bool complete =
        timed ? claim_timed(rest, second, brief, sum, seen, begun) : claim_untimed(rest, second, sum, seen);
    return complete && !rest.stopped();
  }

  // Behind an iteration that began at `begun`: in chunks by what those before have taken, which is remembered
  // for the next time.
  SENNIT_INLINE bool claim_timed(loop_frame& rest, position at, position brief, value& sum, bool seen,
                                 ticks begun) {
    pace chunks(brief, load_loop_sharing());
    for (position ran = 1; ran != 0;) {
      const ticks now = read_clock();
      chunks.took(ran, now - std::exchange(begun, now));
      const position size = chunks.next(rest.left(at));
      rest.worth(chunks.worth_stealing());
      if (pointless(at)) return false;
      const position end = run_chunk(rest, at, size, chunks.next_block(), sum, seen, begun);
      ran = end - at;
      at = end;
    }
    cost_.took(chunks.spent(), chunks.iterations());
    cost_.saw(seen && !Body::whole_chunks);
    remember<Body>(cost_, !seen);
    return true;
  }

  // All that is left is a chunk: it takes no longer than `brief`, as the last times.
  SENNIT_INLINE bool claim_untimed(loop_frame& rest, position at, value& sum, bool seen) {
    for (ticks begun = 0;;) {
      if (pointless(at)) return false;
      const position end = run_chunk(rest, at, rest.left(at), pace::block, sum, seen, begun);
      if (end == at) return true;
      at = end;
    }
  }

  void append_pieces(value& sum) {
    for (loop_piece* p = pieces(); p != nullptr; p = p->next()) {
      body_.merge(sum, *std::move(static_cast<piece*>(p)->sum));
    }
  }

  static const entries calls;

  Body& body_;
  const Options& how_;
  const position n_;
  const position parts_;
  loop_cost& cost_;
};

template <class Body, class Options>
constinit const loop_state::entries loop_over<Body, Options>::calls{&make_piece, &work};

// How many equal parts a loop with fixed parts has: one for each worker of the runtime.
SENNIT_EXPORT SENNIT_COLD position fixed_parts() noexcept;

}  // namespace detail
}  // namespace sennit

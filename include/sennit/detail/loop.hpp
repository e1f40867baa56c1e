// What all loops are made of: positions 0..n, claimed in chunks by the strand that began the loop, cut in halves by
// whoever is idle. docs/protocols/loops.md has the protocol.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop_frame.hpp>
#include <sennit/detail/pace.hpp>
#include <sennit/detail/words.hpp>
#include <sennit/region.hpp>

#include <algorithm>
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
  // One iteration at a time, with a full fence at each claim, as in 001, section 3.2: for comparison.
  bool thesis = false;
};

// Loop frames as in "Improving the Performance of Parallel Loops in OpenCilk" (Govedic, 2023), Fig. 3-2: one iteration at a
// time, with a fence in NEXT. Kept for comparison; the default is several times faster.
inline constexpr loop_options thesis{.thesis = true};

namespace detail {

// A copy of a small closure can live in registers; with a reference to the original, each iteration that writes memory
// might change what it has captured.
template <class F>
inline constexpr bool light =
    std::is_trivially_copyable_v<std::remove_cvref_t<F>> &&
    std::is_copy_constructible_v<std::remove_cvref_t<F>> &&  // not implied: all copying may be deleted
    sizeof(std::remove_cvref_t<F>) <= 12 * sizeof(void*);
template <class F>
using held = std::conditional_t<light<F>, std::remove_cvref_t<F>, std::remove_reference_t<F>&>;
template <class F>
SENNIT_INLINE decltype(auto) nearby(F& f) noexcept {
  if constexpr (light<F>) {
    return F(f);
  } else {
    return (f);
  }
}

// A loop with a body: `value make()` begins the value of a part, `run(value&, from, to)` adds iterations to it, and
// `merge(value& left, value&& right)` appends the value of the iterations that follow.
template <class Body>
class loop_over : public loop_state {
 public:
  using value = typename Body::value;

  loop_over(Body& body, const loop_options& how, loop_site& site) noexcept
      : loop_state(&make_piece, &work), body_(body), site_(site), how_(how) {}

  // By the strand that begins it. `size`: of the first chunk; 0: nothing is known yet.
  value all(position n, position size) {
    value sum = body_.make();
    loop_piece* parted = nullptr;
    part(0, n, sum, size, parted);
    take_back_all(parted);
    if (pieces() == nullptr) {
      rethrow();
      return sum;
    }
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
    loop_piece* parted = nullptr;
    self.run_piece(cut, parted);
    self.take_back_all(parted);
  }

  // Latest first, which is lowest first. In a loop: each may be parted with again, as often as it has iterations.
  void take_back_all(loop_piece*& parted) noexcept {
    while (loop_piece* const mine = loop_frame::take_back(parted)) {
      {
        const apart views(*mine);
        run_piece(*mine, parted);
      }
      done().finish();
    }
  }

  void run_piece(loop_piece& cut, loop_piece*& parted) noexcept {
    auto& mine = static_cast<piece&>(cut);
    if (pointless(mine.first())) return;
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
    part(mine.first(), mine.last(), *mine.sum, pace::brief_iterations(site_.cost()) / 4, parted);
  }

  // What becomes of [first, last) is recorded: nothing is thrown, as pieces of it may be at work elsewhere.
  void part(position first, position last, value& sum, position size, loop_piece*& parted) noexcept {
    loop_frame rest(*this, first, last, parted);
    const bool exposed = rest.expose();
    bool complete = false;
#if SENNIT_EXCEPTIONS
    try {
      complete = claim_all(rest, first, sum, size);
    } catch (const sennit::cancelled&) {
      dropped();
    } catch (...) {
      failed(rest.claimed(), std::current_exception());
    }
#else
    complete = claim_all(rest, first, sum, size);
#endif
    if (rest.stopped()) dropped();
    if (!complete) rest.abandon();
    if (exposed) rest.retire();
  }

  // False: what is left is to be dropped.
  bool claim_all(loop_frame& rest, position at, value& sum, position size) {
    if (how_.thesis) return claim_fenced(rest, at, sum);
    if (how_.grain == 0) return claim_measured(rest, at, sum, size);
    if (how_.grain == 1) return claim_ones(rest, at, sum);
    while (const position to = next(rest, at, how_.grain)) {
      run(sum, at, to);
      at = to;
    }
    return !rest.stopped();
  }

  // Nothing remains of the loop over a chunk.
  SENNIT_HOT bool claim_ones(loop_frame& rest, position at, value& sum) {
    auto&& body = nearby(body_);
    for (; rest.claim(at, at + 1) != at; ++at) body.run_one(sum, at);
    return !rest.stopped();
  }

  SENNIT_HOT bool claim_fenced(loop_frame& rest, position at, value& sum) {
    auto&& body = nearby(body_);
    for (; rest.claim_fenced(at, at + 1) != at; ++at) body.run_one(sum, at);
    return !rest.stopped();
  }

  // The end of the chunk to run now; 0: there is none.
  SENNIT_INLINE static position next(loop_frame& rest, position at, position size) noexcept {
    if (rest.over(at)) return 0;
    const position to = rest.claim(at, at + size);
    return to == at ? 0 : to;
  }

  // Once in the program for each loop, so that the compiler finds it worth inlining the body.
  SENNIT_HOT void run(value& sum, position from, position to) { body_.run(sum, from, to); }

  SENNIT_HOT bool claim_measured(loop_frame& rest, position at, value& sum, position size) {
    if (size == 0) {
      // Iterations of any length: one by one, so that each can be stolen.
      const position begin = at;
      const bool measured = site_.cost() == 0 || measure_now(pace::unmeasured_loops);
      const ticks begun = measured ? read_clock() : 0;
      for (std::uint64_t i = 0; i < pace::cautious; ++i) {
        const position to = next(rest, at, 1);
        if (to == 0) break;
        run(sum, at, at + 1);
        at = to;
      }
      if (measured && at != begin) site_.took(read_clock() - begun, at - begin);
      if (at - begin < pace::cautious) return !rest.stopped();
      size = 1;
    }
    const std::uint64_t sharing = load_loop_sharing();
    size = std::max<position>(1, std::min(size, rest.left(at) >> sharing));
    ticks spent = 0;
    position ran = 0;
    ticks before = read_clock();
    while (const position to = next(rest, at, size)) {
      // What the claim took to serve others is no part of the iterations.
      if (rest.served()) before = read_clock();
      run(sum, at, to);
      const ticks now = read_clock();
      const ticks took = now - before;
      const position done = to - at;
      before = now;
      at = to;
      spent += took - std::min(took, loop_site::reading);
      ran += done;
      size = pace::next(done, took, rest.left(at), sharing);
      rest.worth(took < pace::brief ? done : std::max<position>(1, done / 2));
      if (pointless(at)) return false;
    }
    if (ran != 0) site_.took(spent, ran);
    return !rest.stopped();
  }

  void append_pieces(value& sum) {
    for (loop_piece* p = pieces(); p != nullptr; p = p->next()) {
      body_.merge(sum, *std::move(static_cast<piece*>(p)->sum));
    }
  }

  Body& body_;
  loop_site& site_;
  const loop_options& how_;
};

// How many equal parts a loop with fixed parts has: one for each worker of the runtime.
SENNIT_COLD position fixed_parts() noexcept;

template <class Body>
typename Body::value run_in_strand(position n, Body& body, const loop_options& how, position size,
                                   loop_site& site) {
  if (any_gate_shut() && !in_strand()) {
    std::optional<typename Body::value> sum;
    auto inside = [&] { sum.emplace(loop_over<Body>(body, how, site).all(n, size)); };
    run_region(nullptr, inside);
    return *std::move(sum);
  }
  return loop_over<Body>(body, how, site).all(n, size);
}

// Not in the table of symbols that are unique in the process: those keep a shared object from being unloaded.
template <class Body>
struct [[gnu::visibility("hidden")]] remembered {
  inline static constinit loop_site site{};
};

template <class Body>
SENNIT_INLINE typename Body::value run_loop(position n, Body& body, const loop_options& how) {
  loop_site& site = remembered<Body>::site;
  position size = 0;
  if (how.grain == 0 && !how.thesis) {
    // A loop that is over before a thief could come is only a loop.
    const position brief = pace::brief_iterations(site.cost());
    if (n <= brief) {
      auto sum = body.make();
      if (n == 0) return sum;
      if (!measure_now(pace::unmeasured_loops)) [[likely]] {
        body.run(sum, 0, n);
      } else {
        const ticks begun = read_clock();
        body.run(sum, 0, n);
        site.took(read_clock() - begun, n);
      }
      return sum;
    }
    size = brief / 4;
  } else if (n <= how.grain) {
    auto sum = body.make();
    if (n > 0) body.run(sum, 0, n);
    return sum;
  }
  return run_in_strand(n, body, how, size, site);
}

struct no_value {};

template <class Run>
struct plain_body {
  using value = no_value;
  Run run_;
  value make() const noexcept { return {}; }
  SENNIT_INLINE void run(value&, position from, position to) const { run_(from, to); }
  SENNIT_INLINE void run_one(value&, position at) const {
    if constexpr (requires { run_.one(at); }) {
      run_.one(at);
    } else {
      run_(at, at + 1);
    }
  }
  void merge(value&, value&&) const noexcept {}
};

template <class Make, class Run, class Merge>
struct folding_body {
  using value = std::invoke_result_t<Make&>;
  Make& make_;
  Run run_;
  Merge& merge_;
  value make() const { return make_(); }
  SENNIT_INLINE void run(value& sum, position from, position to) const { run_(sum, from, to); }
  SENNIT_INLINE void run_one(value& sum, position at) const { run_(sum, at, at + 1); }
  void merge(value& left, value&& right) const { merge_(left, std::move(right)); }
};

// Iterations of one part of a loop with fixed parts.
template <class Body>
struct parts_of {
  using value = typename Body::value;
  Body& body_;
  position n_;
  position parts_;
  value make() { return body_.make(); }
  void run(value& sum, position from, position to) {
    for (position part = from; part < to; ++part) run_one(sum, part);
  }
  void run_one(value& sum, position part) {
    const position begin = begin_of(part);
    const position end = begin_of(part + 1);
    if (begin != end) body_.run(sum, begin, end);
  }
  void merge(value& left, value&& right) { body_.merge(left, std::move(right)); }
  position begin_of(position part) const noexcept { return n_ / parts_ * part + std::min(part, n_ % parts_); }
};

template <class Body>
SENNIT_INLINE typename Body::value run_body(position n, Body& body, const loop_options& how) {
  if (how.fixed_parts) [[unlikely]] {
    parts_of<Body> parts{body, n, fixed_parts()};
    return run_loop(parts.parts_, parts, {.grain = 1});
  }
  return run_loop(n, body, how);
}

// Calls run(from, to) for chunks that cover [0, n) without overlap, in parallel. Throws what the lowest chunk that
// throws threw.
template <class Run>
SENNIT_INLINE void for_positions(position n, Run&& run, const loop_options& how) {
  plain_body<held<Run>> body{run};
  run_body(n, body, how);
}

// The same with a value: each strand that works on the loop has its own, made by make(), and run(value, from, to) adds
// to it; merge(left, right) appends the value of the iterations that follow. The order is that of the iterations.
template <class Make, class Run, class Merge>
SENNIT_INLINE auto fold_positions(position n, Make&& make, Run&& run, Merge&& merge,
                                  const loop_options& how) {
  folding_body<std::remove_reference_t<Make>, held<Run>, std::remove_reference_t<Merge>> body{make, run,
                                                                                              merge};
  return run_body(n, body, how);
}

}  // namespace detail
}  // namespace sennit

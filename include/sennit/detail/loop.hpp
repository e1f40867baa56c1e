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
#include <utility>
#include <vector>

namespace sennit {

// How a loop is cut into chunks.
struct loop_options {
  // Iterations a chunk; 0: by measured time.
  std::uint64_t grain = 0;
  // Dealt out in equal contiguous parts when the loop begins, and not split afterwards.
  bool fixed_parts = false;
};

namespace detail {

// A loop with a body: `value make()` begins the value of a part, `run(value&, from, to)` adds iterations to it, and
// `merge(value& left, value&& right)` appends the value of the iterations that follow.
template <class Body>
class loop_over : public loop_state {
 public:
  using value = typename Body::value;

  loop_over(Body& body, std::uint64_t grain, loop_site& site) noexcept
      : loop_state(&make_piece, &work), body_(body), site_(site), grain_(grain) {}

  // By the strand that begins it. `size`: of the first chunk; 0: nothing is known yet.
  value all(position n, position size) {
    value sum = body_.make();
    part(0, n, sum, size);
    if (pieces() == nullptr) {
      rethrow();
      return sum;
    }
    wait();
    rethrow();
    append_pieces(sum);
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
    auto& mine = static_cast<piece&>(cut);
    if (self.pointless(mine.first())) return;
#if SENNIT_EXCEPTIONS
    try {
      mine.sum.emplace(self.body_.make());
    } catch (...) {
      self.failed(mine.first(), std::current_exception());
      return;
    }
#else
    mine.sum.emplace(self.body_.make());
#endif
    self.part(mine.first(), mine.last(), *mine.sum, pace::brief_iterations(self.site_.cost()) / 4);
  }

  // What becomes of [first, last) is recorded: nothing is thrown, as pieces of it may be at work elsewhere.
  void part(position first, position last, value& sum, position size) noexcept {
    loop_frame rest(*this, first, last);
    const bool exposed = rest.expose();
    position at = first;
    bool complete = true;
#if SENNIT_EXCEPTIONS
    try {
      complete = claim_all(rest, at, sum, size);
    } catch (const sennit::cancelled&) {
      dropped();
      complete = false;
    } catch (...) {
      failed(at, std::current_exception());
      complete = false;
    }
#else
    complete = claim_all(rest, at, sum, size);
#endif
    if (rest.stopped()) dropped();
    if (!complete) rest.abandon();
    if (exposed) rest.retire();
    while (loop_piece* const mine = rest.take_back()) {
      if (complete) work(*this, *mine);
      done().finish();
    }
  }

  // False: what is left is to be dropped.
  SENNIT_INLINE bool claim_all(loop_frame& rest, position& at, value& sum, position size) {
    if (grain_ == 1) {
      // The body is called for one iteration, so that nothing remains of the loop over a chunk.
      for (; rest.claim(at, at + 1) != at; ++at) body_.run(sum, at, at + 1);
      return !rest.stopped();
    }
    if (grain_ != 0) {
      while (const position to = next(rest, at, grain_)) {
        body_.run(sum, at, to);
        at = to;
      }
      return !rest.stopped();
    }
    return claim_measured(rest, at, sum, size);
  }

  // The end of the chunk to run now; 0: there is none.
  SENNIT_INLINE static position next(loop_frame& rest, position at, position size) noexcept {
    if (rest.over(at)) return 0;
    const position to = rest.claim(at, at + size);
    return to == at ? 0 : to;
  }

  bool claim_measured(loop_frame& rest, position& at, value& sum, position size) {
    if (size == 0) {
      for (std::uint64_t i = 0; i < pace::cautious; ++i) {
        const position to = next(rest, at, 1);
        if (to == 0) return !rest.stopped();
        body_.run(sum, at, at + 1);
        at = to;
      }
      size = 1;
    }
    const std::uint64_t sharing = load_loop_sharing();
    size = std::max<position>(1, std::min(size, rest.left(at) >> sharing));
    const position begin = at;
    const ticks begun = read_clock();
    ticks before = begun;
    while (const position to = next(rest, at, size)) {
      body_.run(sum, at, to);
      const ticks now = read_clock();
      const ticks took = now - before;
      const position ran = to - at;
      before = now;
      at = to;
      size = pace::next(ran, took, rest.left(at), sharing);
      rest.worth(took < pace::brief ? ran : std::max<position>(1, ran / 2));
      if (pointless(at)) return false;
    }
    if (at != begin) site_.took(before - begun, at - begin);
    return !rest.stopped();
  }

  // In the order of the iterations.
  void append_pieces(value& sum) {
    std::vector<piece*> cut;
    for (loop_piece* p = pieces(); p != nullptr; p = before(*p)) cut.push_back(static_cast<piece*>(p));
    std::sort(cut.begin(), cut.end(), [](const piece* a, const piece* b) { return a->first() < b->first(); });
    for (piece* const p : cut) body_.merge(sum, *std::move(p->sum));
  }

  Body& body_;
  loop_site& site_;
  const std::uint64_t grain_;
};

// How many equal parts a loop with fixed parts has: one for each worker of the runtime.
SENNIT_COLD position fixed_parts() noexcept;

template <class Body>
typename Body::value run_in_strand(position n, Body& body, std::uint64_t grain, position size, loop_site& site) {
  if (any_gate_shut() && !in_strand()) {
    std::optional<typename Body::value> sum;
    auto inside = [&] { sum.emplace(loop_over<Body>(body, grain, site).all(n, size)); };
    run_region(nullptr, inside);
    return *std::move(sum);
  }
  return loop_over<Body>(body, grain, site).all(n, size);
}

// Not in the table of symbols that are unique in the process: those keep a shared object from being unloaded.
template <class Body>
struct [[gnu::visibility("hidden")]] remembered {
  inline static constinit loop_site site{};
};

template <class Body>
SENNIT_INLINE typename Body::value run_loop(position n, Body& body, const loop_options& how) {
  loop_site& site = remembered<Body>::site;
  std::uint64_t grain = how.grain;
  position size = 0;
  if (grain == 0 && !how.fixed_parts) {
    // A loop that is over before a thief could come is only a loop.
    const position brief = pace::brief_iterations(site.cost());
    if (n <= brief) {
      if (!measure_now(pace::unmeasured_loops)) {
        auto sum = body.make();
        if (n > 0) body.run(sum, 0, n);
        return sum;
      }
    }
    size = brief / 4;
  } else if (n <= grain) {
    auto sum = body.make();
    if (n > 0) body.run(sum, 0, n);
    return sum;
  }
  return run_in_strand(n, body, grain, size, site);
}

struct no_value {};

template <class Run>
struct plain_body {
  using value = no_value;
  Run& run_;
  value make() const noexcept { return {}; }
  SENNIT_INLINE void run(value&, position from, position to) { run_(from, to); }
  void merge(value&, value&&) const noexcept {}
};

template <class Make, class Run, class Merge>
struct folding_body {
  using value = std::invoke_result_t<Make&>;
  Make& make_;
  Run& run_;
  Merge& merge_;
  value make() { return make_(); }
  SENNIT_INLINE void run(value& sum, position from, position to) { run_(sum, from, to); }
  void merge(value& left, value&& right) { merge_(left, std::move(right)); }
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
    for (position part = from; part < to; ++part) {
      const position begin = begin_of(part);
      const position end = begin_of(part + 1);
      if (begin != end) body_.run(sum, begin, end);
    }
  }
  void merge(value& left, value&& right) { body_.merge(left, std::move(right)); }
  position begin_of(position part) const noexcept {
    return n_ / parts_ * part + std::min(part, n_ % parts_);
  }
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
  plain_body<std::remove_reference_t<Run>> body{run};
  run_body(n, body, how);
}

// The same with a value: each strand that works on the loop has its own, made by make(), and run(value, from, to) adds
// to it; merge(left, right) appends the value of the iterations that follow. The order is that of the iterations.
template <class Make, class Run, class Merge>
SENNIT_INLINE auto fold_positions(position n, Make&& make, Run&& run, Merge&& merge, const loop_options& how) {
  folding_body<std::remove_reference_t<Make>, std::remove_reference_t<Run>, std::remove_reference_t<Merge>> body{
      make, run, merge};
  return run_body(n, body, how);
}

}  // namespace detail
}  // namespace sennit

// What all loops are made of: positions 0..n, claimed in chunks by the strand that began the loop, cut in
// halves by whoever is idle. docs/protocols/loops.md has the protocol.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop_frame.hpp>
#include <sennit/detail/observed_loop.hpp>
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
  // For baseline::thesis.
  bool thesis = false;

  constexpr bool measured() const noexcept { return grain == 0 && !fixed_parts && !thesis; }
};

namespace detail {

// A type of its own, so that there is nothing of a split in loops that have none.
struct split_options : loop_options {
  const split& by;
};

// A copy of a small closure can live in registers; with a reference to the original, each iteration that
// writes memory might change what it has captured.
template <class F>
consteval bool is_light() {
  using closure = std::remove_cvref_t<F>;
  if constexpr (std::is_object_v<closure>) {
    // Copying may be deleted although it is trivial.
    return std::is_trivially_copyable_v<closure> && std::is_copy_constructible_v<closure> &&
           sizeof(closure) <= 12 * sizeof(void*);
  } else {
    return false;
  }
}
template <class F>
inline constexpr bool light = is_light<F>();
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

// Not in the table of symbols that are unique in the process: those keep a shared object from being unloaded.
template <class Body>
struct [[gnu::visibility("hidden")]] remembered {
  inline static constinit loop_site site{};
};

// A loop with a body: `value make()` begins the value of a part, `run(value&, from, to)` adds iterations to
// it, and `merge(value& left, value&& right)` appends the value of the iterations that follow.
template <class Body, class Options>
class loop_over : public loop_state {
 public:
  using value = typename Body::value;

  // `parts`: if not zero, these are what positions count, and n the iterations.
  loop_over(Body& body, const Options& how, position n, position parts) noexcept
      : loop_state(&make_piece, &work), body_(body), how_(how), n_(n), parts_(parts) {}

  // By the strand that begins it, from `first` on; `sum` is the value of what comes before. `size`: of the
  // first chunk; 0: nothing is known yet.
  value all(value sum, position first, position n, position size) {
    loop_piece* parted = nullptr;
    if (!how_.thesis) {
      if constexpr (std::is_same_v<Options, split_options>) {
        n = deal(first, n, size, how_.by, parted);
      } else {
        const bool measured = how_.measured();
        n = deal(first, n, measured ? size : how_.grain, measured ? size / 2 : 0, parted);
      }
    }
    part(first, n, sum, size, parted);
    if (pieces() == nullptr) {
      rethrow();
      return sum;
    }
    if (!over_soon()) take_back_all(parted);
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

  // Latest first, so lowest first. In a loop: each may be parted with again, as often as it has iterations.
  void take_back_all(loop_piece*& parted) noexcept {
    while (loop_piece* const mine = loop_frame::take_back(parted)) {
      {
        const separate_views own(*mine);
        run_piece(*mine, parted);
      }
      done().finish();
    }
  }

  void run_piece(loop_piece& cut, loop_piece*& parted) noexcept {
    auto& mine = static_cast<piece&>(cut);
    if (pointless(mine.first())) return;
    const position size = remembered<Body>::site.brief_iterations() / 2;
    if constexpr (std::is_empty_v<value>) {
      // No need to write to the piece: who waits reads it next, on another processor.
      value none;
      part(mine.first(), mine.last(), none, size, parted);
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
    part(mine.first(), mine.last(), *mine.sum, size, parted);
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
    if (parts_ != 0) return claim_parts(rest, at, sum);
    if (how_.thesis) return claim_as_in_thesis(rest, at, sum);
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

  bool claim_parts(loop_frame& rest, position at, value& sum) {
    for (; rest.claim(at, at + 1) != at; ++at) {
      const position from = begin_of(at);
      const position to = begin_of(at + 1);
      if (from != to) run(sum, from, to);
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

  // Once in the program for each loop, so that the compiler finds it worth inlining the body.
  SENNIT_HOT void run(value& sum, position from, position to) { body_.run(sum, from, to); }

  SENNIT_HOT bool claim_measured(loop_frame& rest, position at, value& sum, position size) {
    loop_site& site = remembered<Body>::site;
    if (size == 0) {
      // Iterations of any length: one by one, so that each can be stolen.
      const position begin = at;
      const bool measured = count_loop() || !site.known();
      const ticks begun = measured ? read_clock() : 0;
      for (std::uint64_t i = 0; i < pace::cautious; ++i) {
        const position to = next(rest, at, 1);
        if (to == 0) break;
        // The count is the thread's, and a claim may change the thread.
        const std::uint64_t loops = count_of_loops();
        run(sum, at, at + 1);
        if (loops_since(loops)) site.contains_loops();
        at = to;
      }
      if (measured && at != begin) site.took(read_clock() - begun, at - begin);
      if (at - begin < pace::cautious) return !rest.stopped();
      size = 1;
    }
    const std::uint64_t sharing = load_loop_sharing();
    const position brief = site.brief_iterations();
    rest.worth(brief);
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
      rest.worth(took < loop_site::brief ? std::max(done, brief) : std::max<position>(1, done / 2));
      if (pointless(at)) return false;
    }
    if (ran != 0) site.took(spent, ran);
    return !rest.stopped();
  }

  void append_pieces(value& sum) {
    for (loop_piece* p = pieces(); p != nullptr; p = p->next()) {
      body_.merge(sum, *std::move(static_cast<piece*>(p)->sum));
    }
  }

  Body& body_;
  const Options& how_;
  const position n_;
  const position parts_;
};

// How many equal parts a loop with fixed parts has: one for each worker of the runtime.
SENNIT_EXPORT SENNIT_COLD position fixed_parts() noexcept;

template <class Body>
[[gnu::noinline]] typename Body::value run_observed(position n, Body& body, const loop_options& how) {
  loop_site& site = remembered<Body>::site;
  const observed_loop construct(n);
  if (how.grain != 0 || how.fixed_parts) {
    const position leaf = how.grain != 0 ? how.grain : (n + fixed_parts() - 1) / fixed_parts();
    return fold_halves<Body>(0, n, leaf, body);
  }
  const ticks begun = site.known() ? 0 : read_clock();
  const bool brief = n <= site.brief_iterations();
  auto sum = fold_halves<Body>(0, n, brief ? n : observed_leaf(n), body);
  if (begun != 0) site.took(read_clock() - begun, n);
  return sum;
}

// The rest of a loop that may be worth sharing.
template <class Body, class Options>
[[gnu::noinline]] typename Body::value share_rest(typename Body::value sum, position first, position n,
                                                  position size, Body& body, const Options& how) {
  using value = typename Body::value;
  // So that a loop around this one learns that it contains loops.
  (void)count_loop();
  // Before the first iteration only: what has run cannot be counted again.
  if (first == 0 && any_gate_shut() && in_observed_region()) return run_observed<Body>(n, body, how);
  const position parts = how.fixed_parts ? fixed_parts() : 0;
  const position last = parts != 0 ? parts : n;
  if (any_gate_shut() && !in_strand()) {
    std::optional<value> total;
    auto inside = [&] {
      total.emplace(loop_over<Body, Options>(body, how, n, parts).all(std::move(sum), first, last, size));
    };
    run_region(nullptr, inside);
    return *std::move(total);
  }
  return loop_over<Body, Options>(body, how, n, parts).all(std::move(sum), first, last, size);
}

// A loop that is to be measured, is not known to be brief, or contains loops. The latter is shared as soon as
// one of its iterations turns out to be long, which the loops within tell.
template <class Body, class Options>
SENNIT_HOT typename Body::value run_watchfully(position n, Body& body, const Options& how) {
  loop_site& site = remembered<Body>::site;
  const position brief = site.brief_iterations();
  if (!how.measured() || n > brief) return share_rest<Body>(body.make(), 0, n, brief / 2, body, how);
  const bool measured = count_loop();
  const std::uint64_t loops = count_of_loops();
  // Of loops in an observed region each is due, here or, where it is plain, in run_loop() already.
  if (measured && in_observed_region()) return run_observed<Body>(n, body, how);
  auto sum = body.make();
  if (n <= site.plain_iterations()) {
    if (in_observed_region()) return run_observed<Body>(n, body, how);
    const ticks begun = read_clock();
    body.run(sum, 0, n);
    site.took(read_clock() - begun, n);
    if (loops_since(loops)) site.contains_loops();
    return sum;
  }
  const ticks begun = measured ? read_clock() : 0;
  position at = 0;
  do {
    body.run_one(sum, at++);
  } while (count_of_loops() - loops <= pace::loops_within && at != n);
  if (measured) [[unlikely]]
    site.took(read_clock() - begun, at);
  if (at == n) return sum;
  return share_rest<Body>(std::move(sum), at, n, 1, body, how);
}

// Precondition: n > 0.
template <class Body, class Options>
SENNIT_INLINE typename Body::value run_loop(position n, const Body& body, const Options& how) {
  // A loop that is over before a thief could come is only a loop.
  const bool plain =
      how.measured() ? n <= remembered<Body>::site.plain_iterations() && !count_loop() : n <= how.grain;
  if (plain) [[likely]] {
    auto sum = body.make();
    body.run(sum, 0, n);
    return sum;
  }
  // A copy, so that nothing of the loop has to be in memory where it is short.
  Body copy = body;
  return run_watchfully<Body>(n, copy, how);
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

// Calls run(from, to) for chunks that cover [0, n) without overlap, in parallel. Throws what the lowest chunk
// that throws threw.
template <class Run>
SENNIT_INLINE void for_positions(position n, Run&& run, const loop_options& how) {
  if (n != 0) run_loop(n, plain_body<held<Run>>{run}, how);
}

}  // namespace detail
}  // namespace sennit

// SPDX-License-Identifier: Apache-2.0
// ParlayLib on Sennit: the functions that ParlayLib asks of a scheduler. Comes before any header of
// ParlayLib, best by -include sennit/parlay.hpp on the command line; or from within parlay/parallel.h. See
// integrations/parlay/README.md.
#pragma once

// ParlayLib has no place for a scheduler from outside. But it includes the sequential one by name, after the
// declarations that a scheduler defines; with its guards set that adds nothing, and the definitions are those
// below.
#if defined(PARLAY_CILK) || defined(PARLAY_CILKPLUS) || defined(PARLAY_OPENCILK) ||                          \
    defined(PARLAY_OPENMP) || defined(PARLAY_TBB) || defined(PARLAY_SEQUENTIAL)
#error "sennit/parlay.hpp: ParlayLib is told to use another scheduler; remove that definition of PARLAY_..."
#elif defined(PARLAY_PARALLEL_H_) && !defined(PARLAY_SENNIT)
#error "sennit/parlay.hpp: include it before any header of ParlayLib"
#elif !defined(PARLAY_PARALLEL_H_)
#if !defined(PARLAY_SENNIT)
#define PARLAY_SEQUENTIAL
#define PARLAY_INTERNAL_SCHEDULER_PLUGINS_SEQUENTIAL_H_
#define PARLAY_INTERNAL_SCHEDULER_PLUGINS_SEQUENTIAL_HPP_
#endif
#include <parlay/parallel.h>
#endif

#include <sennit/detail/config.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/runtime.hpp>
#include <sennit/worker.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

// How many threads of the program may be in parallel calls at the same time and use worker_id(). The same in
// all of a program. A call of sennit::blocking() that is under way counts as one.
#ifndef SENNIT_PARLAY_ROOTS
#define SENNIT_PARLAY_ROOTS 1
#endif
static_assert(SENNIT_PARLAY_ROOTS >= 1, "SENNIT_PARLAY_ROOTS counts the program's threads: at least 1");

namespace parlay {

namespace sennit_plugin {

// What join() is given for a function of ParlayLib's user. The function itself if that can be done; it may
// also be one that cannot be moved, or return something, which ParlayLib ignores.
template <class F>
decltype(auto) branch(std::remove_reference_t<F>& f) {
  if constexpr (std::is_void_v<std::invoke_result_t<F>> &&
                (std::is_lvalue_reference_v<F> || std::is_move_constructible_v<F>)) {
    return static_cast<F&&>(f);
  } else {
    return [&f] { static_cast<void>(static_cast<F&&>(f)()); };
  }
}

[[noreturn]] inline void fail_for_roots(std::size_t workers) {
  sennit::detail::fail<std::runtime_error>(
      "sennit: more than SENNIT_PARLAY_ROOTS=" + std::to_string(SENNIT_PARLAY_ROOTS) +
      " of the program's threads are in parallel calls at once, and one asks for its "
      "parlay::worker_id(), which would not be below parlay::num_workers()=" +
      std::to_string(workers) + ": compile all with a larger -DSENNIT_PARLAY_ROOTS");
}

}  // namespace sennit_plugin

// The default runtime's workers (SENNIT_WORKERS, or what the machine has), in execute_with_scheduler() that
// runtime's; and one for each root beyond the first. The same at all times, also before the first parallel
// call, which it prepares.
inline std::size_t num_workers() { return std::size_t{sennit::worker_count()} + (SENNIT_PARLAY_ROOTS - 1); }

// Below num_workers(), and no other thread's that is in a parallel call; 0 on a thread that is in none. The
// same from one fork or join to the next, not across one: there the strand may change threads. Throws
// std::runtime_error where more than SENNIT_PARLAY_ROOTS threads of the program are in parallel calls, on
// those beyond.
inline std::size_t worker_id() {
  const std::size_t id = sennit::worker_index();
  if (id != 0 && id >= num_workers()) [[unlikely]]
    sennit_plugin::fail_for_roots(num_workers());
  return id;
}

// join(), which says what is thrown and what it costs. `conservative` makes no difference: a strand that
// waits is not buried under other work, but resumed when its branches have ended, whatever the thread does
// meanwhile.
template <typename Lf, typename Rf>
inline void par_do(Lf&& left, Rf&& right, bool) {
  static_assert(std::is_invocable_v<Lf&&> && std::is_invocable_v<Rf&&>,
                "par_do calls functions of no argument");
  sennit::join(sennit_plugin::branch<Lf>(left), sennit_plugin::branch<Rf>(right));
}

// sennit::parallel_for(); a granularity other than 0 is its grain. The exception of the lowest iteration is
// thrown on.
template <typename F>
inline void parallel_for(std::size_t start, std::size_t end, F&& f, long granularity, bool) {
  static_assert(std::is_invocable_v<F&, std::size_t>, "parallel_for calls a function of one std::size_t");
  if (start >= end) return;
  const auto grain = static_cast<std::size_t>(granularity);
  if (end - start <= grain) {
    for (std::size_t i = start; i < end; ++i) f(i);
  } else {
    // ParlayLib's functions may have state: who calls it knows whether they may be shared.
    sennit::parallel_for(start, end, [&f](std::size_t i) { f(i); }, sennit::loop_options{.grain = grain});
  }
}

// Runs f in a runtime of its own with that many workers, 0 for as many as the default has. Returns f's
// result.
template <typename F>
auto execute_with_scheduler(unsigned workers, F&& f) -> std::invoke_result_t<F> {
  return sennit::runtime({.workers = workers}).run(std::forward<F>(f));
}

// Makes the default runtime, so that no parallel call has to.
inline void init_plugin_internal() { static_cast<void>(num_workers()); }

}  // namespace parlay

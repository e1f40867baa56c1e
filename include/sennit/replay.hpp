// record and replay: schedules taken from runs, and runs that follow them.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/schedule.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace sennit {

// How a run follows a schedule.
//
// What the schedule does not know of is run by whoever comes to it: branches that are nested deeper than its
// steals, or that follow constructs it does not have. What it knows of and the program has not is passed
// over. A worker that the schedule names and the runtime has not is another one: their numbers are taken
// modulo those there are. So each run ends, and with the right result, however little the two have in common.
enum class fidelity {
  // As it says, and idle workers steal besides. For a schedule that may be improved, and wherever times may
  // change.
  relaxed,
  // Each worker runs exactly what it says, in any order; nobody steals.
  strict_unordered,
  // In the same order, too. Where that has kept all strands waiting for 50 ms, as the program differs, it is
  // given up.
  strict_ordered,
};
inline constexpr fidelity relaxed = fidelity::relaxed;
inline constexpr fidelity strict_unordered = fidelity::strict_unordered;
inline constexpr fidelity strict_ordered = fidelity::strict_ordered;

namespace detail {

// Runs the body as a region that follows `followed`, if not null. Returns what it turned out to be, if that
// is wanted.
SENNIT_EXPORT std::optional<schedule> run_scheduled(const schedule* followed, fidelity how, bool recorded,
                                                    action body);
SENNIT_EXPORT schedule run_designed(action body);

}  // namespace detail

// Runs f and returns who ran what of it: its steal tree, with times. The caller is worker 0.
//
// Recording is exact: from the tree alone one can say which worker ran any strand of f, as long as no more
// than one guest is in the runtime. Further guests, and the threads that stand in for blocked ones, are
// numbered modulo the workers of the schedule, so that one number may be that of two threads.
//
// Loops are halved down to 256 leaves at most, or to their grain, meanwhile; those that are known to take
// less than two microseconds are not cut. Strands of f in regions that are recorded or replayed themselves,
// and in other runtimes, are not in it. Nor are children of a task_group that were spawned before, and that f
// waits for.
//
// Precondition, of replay() and design() as well: f waits for all children that it spawns in a group from
// outside it. Otherwise the program is ended, with a message.
//
// May be called from any thread: outside any runtime the region is one of the default runtime. Throws what f
// throws, and std::bad_alloc. Cost: a few nanoseconds a fork; a microsecond a steal. (Lifflander,
// Krishnamoorthy and Kalé, "Optimizing data locality for fork/join programs using constrained work stealing",
// 2014, IV.A.)
//
// Example:
//   #include <sennit/parallel_for.hpp>
//
//   #include <vector>
//
//   sennit::schedule touch(std::vector<double>& x) {
//     return sennit::record([&] { sennit::parallel_for(x, [](double& e) { e = 1; }); });
//   }
//   void scale(const sennit::schedule& as_touched, std::vector<double>& x) {
//     sennit::replay(as_touched, sennit::strict_unordered,
//                    [&] { sennit::parallel_for(x, [](double& e) { e *= 2; }); });
//   }
template <std::invocable F>
schedule record(F&& f) {
  auto body = [&] { std::forward<F>(f)(); };
  return *detail::run_scheduled(nullptr, relaxed, true, body);
}

// The same of a run that follows a schedule: what came of it.
template <std::invocable F>
schedule record(const schedule& followed, fidelity how, F&& f) {
  auto body = [&] { std::forward<F>(f)(); };
  return *detail::run_scheduled(&followed, how, true, body);
}

// Runs f by a schedule, and returns its result. Constructs are matched by their position in the program: see
// docs/design/schedules.md. Throws what f throws, and std::bad_alloc. Cost: as record(), and some tens of
// nanoseconds for each steal of the schedule before f begins. (Lifflander et al., 2014, IV.C: STOWS, STUWS
// and RELWS.)
template <std::invocable F>
  requires(!std::is_reference_v<std::invoke_result_t<F>>)
auto replay(const schedule& followed, fidelity how, F&& f) -> std::invoke_result_t<F> {
  using result = std::invoke_result_t<F>;
  if constexpr (std::is_void_v<result>) {
    auto body = [&] { std::forward<F>(f)(); };
    (void)detail::run_scheduled(&followed, how, false, body);
  } else {
    std::optional<result> value;
    auto body = [&] { value.emplace(std::forward<F>(f)()); };
    (void)detail::run_scheduled(&followed, how, false, body);
    return *std::move(value);
  }
}

// Runs f, in which designate() says who runs what, and returns the schedule that this makes. Nobody steals.
template <std::invocable F>
schedule design(F&& f) {
  auto body = [&] { std::forward<F>(f)(); };
  return detail::run_designed(body);
}

// Before a construct, in design(): the worker is to run its branch, which is the second of a join(), or the
// child of a spawn(). Elsewhere it does nothing, so that the same code may be run either way.
//
// As thieves take the outermost branch first, a schedule has to have all branches around this one run
// elsewhere, too: throws std::logic_error, which says so, if one of them has not been designated. (Lifflander
// et al., 2014, IV.B.)
//
// Example:
//   #include <sennit/join.hpp>
//
//   void quarters(void (*visit)(int), int first, int count) {
//     if (count == 1) return visit(first);
//     sennit::designate(static_cast<unsigned>(first + count / 2));
//     sennit::join([=] { quarters(visit, first, count / 2); },
//                  [=] { quarters(visit, first + count / 2, count / 2); });
//   }
//   sennit::schedule one_quarter_each(void (*visit)(int)) {
//     return sennit::design([=] { quarters(visit, 0, 4); });
//   }
SENNIT_EXPORT void designate(unsigned worker);

// Whether something below the calling strand may yet run elsewhere. Where it returns false, in a strict
// replay, a task may as well call its serial kernel: nothing that it could fork would be taken (dynamic
// coarsening: Lifflander et al., 2014, VI). True outside strict replays, as in design(). Cost: some
// nanoseconds.
SENNIT_EXPORT bool may_be_stolen() noexcept;

}  // namespace sennit

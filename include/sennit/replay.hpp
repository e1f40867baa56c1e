// SPDX-License-Identifier: Apache-2.0
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
// A schedule may not contain some branches of the program: branches nested deeper than its steals, or
// branches of constructs that it does not have. Any worker may run these. What the schedule contains and the
// program does not have is skipped. If the schedule has more workers than the runtime, neighboring workers of the
// schedule are one worker of the runtime. If the runtime has more, the others have nothing of the schedule, and steal
// if the replay is relaxed. So each run ends with the correct result, even if schedule and program differ.
enum class fidelity {
  // Follows the schedule, and idle workers steal from workers that are late. For a schedule that can be improved,
  // and for programs whose times may change. A worker is late if it does not come to a branch in the time that its
  // earlier branches took on average, and a quarter more.
  relaxed,
  // Each worker runs exactly what the schedule says, in any order. Nothing else is stolen.
  strict_unordered,
  // Also follows the order of the schedule. If the program differs, so that by the order nothing can go on, the run
  // no longer follows the order. It takes some 50 ms to find that, and at most two seconds.
  strict_ordered,
};
inline constexpr fidelity relaxed = fidelity::relaxed;
inline constexpr fidelity strict_unordered = fidelity::strict_unordered;
inline constexpr fidelity strict_ordered = fidelity::strict_ordered;

namespace detail {

// Runs the body as a region that follows `followed`, if that is not null. Returns the resulting schedule if
// the caller wants it.
SENNIT_EXPORT std::optional<schedule> run_scheduled(const schedule* followed, fidelity how, bool recorded,
                                                    action body);
SENNIT_EXPORT schedule run_designed(action body);

}  // namespace detail

// Runs f and returns its steal tree with times: which worker ran what. The caller is worker 0.
//
// A recording is exact: the tree alone tells which worker ran any strand of f, as long as at most one guest
// is in the runtime. Further guests, and threads that replace blocked ones, are numbered modulo the number
// of workers, so two threads may share a number.
//
// During the recording, a loop is halved down to at most 256 leaves, or to its grain; a loop that is known
// to take less than two microseconds is not cut, and one of short iterations, all of which the compiler sees,
// only as far as thieves would come for its parts. The tree leaves out strands of f in other runtimes, and in
// regions that are recorded or replayed themselves. It also leaves out children of a task_group that were
// spawned before and for which f waits.
//
// A graph of graph::run() or graph::replay() runs on all workers. The tree names the worker of each of its nodes, by the text
// of the node's key, and leaves out what the nodes fork. Nodes are left out if two keys have the same text. A replay computes
// each node where the tree says. In a strict replay, a graph that the tree does not have runs on the calling worker, as any
// graph does in design(). What nodes fork may be stolen by any worker. Cost: some hundred nanoseconds a node.
//
// Precondition, also of replay() and design(): f waits for all children that it spawns into a group from
// outside f. Otherwise the program ends with a message.
//
// Throws what f throws, and std::bad_alloc. Thread-safety: any thread may call it; outside any runtime the
// region is one of the default runtime. Cost: a few nanoseconds a fork, and a microsecond a steal.
// (Lifflander, Krishnamoorthy and Kalé, "Optimizing data locality for fork/join programs using constrained
// work stealing", 2014, IV.A.)
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
//   sennit::fidelity how(bool same_times, bool same_order) {
//     return same_order ? sennit::strict_ordered : same_times ? sennit::strict_unordered : sennit::relaxed;
//   }
template <std::invocable F>
schedule record(F&& f) {
  auto body = [&] { std::forward<F>(f)(); };
  return *detail::run_scheduled(nullptr, relaxed, true, body);
}

// Runs f by a schedule, and returns the resulting schedule.
template <std::invocable F>
schedule record(const schedule& followed, fidelity how, F&& f) {
  auto body = [&] { std::forward<F>(f)(); };
  return *detail::run_scheduled(&followed, how, true, body);
}

// Runs f by a schedule, and returns the result of f. Constructs are matched by their positions in the
// program: see docs/design/schedules.md. Throws what f throws, and std::bad_alloc. Thread-safety: any thread
// may call it. Cost: as record(), and some tens of nanoseconds for each steal of the schedule before f
// begins. (Lifflander et al., 2014, IV.C: STOWS, STUWS and RELWS.)
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

// Runs f, in which calls of designate() say which worker runs what, and returns the schedule that results.
// Nothing is stolen.
template <std::invocable F>
schedule design(F&& f) {
  auto body = [&] { std::forward<F>(f)(); };
  return detail::run_designed(body);
}

// In design(), before a construct: the worker is to run the construct's branch, which is the second branch
// of a join(), or the child of a spawn(). Outside design() it does nothing, so the same code may run either
// way.
//
// Thieves take the outermost branch first. So in a schedule all branches around this one have to run on
// other workers, too. Throws std::logic_error, with that reason, if one of them has not been designated.
// (Lifflander et al., 2014, IV.B.)
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

// Whether another worker may still run something that the calling strand forks. If it returns false, in a
// strict replay, a task can call its serial kernel, because nothing that the task forks would be stolen
// (dynamic coarsening: Lifflander et al., 2014, VI). Returns true outside strict replays, also in design().
// Thread-safety: any thread may call it. Cost: some nanoseconds.
//
// Example:
//   #include <sennit/join.hpp>
//
//   void visit_all(int first, int count, void (*visit)(int)) {
//     if (count > 1 && sennit::may_be_stolen()) {
//       sennit::join([=] { visit_all(first, count / 2, visit); },
//                    [=] { visit_all(first + count / 2, count - count / 2, visit); });
//     } else {
//       for (int i = first; i < first + count; ++i) visit(i);
//     }
//   }
SENNIT_EXPORT bool may_be_stolen() noexcept;

}  // namespace sennit

// SPDX-License-Identifier: Apache-2.0
// join: branches that may run in parallel.
#pragma once

#include <sennit/detail/assert.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/fork/fork_frame.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/fork/join_range.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

template <class F, class G>
using joined = std::tuple<branch_result<F>, branch_result<G>>;

// The owner's half of the THE protocol: docs/protocols/deque.md.
SENNIT_INLINE bool push(frame& f) noexcept {
  tls_place tls = find_tls();
  slot* const tail = load_tail(tls);
  slot* const next = f.enter(tail, reinterpret_cast<std::uintptr_t>(&f));
  publish_tail(next, tls);
  return !push_gate_shut(next, tls);
}

SENNIT_INLINE bool push(frame_with_state& f) noexcept {
  tls_place tls = find_tls();
  slot* const tail = load_tail(tls);
  slot* const next = fill(tail, reinterpret_cast<std::uintptr_t>(&f) | frame_with_state::tag);
  publish_tail(next, tls);
  return !push_gate_shut(next, tls);
}

SENNIT_INLINE bool pop_to(slot* tail, tls_place tls) noexcept {
  store_tail(tail, tls);
  return !pop_gate_shut(tail, tls);
}

// Of the newest frame, whichever it is.
SENNIT_INLINE bool pop() noexcept {
  tls_place tls = find_tls();
  return pop_to(load_tail(tls) - 1, tls);
}

// The frame knows its slot, so a pop does not load the tail that the construct before it has stored: docs/protocols/deque.md, "A
// pop knows its slot". A frame that has left its deque has a null slot. A null tail is below each gate, so that pop takes the
// slow path.
SENNIT_INLINE bool pop(const frame& f) noexcept {
  slot* const at = f.in_slot();
  SENNIT_ASSERT(at == nullptr || at == load_tail() - 1);
  return pop_to(at, find_tls());
}

template <class F, class G>
SENNIT_COLD joined<F, G> join_unpushed(F& f, fork_frame<G>& right);

template <class F, class G>
SENNIT_INLINE branch_result<F> run_left(F& f, [[maybe_unused]] fork_frame<G>& right) {
#if SENNIT_EXCEPTIONS
  if constexpr (!std::is_nothrow_invocable_v<F>) {
    try {
      return call_branch(std::forward<F>(f));
    } catch (...) {
      aside(right).keep();
    }
    aside(right).leave();
  }
#endif
  return call_branch(std::forward<F>(f));
}

// F and G are the types deduced for forwarding references.
template <class F, class G>
SENNIT_INLINE joined<F, G> join_pair(F&& f, G&& g) {
  fork_frame<G> right(std::forward<G>(g));
  if (!push(right)) [[unlikely]] {
    const push_result result = push_shut(aside(right));
    if (result == push_result::taken) aside(right).give_up();
    if (result == push_result::not_pushed) {
      // f is copied so that the address of the closure does not escape. The compiler can then keep the
      // closure in registers.
      F apart = std::forward<F>(f);
      return join_unpushed<F, G>(apart, aside(right));
    }
  }
  branch_result<F> left = run_left<F, G>(f, right);
  if (!pop(right)) [[unlikely]] {
    if (!pop_shut(aside(right)))
      return joined<F, G>(std::forward<branch_result<F>>(left), aside(right).take());
  }
  return joined<F, G>(std::forward<branch_result<F>>(left), right.run_here());
}

// A branch that can be copied out of its frame, and run after the frame has ended. Not in the checked
// variant, which looks in each frame for the place of its fork.
template <class G>
concept outlives_frame = !SENNIT_CHECKED && std::is_void_v<std::invoke_result_t<G>> &&
                         std::is_trivially_copyable_v<G> && sizeof(G) <= 64;

// Runs f, and returns g if the caller has to run it. Returns nothing if g has run elsewhere.
template <class F, class G>
SENNIT_INLINE std::optional<G> join_left(F&& f, G&& g) {
  fork_frame<G> right(std::forward<G>(g));
  if (!push(right)) [[unlikely]] {
    const push_result result = push_shut(aside(right));
    if (result == push_result::taken) aside(right).give_up();
    if (result == push_result::not_pushed) {
      F apart = std::forward<F>(f);  // copied for the reason given in join_pair()
      join_unpushed<F, G>(apart, aside(right));
      return std::nullopt;
    }
  }
  run_left<F, G>(f, right);
  if (!pop(right)) [[unlikely]] {
    if (!pop_shut(aside(right))) {
      aside(right).take();
      return std::nullopt;
    }
  }
  return right.branch();
}

// The gate was shut and the frame is not in the deque. Either the calling thread runs no strand yet, and the
// branches run in a new region; or the deque has no room for the frame, and the branches run in order.
template <class F, class G>
joined<F, G> join_unpushed(F& f, fork_frame<G>& right) {
  if (in_strand()) {
    branch_result<F> left = call_branch(std::forward<F>(f));
    return joined<F, G>(std::forward<branch_result<F>>(left), right.run_here());
  }
  std::optional<joined<F, G>> both;
  auto body = [&] { both.emplace(join_pair<F, G>(std::forward<F>(f), right.branch())); };
  run_region(nullptr, body);
  return *std::move(both);
}

template <class F, class... G>
SENNIT_INLINE std::tuple<branch_result<F>, branch_result<G>...> join_all(F&& f, G&&... g) {
  if constexpr (sizeof...(G) == 1) {
    return join_pair<F, G...>(std::forward<F>(f), std::forward<G>(g)...);
  } else {
    auto rest = [&]() { return join_all<G...>(std::forward<G>(g)...); };
    auto [first, others] = join_pair<F, decltype(rest)>(std::forward<F>(f), std::move(rest));
    return std::tuple_cat(std::tuple<branch_result<F>>(std::forward<branch_result<F>>(first)),
                          std::move(others));
  }
}

}  // namespace detail

// Runs the branches, which may run in parallel, and returns when all have ended. The calling strand runs the
// first branch at once. The others wait in the worker's deque: an idle worker may take them, and the calling
// strand runs in order those that nobody took. A strand that has to wait for a branch frees its worker for
// other work, and may continue on another worker.
//
//   join(f, g, ...)  returns a std::tuple of the results, in the order of the branches, with std::monostate
//                    for a branch that returns void. Returns void if all branches do.
//   join(range)      runs the branches in a range with random access and a size, such as a std::vector.
//                    Returns a std::vector of the results, with std::reference_wrapper for references.
//                    Returns void if the branches do. Allocates memory for the results.
//
// Results are movable, or references. Each branch is called once, so a branch may change itself. A branch
// passed as an rvalue is moved, and called as an rvalue. Branches in a range are called in place.
//
// Preconditions: no branch waits for another branch. The caller holds no lock, because locks belong to
// threads and the strand may change threads here. Throws the exception of the leftmost branch that threw.
// Branches to the right of that one do not run if they have not been started; join waits for those that
// have. Throws sennit::cancelled in a cancelled region. Outside any runtime also throws what
// runtime::default_runtime() and runtime::run() throw. Thread-safety: any thread may call it. Outside any
// runtime, a call is a region of the default runtime. Cost: one to two nanoseconds a fork, without
// allocation, if no branch is stolen; a few tenths of a microsecond more outside a region.
//
// The algorithm is the THE protocol of Cilk-5 (Frigo, Leiserson and Randall, "The implementation of the
// Cilk-5 multithreaded language", 1998) without the owner's fence: docs/protocols/deque.md.
//
// Example:
//   #include <span>
//
//   double sum(std::span<const double> x) {
//     if (x.size() <= 1) return x.empty() ? 0.0 : x[0];
//     auto [left, right] = sennit::join([=] { return sum(x.first(x.size() / 2)); },
//                                       [=] { return sum(x.subspan(x.size() / 2)); });
//     return left + right;
//   }
template <detail::branch F, detail::branch G, detail::branch... H>
#if SENNIT_CHECKED
  requires(sizeof...(H) > 2)
#endif
SENNIT_INLINE auto join(F&& f, G&& g, H&&... h) {
  static_assert(detail::returnable<F> && detail::returnable<G> && (detail::returnable<H> && ...),
                "join: what a branch returns can be neither moved nor copied; return a pointer to it");
  if constexpr (detail::return_nothing<F, G, H...>) {
    // The last branch is called after its frame has ended. So a compiler can turn the call into a loop, if
    // the calling function ends with it.
    if constexpr (sizeof...(H) == 0 && detail::outlives_frame<G>) {
      if (auto last = detail::join_left<F, G>(std::forward<F>(f), std::forward<G>(g)))
        detail::call_branch(*std::move(last));
      return;
    }
    detail::join_all<F, G, H...>(std::forward<F>(f), std::forward<G>(g), std::forward<H>(h)...);
  } else {
    return detail::join_all<F, G, H...>(std::forward<F>(f), std::forward<G>(g), std::forward<H>(h)...);
  }
}

#if SENNIT_CHECKED

namespace detail {

template <class... F>
auto join_branches(F&&... f) {
  static_assert((returnable<F> && ...),
                "join: what a branch returns can be neither moved nor copied; return a pointer to it");
  if constexpr (return_nothing<F...>) {
    join_all<F...>(std::forward<F>(f)...);
  } else {
    return join_all<F...>(std::forward<F>(f)...);
  }
}

}  // namespace detail

// The checked variant records the caller's line. The parameter for the line needs a fixed number of
// branches, so the line of a join of more than four branches is not known.
template <detail::branch F, detail::branch G>
auto join(F&& f, G&& g SENNIT_WHERE) {
  SENNIT_SITE("join");
  return detail::join_branches<F, G>(std::forward<F>(f), std::forward<G>(g));
}

template <detail::branch F, detail::branch G, detail::branch H>
auto join(F&& f, G&& g, H&& h SENNIT_WHERE) {
  SENNIT_SITE("join");
  return detail::join_branches<F, G, H>(std::forward<F>(f), std::forward<G>(g), std::forward<H>(h));
}

template <detail::branch F, detail::branch G, detail::branch H, detail::branch I>
auto join(F&& f, G&& g, H&& h, I&& i SENNIT_WHERE) {
  SENNIT_SITE("join");
  return detail::join_branches<F, G, H, I>(std::forward<F>(f), std::forward<G>(g), std::forward<H>(h),
                                           std::forward<I>(i));
}

#endif

template <detail::branch F>
SENNIT_INLINE auto join(F&& f) {
  // An empty second branch puts this single branch into a region, so that it can be cancelled as any other.
  const auto empty = [] {};
  if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
    sennit::join(std::forward<F>(f), empty);
  } else {
    auto both = detail::join_pair<F, decltype(empty)&>(std::forward<F>(f), empty);
    using result = detail::branch_result<F>;
    return std::tuple<result>(std::forward<result>(std::get<0>(both)));
  }
}
template <detail::branch_range R>
auto join(R&& branches) {
  return detail::join_range(branches, [](auto&& f, auto&& g) { sennit::join(f, g); });
}
template <class... F>
void join(const F&...) {
  detail::refuse_join<F...>();
}

}  // namespace sennit

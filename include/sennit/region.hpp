// SPDX-License-Identifier: Apache-2.0
// region: parallel work that can be cancelled as a whole.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/promotion.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace sennit {

// What a construct throws in a cancelled region, because the construct has no value to return. region::run()
// catches it. Code in between may catch it to clean up, and should rethrow it. Any other exception takes
// precedence over it.
//
// Example:
//   #include <sennit/parallel_for.hpp>
//
//   #include <cstdio>
//
//   void write_all(int n, void (*write)(int), const char* file) {
//     try {
//       sennit::parallel_for(n, write);
//     } catch (const sennit::cancelled&) {
//       std::remove(file);  // it is not complete
//       throw;
//     }
//   }
class SENNIT_EXPORT cancelled : public std::exception {
 public:
  // That the region was cancelled.
  const char* what() const noexcept override;
};

namespace detail {

class schedule_hooks;
class told_graph;

// The words of the CPU that control its floating-point arithmetic: src/stack/float_environment.hpp.
struct float_controls {
  std::uint32_t vector = 0;  // MXCSR; FPCR of AArch64
  std::uint16_t x87 = 0;
};

// The part of a region that the mechanism knows. Regions nest: cancelling a region cancels those inside it.
struct region_state {
  bool cancelled() const noexcept {
    for (const region_state* r = this; r != nullptr; r = r->outer) {
      if (r->cancel_requested.load(std::memory_order_relaxed)) return true;
    }
    return false;
  }
  // Whether constructs should end early. Never in a region that code without exceptions has entered, because
  // nothing can be thrown out of that region.
  bool stopped() const noexcept {
    for (const region_state* r = this; r != nullptr && r->can_throw; r = r->outer) {
      if (r->cancel_requested.load(std::memory_order_relaxed)) return true;
    }
    return false;
  }

  // The period is that of the surrounding region, or of the runtime.
  static constexpr std::uint64_t inherited = ~std::uint64_t{0};

  std::atomic<bool> cancel_requested{false};
  bool can_throw = true;  // whether sennit::cancelled can be thrown to the code that entered the region
  region_state* outer = nullptr;
  schedule_hooks* observed_by = nullptr;
  bool hidden =
      false;  // within an observed region: its strands are not observed; observed_by is that region's
  told_graph* told = nullptr;         // of a hidden region: the graph that it runs, until the run has asked
  std::uint64_t beat_ns = inherited;  // the least time between promotions; 0: on demand
  bool root = false;  // the outermost region of a runtime: regions around it belong to other runtimes
  bool implied =
      false;  // made by the library for one construct, or for the children, of a thread that runs no strand
  // Every strand of the region runs under this floating-point environment.
  float_controls controls;
};

// Makes `region` the calling strand's innermost region while `body` runs. Outside any runtime, starts a
// region of the default runtime.
SENNIT_EXPORT void enter_region(region_state& region, action body);
SENNIT_EXPORT void cancel_region(region_state& region) noexcept;
// Whether the calling strand's constructs should end early.
SENNIT_EXPORT SENNIT_COLD bool stop_requested() noexcept;
// Throws what region(promotion) throws.
SENNIT_EXPORT void set_promotion(region_state& region, promotion when);

}  // namespace detail

// Work that can be cancelled as a whole: what run() calls, and nothing else. Regions nest: cancelling a
// region cancels those inside it. A cancelled region stays cancelled, so use a new region for other work.
//
// Preconditions: one run() at a time, and the object outlives it. Thread-safety: any thread may call
// cancel() and cancel_requested() at any time. A construct cannot end early in code built without
// exceptions, nor inside a region that such code has entered. For such a region cancel() does two things
// only: cancel_requested() returns true, and a later run() does not call its function. Cost: none for the
// forks of a region that is not cancelled.
//
// Example:
//   #include <sennit/join.hpp>
//
//   void search(sennit::region& r, long first, long last, bool (*wanted)(long)) {
//     if (last - first > 1) {
//       const long middle = first + (last - first) / 2;
//       sennit::join([&] { search(r, first, middle, wanted); }, [&] { search(r, middle, last, wanted); });
//     } else if (wanted(first)) {
//       r.cancel();
//     }
//   }
//
//   bool any(long first, long last, bool (*wanted)(long)) {
//     sennit::region r;
//     r.run([&] { search(r, first, last, wanted); });
//     return r.cancel_requested();
//   }
class region {
 public:
  region() = default;
  // Latent work of the region is promoted on demand or by heartbeats, whatever holds for the surrounding
  // region. Throws std::invalid_argument for a period of less than 1 us or more than 1 s.
  explicit region(promotion when) { detail::set_promotion(state_, when); }
  region(const region&) = delete;
  region& operator=(const region&) = delete;

  // Runs f, as part of the surrounding region if there is one. Returns the result of f as a std::optional,
  // or true if f returns void. Returns nothing, or false, if cancellation stopped f. If f ends normally in
  // spite of the cancellation, its result is returned. If the region was cancelled before the call, f is not
  // called. Throws what f throws; sennit::cancelled if only a surrounding region was cancelled. Outside any
  // runtime it runs in the default runtime, and also throws what runtime::run() throws. Cost: some tens of
  // nanoseconds inside a runtime.
  template <class F>
    requires(std::invocable<F> && !std::is_reference_v<std::invoke_result_t<F>>)
  auto run(F&& f SENNIT_WHERE) {
    SENNIT_SITE("region::run");
    using value = std::invoke_result_t<F>;
    if constexpr (std::is_void_v<value>) {
      bool completed = false;
      enter([&] {
        std::forward<F>(f)();
        completed = true;
      });
      return completed;
    } else {
      std::optional<value> result;
      enter([&] { result.emplace(std::forward<F>(f)()); });
      return result;
    }
  }

  template <class... F>
  void run(const F&...) {
    static_assert(
        detail::never<F...>,
        "region::run: the argument is one function that is called without arguments and returns a value "
        "or nothing, no reference; capture what it needs, and return a pointer instead of a reference");
  }

  // Drops every branch of the region that has not been started. Running branches continue, and may call
  // cancel_requested(). From now on constructs in the region throw sennit::cancelled, and each later run()
  // returns at once. Cost: a lock for each worker of the process.
  void cancel() noexcept { detail::cancel_region(state_); }

  // Whether cancel() has been called on this region. The function sennit::cancel_requested() also considers
  // the surrounding regions. Cost: a load.
  bool cancel_requested() const noexcept { return state_.cancel_requested.load(std::memory_order_relaxed); }

 private:
  template <class Body>
  void enter(Body&& body) {
    if (cancel_requested()) return;
#if SENNIT_EXCEPTIONS
    try {
      detail::enter_region(state_, body);
    } catch (const cancelled&) {
      // The exception is for a surrounding region.
      if (!cancel_requested()) throw;
    }
#else
    state_.can_throw = false;
    detail::enter_region(state_, body);
#endif
  }

  detail::region_state state_;
};

// Whether the region of the calling strand, or a region around it, has been cancelled. Returns false outside
// any region. Long serial work can call it to stop early. Cost: about a nanosecond.
SENNIT_EXPORT bool cancel_requested() noexcept;

}  // namespace sennit

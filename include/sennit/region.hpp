// Regions: a piece of parallel work that can be cancelled as a whole.
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

// What a construct throws in a cancelled region: it has no value to return. region::run() absorbs it; code
// between may catch it to clean up, and should throw it on. Any other exception takes precedence over it.
class SENNIT_EXPORT cancelled : public std::exception {
 public:
  const char* what() const noexcept override;
};

namespace detail {

class schedule_hooks;

// The part of a region that the core sees. Regions nest: a cancelled region cancels those inside it.
struct region_state {
  bool cancelled() const noexcept {
    for (const region_state* r = this; r != nullptr; r = r->outer) {
      if (r->cancel_requested.load(std::memory_order_relaxed)) return true;
    }
    return false;
  }
  // Whether constructs are to end early: nothing can be thrown out of a region that code without exceptions
  // has entered.
  bool stopped() const noexcept {
    for (const region_state* r = this; r != nullptr && r->can_throw; r = r->outer) {
      if (r->cancel_requested.load(std::memory_order_relaxed)) return true;
    }
    return false;
  }

  // Of the region around it, or its runtime's.
  static constexpr std::uint64_t inherited = ~std::uint64_t{0};

  std::atomic<bool> cancel_requested{false};
  bool can_throw = true;  // sennit::cancelled, to whoever entered it
  region_state* outer = nullptr;
  schedule_hooks* observed_by = nullptr;
  std::uint64_t beat_ns = inherited;  // between promotions; 0: on demand
  bool root = false;                  // of a runtime: what is around it is none of that runtime's business
  bool implied = false;  // there for one construct, or for the children, of a thread that runs no strand
  // The floating-point environment that every strand of the region runs under.
  unsigned mxcsr = 0;
  unsigned short x87_control = 0;
};

// Makes `region` the calling strand's innermost while `body` runs. Outside any runtime,
// starts a region of the default.
SENNIT_EXPORT void enter_region(region_state& region, action body);
SENNIT_EXPORT void cancel_region(region_state& region) noexcept;
// Whether the calling strand's constructs are to end early.
SENNIT_EXPORT SENNIT_COLD bool stop_requested() noexcept;
// Throws as region(promotion) does.
SENNIT_EXPORT void set_promotion(region_state& region, promotion when);

}  // namespace detail

// Work that can be cancelled as a whole: what run() calls, and nothing else. Regions nest: to cancel one
// cancels those inside it. A region that has been cancelled stays so: take another one for other work.
//
// One run() at a time, which the object outlives. cancel() and cancel_requested() may be called from any
// thread at any time. A construct cannot end early in code built without exceptions, nor below a region that
// such code has entered: there cancel() only changes what cancel_requested() says, and keeps a later run()
// from calling its function. Cost: none in the forks of a region that nobody cancels.
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
  // The region's latent work becomes others' on demand, or by heartbeats, whatever holds around it.
  // Throws std::invalid_argument for a period of less than 1 us or more than 1 s.
  explicit region(promotion when) { detail::set_promotion(state_, when); }
  region(const region&) = delete;
  region& operator=(const region&) = delete;

  // Runs f, as part of the surrounding region if there is one, and returns its result as a std::optional, or
  // true for an f that returns void; nothing, or false, if cancellation stopped f. One that came to its end
  // all the same has its result. If the region has been cancelled before, f is not called. Throws what f
  // throws; sennit::cancelled if only a region around this one was cancelled. Outside any runtime it runs in
  // the default one, and throws as runtime::run() does. Cost: some tens of nanoseconds inside a runtime.
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

  // Drops every branch of the region that has not been started; running ones go on and may ask.
  // Constructs in the region throw sennit::cancelled from now on, and each run() that comes later returns at
  // once. Cost: a lock for each worker of the process.
  void cancel() noexcept { detail::cancel_region(state_); }

  // Whether cancel() has been called on this region; sennit::cancel_requested() also knows of those around
  // it. Cost: a load.
  bool cancel_requested() const noexcept { return state_.cancel_requested.load(std::memory_order_relaxed); }

 private:
  template <class Body>
  void enter(Body&& body) {
    if (cancel_requested()) return;
#if SENNIT_EXCEPTIONS
    try {
      detail::enter_region(state_, body);
    } catch (const cancelled&) {
      // Of an outer region: not ours to absorb.
      if (!cancel_requested()) throw;
    }
#else
    state_.can_throw = false;
    detail::enter_region(state_, body);
#endif
  }

  detail::region_state state_;
};

// Whether the region of the calling strand, or one around it, has been cancelled. False outside any region.
// For long serial work that should stop early. Cost: about a nanosecond.
SENNIT_EXPORT bool cancel_requested() noexcept;

}  // namespace sennit

// Regions: a piece of parallel work that can be cancelled as a whole.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/config.hpp>

#include <atomic>
#include <concepts>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace sennit {

// What a construct throws in a cancelled region: it has no value to return. region::run() absorbs it;
// code between may catch it only to clean up, and should throw it on.
class cancelled : public std::exception {
 public:
  const char* what() const noexcept override;
};

namespace detail {

// The part of a region that the core sees. Regions nest: a cancelled region cancels those inside it.
struct region_state {
  bool cancelled() const noexcept {
    for (const region_state* r = this; r != nullptr; r = r->outer) {
      if (r->cancel_requested.load(std::memory_order_relaxed)) return true;
    }
    return false;
  }

  std::atomic<bool> cancel_requested{false};
  region_state* outer = nullptr;
  // The floating-point environment that every strand of the region runs under.
  unsigned mxcsr = 0;
  unsigned short x87_control = 0;
};

// Makes `region` the calling strand's innermost while `body` runs. Outside any runtime,
// starts a region of the default.
void enter_region(region_state& region, action body);
void cancel_region(region_state& region) noexcept;

}  // namespace detail

// Example:
//   sennit::region search;
//   auto found = search.run([&] { return look_everywhere(search); });   // some strand calls search.cancel()
//
// One run() at a time. cancel() and cancel_requested() may be called from any thread while the object lives.
class region {
 public:
  region() = default;
  region(const region&) = delete;
  region& operator=(const region&) = delete;

  // Runs f here, as part of the surrounding region if there is one, and returns its result;
  // nothing (false for a void f) if the region was cancelled before f came to its end. Throws what f throws.
  template <class F>
  auto run(F&& f) {
    using value = std::invoke_result_t<F>;
    state_.cancel_requested.store(false, std::memory_order_relaxed);
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

  // Drops every branch of the region that has not been started; running ones go on and may ask. Constructs in
  // the region throw sennit::cancelled from now on. Costs a lock for each worker of the process.
  void cancel() noexcept { detail::cancel_region(state_); }

  // Whether cancel() was called on this region since run() began.
  // (sennit::cancel_requested() knows of those around it.)
  bool cancel_requested() const noexcept { return state_.cancel_requested.load(std::memory_order_relaxed); }

 private:
  template <class Body>
  void enter(Body&& body) {
#if SENNIT_EXCEPTIONS
    try {
      detail::enter_region(state_, body);
    } catch (const cancelled&) {
      // Of an outer region: not ours to absorb.
      if (!state_.cancel_requested.load(std::memory_order_relaxed)) throw;
    }
#else
    detail::enter_region(state_, body);
#endif
  }

  detail::region_state state_;
};

// Whether the region of the calling strand, or one around it, has been cancelled. False outside any region.
bool cancel_requested() noexcept;

}  // namespace sennit

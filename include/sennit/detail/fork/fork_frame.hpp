// SPDX-License-Identifier: Apache-2.0
// A frame with a branch of known type and room for its result.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/fork/forked_in_handler.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/region.hpp>

#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

namespace sennit::detail {

// What a branch yields in the tuple of a join: void becomes std::monostate, references stay references.
template <class F>
using branch_result =
    std::conditional_t<std::is_void_v<std::invoke_result_t<F>>, std::monostate, std::invoke_result_t<F>>;

// Whether there is nothing in that tuple.
template <class... F>
inline constexpr bool return_nothing = (std::is_void_v<std::invoke_result_t<F>> && ...);

template <class F>
SENNIT_INLINE branch_result<F> call_branch(F&& f) {
  if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
    std::forward<F>(f)();
    return {};
  } else {
    return std::forward<F>(f)();
  }
}

// Records how a branch that runs elsewhere ends. `body` stores the value.
template <class Body>
void record_outcome(stolen_state& stolen, Body&& body) noexcept {
#if SENNIT_EXCEPTIONS
  if (stolen.region->stopped()) {
    stolen.result = outcome::dropped;
    return;
  }
  try {
    body();
    stolen.result = outcome::value;
  } catch (const sennit::cancelled&) {
    stolen.result = outcome::dropped;
  } catch (...) {
    stolen.failure = std::current_exception();
    stolen.result = outcome::thrown;
  }
#else
  // Not dropped even if its region is cancelled: whatever waits for it could not end without a value.
  body();
  stolen.result = outcome::value;
#endif
}

// The closure moves into the frame: a thief reads it there, and the owner need not keep its address. A
// program may have code with exceptions and without: their frames are of different types, as their functions
// differ.
template <class G, bool CanThrow = SENNIT_EXCEPTIONS>
class fork_frame : public frame {
 public:
  using result = branch_result<G>;

  SENNIT_INLINE explicit fork_frame(G&& g) : frame(&run_elsewhere), branch_(std::forward<G>(g)) {}
  SENNIT_INLINE ~fork_frame() {}

  G&& branch() noexcept { return std::forward<G>(branch_); }

  SENNIT_INLINE result run_here() {
    if constexpr (std::is_void_v<std::invoke_result_t<G>>) {
      origin_.run(std::forward<G>(branch_));
      return {};
    } else {
      return origin_.run(std::forward<G>(branch_));
    }
  }

  // After the branch ran elsewhere: its value, or the exception that it ended with.
  result take() {
    if (!returned_value()) throw_outcome(*this);
    if constexpr (std::is_reference_v<result>) {
      return static_cast<result>(*value_);
    } else {
      struct destroy {
        result* value;
        ~destroy() { std::destroy_at(value); }
      } const after{&value_};
      return std::move(value_);
    }
  }

  // The branch runs elsewhere, and the construct has no value to return: waits for it and throws
  // what it threw, or cancelled.
  [[noreturn]] SENNIT_COLD void give_up() {
    await_taken(*this);
    if constexpr (!std::is_reference_v<result>) {
      if (returned_value()) std::destroy_at(&value_);
    }
    throw_outcome(*this);
  }

#if SENNIT_EXCEPTIONS
  // In a handler: keeps what the left branch threw. It is dealt with in leave(), outside the handler,
  // because nothing may wait inside one.
  void keep() noexcept { keep_exception(&left_failure_); }

  // Pops the frame, waits for the branch if it runs elsewhere, and throws the leftmost exception.
  [[noreturn]] SENNIT_COLD void leave() {
    const bool dropped = pop_unwinding(*this);
    if (!dropped) {
      if constexpr (!std::is_reference_v<result>) {
        if (returned_value()) std::destroy_at(&value_);
      }
    }
    throw_leftmost(&left_failure_, dropped ? nullptr : this);
  }
#endif

 private:
  using stored = std::conditional_t<std::is_reference_v<result>, std::remove_reference_t<result>*, result>;

  // After await_taken(), which keeps the state of a branch only that has no value.
  bool returned_value() noexcept { return state() == nullptr; }

  static fiber* run_elsewhere(frame& base) noexcept {
    auto& self = static_cast<fork_frame&>(base);
    record_outcome(self.stolen(), [&self] {
      if constexpr (std::is_reference_v<result>) {
        auto&& referred = self.run_here();
        self.value_ = std::addressof(referred);
      } else {
        ::new (static_cast<void*>(&self.value_)) result(self.run_here());
      }
    });
    leave_branch(self);
    return self.stolen().done.finish();
  }

  G branch_;
  [[no_unique_address]] forked_in_handler origin_;
  union {
    stored value_;
  };
#if SENNIT_EXCEPTIONS
  union {
    std::exception_ptr left_failure_;
  };
#endif
};

}  // namespace sennit::detail

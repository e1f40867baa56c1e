// SPDX-License-Identifier: Apache-2.0
// latent_join: two calls, of which the second becomes a task when a beat comes during the first.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/fork_frame.hpp>
#include <sennit/detail/fork/join_range.hpp>
#include <sennit/detail/latent/call.hpp>
#include <sennit/detail/latent/given.hpp>
#include <sennit/promotion_point.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

// G is a closure, perhaps a constant one.
template <class G>
class given_call : public given_part {
 public:
  using result = branch_result<G&>;

  explicit given_call(const G& second) noexcept : given_part(nullptr), second_(second) {}

  void start() {
    given_part::start([this] { result_.emplace(call_branch<G&>(second_)); });
  }
  SENNIT_COLD result take() {
    const std::unique_ptr<given_call> end(this);
    wait();
    return *std::move(result_);
  }

 private:
  G second_;
  std::optional<result> result_;
};

template <class G>
bool give_call(const void* frame, const G& second) {
  auto made = std::make_unique<given_call<G>>(second);
  if (!keep_given(frame, made.get())) return false;
#if SENNIT_EXCEPTIONS
  try {
    made->start();
  } catch (...) {
    take_given(frame);
    throw;
  }
#else
  made->start();
#endif
  made.release();
  return true;
}

// The closure is in the request. The frame is not to be unwound: it is asked while its first call goes on.
template <class G>
void answer_with(latent_request& request, const void* frame) noexcept {
  request.words_in_frame(sizeof(G));
  const G& second = *std::launder(reinterpret_cast<const G*>(request.closure));
#if SENNIT_EXCEPTIONS
  try {
    request.given = give_call(frame, second);
  } catch (...) {
    request.failure = std::current_exception();
  }
#else
  request.given = give_call(frame, second);
#endif
}

// Behind the first call, or during it: then there is a request. Returns what has been given away.
template <class G>
SENNIT_COLD given_call<G>* meet_latent_point(latent_request* request) {
  const void* const own = __builtin_frame_address(0);
  if (request != nullptr) {
    const std::uintptr_t below = request->copy - reinterpret_cast<std::uintptr_t>(own);
    answer_with<G>(*request, reinterpret_cast<const void*>(request->begin - below));
    answer_latent_request(*request);
  }
  if (given_part* const given = take_given(own)) return static_cast<given_call<G>*>(given);
  give_oldest_call();
  return nullptr;
}

// Each compiler copies member by member here, if it can, and then takes each member from where it is. As one object: clang copies eight
// bytes as one number, before it looks what they consist of, unless it learns their number late. GCC has an object in memory
// whose bytes are copied.
#if defined(__clang__)
SENNIT_INLINE void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}
template <class G>
SENNIT_INLINE void copy_closure(void* to, const G& from) noexcept {
  copy_bytes(to, &from, sizeof(G));
}
#else
template <class G>
SENNIT_INLINE void copy_closure(void* to, const G& from) noexcept {
  ::new (to) G(from);
}
#endif

// Only a request needs the closure, and has room for it. Nothing else has the closure as a whole: so compilers keep each of its
// members by itself, as the second call wants it. A closure that is an argument, or that is read word by word, is made of
// registers before the first call, or behind it: that costs instructions, and the frame cannot be asked during the first call.
template <class G>
SENNIT_INLINE given_call<G>* meet_latent_point_with(G& second) {
  latent_request* const request = take_latent_request();
  if (request != nullptr) copy_closure(request->closure, second);
  return meet_latent_point<G>(request);
}

#if SENNIT_EXCEPTIONS

// What was thrown by the first call comes before what has been given away, which is waited for here. meet_latent_point() found its
// frame at the same place.
SENNIT_COLD inline kept_failure end_given() noexcept {
  const kept_failure first = keep_failure();
  const std::unique_ptr<given_part> given(take_given(__builtin_frame_address(0)));
  if (given == nullptr) return first;
  given->drop();
  try {
    given->wait();
  } catch (...) {
  }
  return first;
}

// Throws. The compiler is not to know that: it makes the frame of a function that it need not leave in another way only where the
// function needs a frame.
template <class R>
SENNIT_COLD R throw_failure_for(kept_failure first) {
  throw_failure(first);
  std::remove_reference_t<R>* none;
  asm("" : "=r"(none));
  return static_cast<R&&>(*none);
}

template <class F>
SENNIT_INLINE branch_result<F> call_first(F&& first) {
  if constexpr (std::is_nothrow_invocable_v<F>) {
    return call_branch(std::forward<F>(first));
  } else {
    kept_failure thrown;
    try {
      return call_branch(std::forward<F>(first));
    } catch (...) {
      thrown = end_given();
    }
    // Not in the handler, which a throw would have to end first.
    return throw_failure_for<branch_result<F>>(thrown);
  }
}

#else

template <class F>
SENNIT_INLINE branch_result<F> call_first(F&& first) {
  return call_branch(std::forward<F>(first));
}

#endif

}  // namespace detail

// The compiler sees a jump that may be taken behind the first call. What the second one needs is then in registers that calls
// keep, or in the frame. The macro's further arguments are registers that have no result of the first call.
#if defined(__x86_64__) && !defined(SENNIT_NO_PROMOTION_POINTS)
#define SENNIT_BEHIND_LATENT_CALL(label, ...)                                                                \
  asm inline goto("# sennit_promotion_point %l0 0 behind_latent_call" SENNIT_PROMOTION_POINT_REFUSAL         \
                  :                                                                                          \
                  :                                                                                          \
                  : "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",   \
                    "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",                     \
                    "xmm15" __VA_OPT__(, ) __VA_ARGS__                                                       \
                  : label)
#else
#define SENNIT_BEHIND_LATENT_CALL(label, ...) static_cast<void>(0)
#endif

namespace detail {

template <class F, class G>
consteval bool check_latent_call() {
  using result = std::invoke_result_t<G&>;
  constexpr bool refers = std::is_reference_v<result>;
  static_assert(
      !refers,
      "latent_join: the second call returns a reference, which may refer to what it has captured, and "
      "that is a copy if a beat comes; return a value or a pointer");
  constexpr bool returns = refers || returnable<G&>;
  static_assert(
      returns,
      "latent_join: what the second call returns can be neither moved nor copied; return a pointer to it");
  static_assert(
      returnable<F>,
      "latent_join: what the first call returns can be neither moved nor copied; return a pointer to it");
  if constexpr (!std::is_function_v<G>) {
    static_assert(alignof(G) <= largest_alignment,
                  "latent_join: the second call captures an object that is aligned to more than 16 "
                  "bytes; let it capture a reference");
    static_assert(sizeof(G) <= most_of_closure,
                  "latent_join: the second call captures more than 512 bytes; let it capture a reference");
    static_assert(
        std::is_trivially_copyable_v<G>,
        "latent_join: the second call captures an object that cannot be copied bit by bit; let it capture "
        "numbers, references, pointers or views");
  }
  return !refers && returns && returnable<F>;
}

template <class F, class G>
SENNIT_INLINE void latent_calls(F&& first, G& second) {
  call_first(std::forward<F>(first));
  SENNIT_BEHIND_LATENT_CALL(promoted, "rax", "rdx", "xmm0", "xmm1");
  if (false) {
  [[maybe_unused]] promoted:
    [[unlikely]] if (auto* const given = meet_latent_point_with(second)) {
      given->take();
      return;
    }
  }
  second();
}

template <class F, class G>
SENNIT_INLINE auto latent_values(F&& first, G& second) {
  using both = std::tuple<branch_result<F>, branch_result<G&>>;
  branch_result<F> left = call_first(std::forward<F>(first));
  SENNIT_BEHIND_LATENT_CALL(promoted);
  if (false) {
  [[maybe_unused]] promoted:
    [[unlikely]] if (auto* const given = meet_latent_point_with(second))
      return both(std::forward<branch_result<F>>(left), given->take());
  }
  return both(std::forward<branch_result<F>>(left), call_branch<G&>(second));
}

}  // namespace detail

// Calls first(), then second(), and returns a std::tuple of the results, with std::monostate for void; or nothing if both return
// nothing. If a beat comes while first() runs, second() may become a task: that of the oldest latent_join on the strand's
// stack does. Then latent_join waits for the task.
//
// Without beats these are two calls, with the instructions of two calls: nothing is stored for the second one. When a beat
// comes, it is found by the return address of the first one. So the first call has to be a call, and the last one in `first`: what
// follows may compute a number from the result, and neither decide by it nor store it. In a call that the compiler inlines, the second one
// is not found. Give a recursive function [[gnu::noinline]]. Let `second` capture what it needs by value: numbers, pointers, references to what
// outlives the caller, views. It is copied bit by bit when a beat comes, so what it captures is trivially copyable, and
// what it returns is a value that can be moved. A frame of more than 16 KiB is
// not asked, nor is one more than 1 MiB out on a stack that is a thread's own.
//
// The target is compiled with sennit_rollforward(target), or with SENNIT_NO_PROMOTION_POINTS, and then takes no beat; otherwise
// it does not link. What `second` does may run at the same time
// as what `first` does, on another thread. Throws what first() throws, or else what second() throws: as plain calls. If first()
// throws, a task that has begun is waited for. Where a beat comes, it throws what task_group::spawn() throws: std::bad_alloc, and
// sennit::cancelled in a cancelled region. Thread-safety: any thread may call it. Cost: none. A beat costs a look at each frame
// of the stack, a task and an allocation. An exception of first() is thrown anew.
//
// Example:
//   struct tree {
//     const tree* left;
//     const tree* right;
//     long value;
//   };
//
//   [[gnu::noinline]] long sum(const tree* t) {
//     if (t == nullptr) return 0;
//     const auto [a, b] = sennit::latent_join([=] { return sum(t->left); }, [=] { return sum(t->right); });
//     return a + b + t->value;
//   }
template <detail::branch F, class G>
  requires detail::branch<G&>
SENNIT_INLINE auto latent_join(F&& first, G&& second) {
  if constexpr (detail::check_latent_call<F, std::remove_reference_t<G>>()) {
    if constexpr (std::is_function_v<std::remove_reference_t<G>>) {
      return latent_join(std::forward<F>(first), &second);
    } else if constexpr (detail::return_nothing<F, G&>) {
      detail::latent_calls<F>(std::forward<F>(first), second);
    } else {
      return detail::latent_values<F>(std::forward<F>(first), second);
    }
  }
}
template <class... Arguments>
void latent_join(const Arguments&...) {
  static_assert(
      detail::never<Arguments...>,
      "latent_join: an argument is not a function that is called without arguments, or there are not "
      "two; let the functions capture what they need, as in latent_join([=] { f(x); }, [=] { g(y); })");
}

}  // namespace sennit

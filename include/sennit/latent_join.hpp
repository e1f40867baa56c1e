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

// The frame is not to be unwound: it is asked while its first call goes on.
template <class G, std::same_as<std::uintptr_t>... Words>
void answer_with(latent_request& request, const void* frame, Words... words) noexcept {
  const std::uintptr_t all[] = {request.in_frame(words)..., 0};
  alignas(G) unsigned char second[sizeof(G)];
  std::memcpy(second, all, sizeof(G));
#if SENNIT_EXCEPTIONS
  try {
    request.given = give_call(frame, *std::launder(reinterpret_cast<const G*>(second)));
  } catch (...) {
    request.failure = std::current_exception();
  }
#else
  request.given = give_call(frame, *std::launder(reinterpret_cast<const G*>(second)));
#endif
}

// Behind the first call, or during it. Returns what has been given away. The closure comes word by word: a copy of it would
// have to be in memory.
template <class G, std::same_as<std::uintptr_t>... Words>
SENNIT_COLD given_call<G>* meet_latent_point(Words... words) {
  const void* const own = __builtin_frame_address(0);
  if (latent_request* const request = take_latent_request()) {
    const std::uintptr_t below = request->copy - reinterpret_cast<std::uintptr_t>(own);
    answer_with<G>(*request, reinterpret_cast<const void*>(request->begin - below), words...);
    answer_latent_request(*request);
  }
  if (given_part* const given = take_given(own)) return static_cast<given_call<G>*>(given);
  give_oldest_call();
  return nullptr;
}

template <std::size_t I, class G>
SENNIT_INLINE std::uintptr_t word_of(const G& second) noexcept {
  constexpr std::size_t at = I * sizeof(std::uintptr_t);
  std::uintptr_t word = 0;
  std::memcpy(&word, reinterpret_cast<const unsigned char*>(&second) + at,
              std::min(sizeof(word), sizeof(second) - at));
  return word;
}

template <class G, std::size_t... I>
SENNIT_INLINE given_call<G>* meet_latent_point(const G& second, std::index_sequence<I...>) {
  return meet_latent_point<G>(word_of<I>(second)...);
}

inline constexpr std::size_t most_of_closure = 512;

template <class G>
using words_of = std::make_index_sequence<(sizeof(G) + sizeof(std::uintptr_t) - 1) / sizeof(std::uintptr_t)>;

// What was thrown by the first call comes before it. Where meet_latent_point() found its frame, there were arguments above:
// the words of the closure. Deeper frames have been left.
template <class G>
SENNIT_COLD void drop_given() noexcept {
  constexpr std::size_t alignment = 2;
  const auto* own = static_cast<void* const*>(__builtin_frame_address(0));
  given_part* found = nullptr;
  for (std::size_t i = 0; i <= words_of<G>::size() + alignment && found == nullptr; ++i)
    found = take_given(own - i);
  const std::unique_ptr<given_part> given(found);
  if (given == nullptr) return;
  given->drop();
#if SENNIT_EXCEPTIONS
  try {
    given->wait();
  } catch (...) {
  }
#else
  given->wait();
#endif
}

template <class G, class F>
SENNIT_INLINE branch_result<F> call_first(F&& first) {
#if SENNIT_EXCEPTIONS
  if constexpr (!std::is_nothrow_invocable_v<F>) {
    try {
      return call_branch(std::forward<F>(first));
    } catch (...) {
      drop_given<G>();
      throw;
    }
  }
#endif
  return call_branch(std::forward<F>(first));
}

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
SENNIT_INLINE void latent_calls(F&& first, G& second) {
  call_first<G>(std::forward<F>(first));
  SENNIT_BEHIND_LATENT_CALL(promoted, "rax", "rdx", "xmm0", "xmm1");
  if (false) {
  [[maybe_unused]] promoted:
    [[unlikely]] if (auto* const given = meet_latent_point(second, words_of<G>())) {
      given->take();
      return;
    }
  }
  second();
}

template <class F, class G>
SENNIT_INLINE auto latent_values(F&& first, G& second) {
  using both = std::tuple<branch_result<F>, branch_result<G&>>;
  branch_result<F> left = call_first<G>(std::forward<F>(first));
  SENNIT_BEHIND_LATENT_CALL(promoted);
  if (false) {
  [[maybe_unused]] promoted:
    [[unlikely]] if (auto* const given = meet_latent_point(second, words_of<G>()))
      return both(std::move(left), given->take());
  }
  return both(std::move(left), call_branch<G&>(second));
}

}  // namespace detail

// Calls first(), then second(), and returns a std::tuple of the results, with std::monostate for void; or nothing if both return
// nothing. If a beat comes while first() runs, second() may become a task: that of the oldest latent_join on the strand's
// stack does. Then latent_join waits for the task.
//
// Without beats these are two calls, with the instructions of two calls: nothing is stored for the second one. When a beat
// comes, it is found by the return address of the first one. So the first call has to be a call, and the last thing that `first`
// does: in a call that the compiler inlines, or behind which `first` computes more, the second one is not found. Give a
// recursive function [[gnu::noinline]]. Let `second` capture what it needs by value: numbers, pointers, references to what
// outlives the caller, views. It is copied bit by bit, so what it captures is trivially copyable. A frame of more than 16 KiB is
// not asked, nor is one more than 1 MiB out on a stack that is a thread's own.
//
// The target is compiled with sennit_rollforward(target), or with SENNIT_NO_PROMOTION_POINTS, and then takes no beat; otherwise
// it does not link. What `second` does may run at the same time
// as what `first` does, on another thread. Throws what first() throws, or else what second() throws: as plain calls. If first()
// throws, a task that has begun is waited for. Where a beat comes, it throws what task_group::spawn() throws: std::bad_alloc, and
// sennit::cancelled in a cancelled region. Thread-safety: any thread may call it. Cost: none; clang does not save registers
// later than at a function's begin if the function has a latent_join. A beat costs a look at each frame of the stack, a task and an
// allocation.
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
template <detail::branch F, detail::branch G>
SENNIT_INLINE auto latent_join(F&& first, G second) {
  static_assert(alignof(G) <= 16,
                "latent_join: the second call captures an object that is aligned to more than 16 "
                "bytes; let it capture a reference");
  static_assert(sizeof(G) <= detail::most_of_closure,
                "latent_join: the second call captures more than 512 bytes, which are passed word by word; "
                "let it capture a "
                "reference");
  static_assert(
      std::is_trivially_copyable_v<G>,
      "latent_join: the second call captures an object that cannot be copied bit by bit; let it capture "
      "numbers, references, pointers or views");
  if constexpr (detail::return_nothing<F, G>) {
    detail::latent_calls<F>(std::forward<F>(first), second);
  } else {
    return detail::latent_values<F>(std::forward<F>(first), second);
  }
}

}  // namespace sennit

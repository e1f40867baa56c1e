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

// The frame's caller is not to be unwound: the frame is asked while its first call goes on.
template <class G>
void give_call(latent_request& request, const G& second) noexcept {
#if SENNIT_EXCEPTIONS
  try {
    auto made = std::make_unique<given_call<G>>(second);
    made->start();
    request.given = made.release();
  } catch (...) {
    request.failure = std::current_exception();
  }
#else
  auto made = std::make_unique<given_call<G>>(second);
  made->start();
  request.given = made.release();
#endif
}

// Behind the first call, or during it. Returns what has been given away. The closure comes word by word, in registers: a
// copy of it would be in the frame, perhaps where the first call finds an object that belongs to its own arguments.
template <class G, std::same_as<std::uintptr_t>... Words>
SENNIT_COLD given_call<G>* meet_latent_point(const void* frame, Words... words) {
  if (latent_request* const request = take_latent_request()) {
    const std::uintptr_t all[] = {words..., 0};
    alignas(G) unsigned char second[sizeof(G)];
    std::memcpy(second, all, sizeof(G));
    give_call(*request, *std::launder(reinterpret_cast<const G*>(second)));
    answer_latent_request(*request);
  }
  if (given_part* const given = take_given(frame)) return static_cast<given_call<G>*>(given);
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
  return meet_latent_point<G>(__builtin_frame_address(0), word_of<I>(second)...);
}

template <class G>
using words_of = std::make_index_sequence<(sizeof(G) + sizeof(std::uintptr_t) - 1) / sizeof(std::uintptr_t)>;

// What was thrown by the first call comes before it.
SENNIT_COLD inline void drop_given(const void* frame) noexcept {
  const std::unique_ptr<given_part> given(take_given(frame));
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

template <class F>
SENNIT_INLINE branch_result<F> call_first(F&& first) {
#if SENNIT_EXCEPTIONS
  if constexpr (!std::is_nothrow_invocable_v<F>) {
    try {
      return call_branch(std::forward<F>(first));
    } catch (...) {
      drop_given(__builtin_frame_address(0));
      throw;
    }
  }
#endif
  return call_branch(std::forward<F>(first));
}

}  // namespace detail

// The compiler sees a jump that may be taken behind the first call, with the values that the second one needs in registers that
// calls keep, or in the frame. `results` are the registers that may have what the call returned.
#if defined(__x86_64__) && !defined(SENNIT_NO_PROMOTION_POINTS)
#define SENNIT_BEHIND_LATENT_CALL(label, ...)                                                                \
  asm inline goto("# sennit_promotion_point %l0 0 behind_latent_call"                                        \
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
  call_first(std::forward<F>(first));
  SENNIT_BEHIND_LATENT_CALL(promoted, "rax", "rdx", "xmm0", "xmm1");
  if (false) {
  promoted:
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
  branch_result<F> left = call_first(std::forward<F>(first));
  SENNIT_BEHIND_LATENT_CALL(promoted);
  if (false) {
  promoted:
    [[unlikely]] if (auto* const given = meet_latent_point(second, words_of<G>()))
      return both(std::move(left), given->take());
  }
  return both(std::move(left), call_branch<G&>(second));
}

}  // namespace detail

// Calls first(), then second().
template <detail::branch F, detail::branch G>
SENNIT_INLINE auto latent_join(F&& first, G second) {
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

// reducer: a value that parallel code adds to from anywhere, as if it ran in order.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/view.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

// combine(left, right), which gives the value of both in this order, or appends the right one to the left one.
template <class F, class T>
concept reducer_operation =
    std::movable<T> && ((std::invocable<F&, T&, T> && std::is_void_v<std::invoke_result_t<F&, T&, T>>) ||
                        (std::invocable<F&, T, T> && std::convertible_to<std::invoke_result_t<F&, T, T>, T>));

template <class F, class T>
concept identity_maker = std::invocable<F&> && std::convertible_to<std::invoke_result_t<F&>, T>;

template <class T>
struct made_by_default {
  T operator()() const { return T(); }
};

template <class T>
struct copies_of {
  T value;
  T operator()() const { return value; }
};

// Lives as long as the reducer or any view of it.
template <class T, class Combine, class Make>
class reducer_state {
 public:
  reducer_state(Make m, Combine c) : make(std::move(m)), combine(std::move(c)) {}

  Make make;
  Combine combine;
  std::mutex lock;           // guards what follows
  std::optional<T> earlier;  // what threads that have ended left
  std::exception_ptr failure;

  void appended(T& left, T&& right) noexcept {
#if SENNIT_EXCEPTIONS
    try {
      append(left, std::move(right));
    } catch (...) {
      const std::lock_guard guard(lock);
      if (!failure) failure = std::current_exception();
    }
#else
    append(left, std::move(right));
#endif
  }

  void append(T& left, T&& right) {
    if constexpr (std::invocable<Combine&, T&, T>) {
      if constexpr (std::is_void_v<std::invoke_result_t<Combine&, T&, T>>) {
        std::invoke(combine, left, std::move(right));
        return;
      }
    }
    if constexpr (std::invocable<Combine&, T, T>) {
      if constexpr (!std::is_void_v<std::invoke_result_t<Combine&, T, T>>) {
        left = static_cast<T>(std::invoke(combine, std::move(left), std::move(right)));
      }
    }
  }
};

template <class T, class State>
class reducer_view final : public view {
 public:
  explicit reducer_view(std::shared_ptr<State> whole)
      : view(whole.get()), value(std::invoke(whole->make)), whole_(std::move(whole)) {}

  void append(view& right) noexcept override {
    whole_->appended(value, std::move(static_cast<reducer_view&>(right).value));
  }
  void give_up() noexcept override {
    std::optional<T> before;
    {
      const std::lock_guard guard(whole_->lock);
      before.swap(whole_->earlier);
    }
    if (before) {
      whole_->appended(*before, std::move(value));
      value = *std::move(before);
    }
    const std::lock_guard guard(whole_->lock);
    whole_->earlier.emplace(std::move(value));
  }

  T value;

 private:
  std::shared_ptr<State> whole_;
};

}  // namespace detail

// A value that parallel code adds to from anywhere: branches, children, iterations, and what they call. Each strand has
// a view of its own, made when it first asks for one; where strands come together, their views are combined in the order
// in which the program would have run serially. So combine() must be associative but need not be commutative, and the
// value is what the serial program computes.
//
//   reducer<T>                          combined by +, beginning with T()
//   reducer<T, Combine>(combine)        beginning with T()
//   reducer(identity, combine)          beginning with copies of `identity`
//   reducer(make, combine)              beginning with make(), for types that cannot be copied
//
// combine(T&, T&&) appends the right value to the left one, or combine(T, T) returns the value of both. The identity
// must be one: combined with x, on either side, it gives x. Both functions may be called by several threads at once.
//
// It is the reducer hyperobject of Cilk++ (Frigo, Halpern, Leiserson and Lewin-Berlin, "Reducers and other Cilk++
// hyperobjects", 2009). Cost: view() walks the list of the strand's views, a nanosecond for the first few reducers. A
// view is made, and combined, only for strands that were stolen and asked for it; programs without reducers pay nothing.
//
// Example:
//   #include <string>
//   #include <vector>
//
//   std::vector<std::string> long_words(const std::vector<std::string>& words) {
//     sennit::reducer found(std::vector<std::string>(), [](auto& left, auto&& right) {
//       left.insert(left.end(), right.begin(), right.end());
//     });
//     sennit::parallel_for(words, [&](const std::string& word) {
//       if (word.size() > 10) found->push_back(word);
//     });
//     return std::move(found.value());  // in the order of `words`
//   }
template <class T, class Combine = std::plus<>, class Make = detail::made_by_default<T>>
  requires detail::reducer_operation<Combine, T> && detail::identity_maker<Make, T>
class reducer {
 public:
  reducer()
    requires std::default_initializable<Combine> && std::default_initializable<Make>
      : reducer(Make(), Combine()) {}
  explicit reducer(Combine combine)
    requires std::default_initializable<Make>
      : reducer(Make(), std::move(combine)) {}
  reducer(Make make, Combine combine)
      : state_(std::make_shared<state>(std::move(make), std::move(combine))) {}
  reducer(T identity, Combine combine)
    requires std::same_as<Make, detail::copies_of<T>>
      : reducer(Make{std::move(identity)}, std::move(combine)) {}
  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;
  // Precondition: all parallel code that uses it has ended. If there is some all the same, what it adds is lost.
  ~reducer() { delete detail::remove_view(state_.get()); }

  // The calling strand's view. It is the strand's until its next construct (a join, spawn, wait or parallel loop):
  // afterwards ask anew. Throws what making the identity throws.
  SENNIT_INLINE T& view() {
    detail::view* const mine = detail::find_view(state_.get());
    return (mine != nullptr ? static_cast<part*>(mine) : added())->value;
  }
  T& operator*() { return view(); }
  T* operator->() { return std::addressof(view()); }

  // All that was added. To be asked where no parallel code adds to it: in a branch or an iteration it is only what the
  // strand knows of. Throws what combine() threw, if it did: then views are missing.
  T& value() {
    T& mine = view();
    const std::lock_guard guard(state_->lock);
#if SENNIT_EXCEPTIONS
    if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, nullptr));
#endif
    if (!state_->earlier) return mine;
    T before = *std::exchange(state_->earlier, std::nullopt);
    state_->append(before, std::move(mine));
    return mine = std::move(before);
  }

 private:
  using state = detail::reducer_state<T, Combine, Make>;
  using part = detail::reducer_view<T, state>;

  SENNIT_COLD part* added() {
    auto made = std::make_unique<part>(state_);
    detail::add_view(*made);
    return made.release();
  }

  std::shared_ptr<state> state_;
};

template <class T, class Combine>
  requires(!detail::identity_maker<T, T> && detail::reducer_operation<Combine, T>)
reducer(T, Combine) -> reducer<T, Combine, detail::copies_of<T>>;
template <class Make, class Combine>
  requires std::invocable<Make&>
reducer(Make, Combine) -> reducer<std::invoke_result_t<Make&>, Combine, Make>;

}  // namespace sennit

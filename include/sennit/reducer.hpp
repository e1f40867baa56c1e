// SPDX-License-Identifier: Apache-2.0
// reducer: a value to which parallel code adds from anywhere, as if the code ran in serial order.
#pragma once

#include <sennit/detail/algorithm/combine.hpp>
#include <sennit/detail/algorithm/laws.hpp>
#include <sennit/detail/algorithm/operations.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/view.hpp>
#include <sennit/detail/misuse.hpp>

#include <atomic>
#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

template <class F, class T>
concept reducer_operation = std::movable<T> && combines<F, T>;

// What views begin with, if not with a function's result: the known identity of the operation, or copies of
// a value.
struct known_identity {};
template <class T>
struct copies_of {
  T value;
  T operator()() const
    requires std::copy_constructible<T>
  {
    return value;
  }
};
template <class Make>
concept knowing = std::same_as<Make, known_identity>;
template <class Make>
inline constexpr bool is_copying = false;
template <class T>
inline constexpr bool is_copying<copies_of<T>> = true;
template <class Make>
concept copying_maker = is_copying<Make>;

template <class T, class Combine>
using default_maker = std::conditional_t<knows_identity<Combine, T>, known_identity, copies_of<T>>;

template <class F, class T>
concept identity_maker =
    knowing<F> || (std::invocable<F&> && std::convertible_to<std::invoke_result_t<F&>, T>);

template <class T, class Combine, class Make>
struct reducer_state : reducer_base {
  reducer_state(Make m, Combine c) : make(std::move(m)), combine(std::move(c)) {}
  ~reducer_state() { end_views(left.load(std::memory_order_relaxed)); }

  T identity() {
    if constexpr (knowing<Make>) {
      return identity_of<T>(combine);
    } else {
      return std::invoke(make);
    }
  }

  [[no_unique_address]] Make make;
  Combine combine;
};

template <class T, class State>
class reducer_view final : public view {
 public:
  explicit reducer_view(const std::shared_ptr<State>& whole)
      : view(whole), value(whole->identity()), whole_(*whole) {}

  void append(view& base) noexcept override {
    auto& right = static_cast<reducer_view&>(base);
#if SENNIT_EXCEPTIONS
    try {
      combine_into(whole_.combine, value, std::move(right.value));
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
    if (!failure) failure = std::move(right.failure);
#else
    combine_into(whole_.combine, value, std::move(right.value));
#endif
  }

  T value;
  std::exception_ptr failure;  // what combine() threw first, in the order of the strands

 private:
  State& whole_;
};

}  // namespace detail

// A value to which parallel code adds from anywhere: branches, children, iterations, and the functions that
// these call. Each strand has its own view, made when the strand first asks for it. Where strands join,
// their views are combined in the order of the serial program. So combine() must be associative but need not
// be commutative, and the value is that of the serial program.
//
//   reducer<T>                            combined by +, beginning with T()
//   reducer<T, Combine>                   by an operation whose identity is known, beginning with that
//   reducer<T, Combine>(value)            likewise, and `value` counts once, before all that is added
//   reducer(value, combine)
//   reducer(identity, combine)            any other combine, beginning with copies of `identity`
//   reducer(make, combine)                beginning with make(), for types that cannot be copied
//
// combine(T&, T&&) appends the right value to the left one, or combine(T, T) returns the combined value.
//
// The library knows the identities of std::plus<>, std::multiplies<>, std::bit_and<>, std::bit_or<>,
// std::bit_xor<>, std::logical_and<> and std::logical_or<>, and for numbers of decltype(std::ranges::min)
// and decltype(std::ranges::max). An operation of the program can state its identity by a member T
// identity() const. For any other operation the program passes the identity: a value that gives x when
// combined with x, on either side. If a T can be compared, the constructor combines the value with itself
// once, and ends the program if the result differs.
//
// Several threads may call combine and make at once. Both may fork and use other reducers, but not in a
// circle: if the combine() of each of two reducers adds to the other, the program never ends. Neither may
// spawn into a task_group for which the program waits. Children of a group combine what was added before
// them, whether or not they use the reducer. So if the program spawns into a group between uses of the
// reducer, the reducer must live until that group has been waited for.
//
// The order is that of the serial program, with two exceptions. If a strand has several task_groups open at
// once, and spawns in or waits for a group other than the latest, only the children within each group are in
// order. What threads outside any runtime add comes in the order in which these threads end, before what the
// thread that reads the value has added.
//
// The class is the reducer hyperobject of Cilk++ (Frigo, Halpern, Leiserson and Lewin-Berlin, "Reducers and
// other Cilk++ hyperobjects", 2009). Cost: view() walks the list of the strand's views, which takes about a
// nanosecond for the first few reducers. A view is made, and later combined, for each strand that asks for
// one: a stolen branch, a stolen part of a loop, and each child of a task_group. Programs without reducers
// pay nothing.
//
// Example:
//   #include <sennit/parallel_for.hpp>
//
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
template <class T, class Combine = std::plus<>, class Make = detail::default_maker<T, Combine>>
class reducer {
  // Assertions rather than constraints of the class: if the arguments are deduced, messages would not name
  // the concept.
  static_assert(
      detail::reducer_operation<Combine, T>,
      "reducer: Combine does not combine two values of T; give an operation that appends the right one to "
      "the left one, or returns the value of both, as in reducer(T(), [](T& left, T&& right) { ... })");
  static_assert(!detail::never_associates<Combine>, "reducer: Combine is not associative, as it has to be");
  static_assert(detail::identity_maker<Make, T>,
                "reducer: Make makes no T; give a function that returns what each view begins with");

 public:
  reducer()
    requires(!detail::copying_maker<Make>) && std::default_initializable<Combine> &&
            std::default_initializable<Make>
      : reducer(own_tag(), Make(), Combine()) {}
  explicit reducer(Combine combine)
    requires(!detail::copying_maker<Make>) && std::default_initializable<Make>
      : reducer(own_tag(), Make(), std::move(combine)) {}
  template <class... Given>
    requires detail::copying_maker<Make> &&
             (sizeof...(Given) == 0 ||
              (std::same_as<std::remove_cv_t<Given>, std::remove_cv_t<Combine>> && ...))
  explicit reducer(Given...) {
    static_assert(
        detail::never<Given...>,
        "reducer: the identity of Combine is not known; give it, as in reducer<T, Combine>(identity), or let "
        "Combine say it by a function T identity() const");
  }

  explicit reducer(T value)
    requires detail::knowing<Make> && std::default_initializable<Combine>
      : reducer(std::move(value), Combine()) {}
  reducer(T value, Combine combine)
    requires detail::knowing<Make>
      : reducer(own_tag(), Make(), std::move(combine)) {
    own().value = std::move(value);
  }
  // Precondition: `identity` is an identity of the operation.
  explicit reducer(T identity, std::source_location where = std::source_location::current())
    requires detail::copying_maker<Make> && std::default_initializable<Combine>
      : reducer(std::move(identity), Combine(), where) {}
  reducer(T identity, Combine combine, std::source_location where = std::source_location::current())
    requires detail::copying_maker<Make>
      : reducer(own_tag(), Make{std::move(identity)}, std::move(combine)) {
    if (!detail::may_be_identity(state_->make.value, state_->combine)) [[unlikely]] {
      detail::misuse("reducer: the value that views are to begin with is no identity of the operation, which "
                     "changes it when it is combined with itself, so it would count once for each view; give "
                     "an identity, such as 0 for a sum, and add your value",
                     where);
    }
  }
  reducer(Make make, Combine combine)
    requires(!detail::copying_maker<Make> && !detail::knowing<Make>)
      : reducer(own_tag(), std::move(make), std::move(combine)) {}
  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;
  // Precondition: all parallel code that uses the reducer has ended. Values that still running threads have
  // added are lost.
  ~reducer() {
    state_->ended.store(true, std::memory_order_relaxed);
    delete detail::remove_view(state_.get());
  }

  // The calling strand's view. The reference stays valid across joins, loops and calls. It does not stay
  // valid across value(), nor across spawn() or wait() of a task_group that the strand has begun: call
  // view() again after these. Branches, children and iterations call view() themselves. Throws what making
  // the identity throws.
  SENNIT_INLINE T& view() { return own().value; }
  T& operator*() { return view(); }
  T* operator->() { return std::addressof(view()); }

  // The sum of all that was added. Before the call, parallel code that adds to the reducer must have ended,
  // groups must have been waited for, and threads must have been joined; otherwise the value has only what
  // the calling strand knows of. If combine() threw, value() throws that exception once; the value is then
  // incomplete.
  T& value() {
    if (state_->left.load(std::memory_order_relaxed) != nullptr) detail::recall_views(state_);
    part& mine = own();
#if SENNIT_EXCEPTIONS
    if (mine.failure) std::rethrow_exception(std::exchange(mine.failure, nullptr));
#endif
    return mine.value;
  }

 private:
  using state = detail::reducer_state<T, Combine, Make>;
  using part = detail::reducer_view<T, state>;
  struct own_tag {};

  // Not make_shared(): one of its symbols is unique in the process, and would keep a shared object from
  // being unloaded.
  reducer(own_tag, Make make, Combine combine) : state_(new state(std::move(make), std::move(combine))) {}

  SENNIT_INLINE part& own() {
    detail::view* const mine = detail::find_view(state_.get());
    if (mine == nullptr) [[unlikely]]
      return added();
    return static_cast<part&>(*mine);
  }
  SENNIT_COLD part& added() {
    auto made = std::make_unique<part>(state_);
    detail::add_view(*made);
    return *made.release();
  }

  std::shared_ptr<state> state_;
};

template <class T, class Combine>
  requires(!std::invocable<T&>)
reducer(T, Combine) -> reducer<T, Combine>;
template <class T>
reducer(T) -> reducer<T>;
template <class Make, class Combine>
  requires std::invocable<Make&>
reducer(Make, Combine) -> reducer<std::invoke_result_t<Make&>, Combine, Make>;

}  // namespace sennit

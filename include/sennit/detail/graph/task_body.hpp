// SPDX-License-Identifier: Apache-2.0
// What a task does, and what it returns, as they lie in the memory of its graph.
#pragma once

#include <sennit/detail/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

using task_number = std::uint32_t;
class tasks_of_graph;

// The successors that a task has chosen, as their positions in the order in which they were given.
class chosen_successors {
 public:
  void clear() noexcept { positions_.clear(); }
  // No successor has a position below zero.
  template <std::integral Position>
  void add(Position p) {
    if (std::in_range<std::size_t>(p)) positions_.push_back(static_cast<std::size_t>(p));
  }
  const std::vector<std::size_t>& positions() const noexcept { return positions_; }

 private:
  std::vector<std::size_t> positions_;
};

// How a task is called. `chosen` is null unless the task chooses.
struct task_code {
  void (*run)(void* body, chosen_successors* chosen);
  void* body;
};

// Whether a copy of a T compiles. Containers say that they can be copied also where their elements cannot.
template <class T>
struct copies : std::is_copy_constructible<T> {};
template <class T>
inline constexpr bool can_be_copied = copies<T>::value;
template <class T>
  requires requires(const T& t) {
    typename T::value_type;
    requires !std::is_same_v<typename T::value_type, T>;
    t.begin();
  }
struct copies<T>
    : std::bool_constant<std::is_copy_constructible_v<T> && can_be_copied<typename T::value_type>> {};
template <class A, class B>
struct copies<std::pair<A, B>> : std::bool_constant<can_be_copied<A> && can_be_copied<B>> {};
template <class... Part>
struct copies<std::tuple<Part...>> : std::bool_constant<(can_be_copied<Part> && ...)> {};

// The result of a task, for its readers.
class SENNIT_EXPORT task_value_state {
 public:
  task_value_state(const tasks_of_graph& graph, task_number task) noexcept : graph_(graph), task_(task) {}
  // One more task reads the value. `takes`: this one can have no other beside it, because it takes a value that
  // cannot be copied. Throws std::logic_error.
  void add_reader(task_number reader, bool takes);
  // The reader was not added after all. Precondition: no other has been added since.
  void remove_reader(bool takes) noexcept;
  void keep() noexcept { kept_ = true; }

 protected:
  ~task_value_state() = default;
  bool has_one_reader() const noexcept { return readers_ == 1 && !kept_; }
  [[noreturn]] SENNIT_COLD void throw_missing() const;
  [[noreturn]] SENNIT_COLD void throw_uncopied() const;

 private:
  const tasks_of_graph& graph_;
  const task_number task_;
  std::uint32_t readers_ = 0;
  task_number first_reader_ = 0;
  bool taken_ = false;  // by its only reader
  bool kept_ = false;
};

template <class T>
class task_value : public task_value_state {
 public:
  using task_value_state::task_value_state;

  template <class Make>
  void put(Make&& make) {
    value_.emplace(std::forward<Make>(make)());
  }
  const T& look() const {
    if (!value_) [[unlikely]]
      throw_missing();
    return *value_;
  }
  // The value itself for the only reader, and a copy for each of several.
  T take() {
    const T& there = look();
    if constexpr (std::is_trivially_copyable_v<T> && can_be_copied<T>) return there;
    if (has_one_reader()) {
      T taken = std::move(*value_);
      value_.reset();
      return taken;
    }
    if constexpr (can_be_copied<T>) {
      return there;
    } else {
      throw_uncopied();
    }
  }

 private:
  std::optional<T> value_;
};

// The types of a function's parameters, where the function has no overloads and is no template.
template <class...>
struct parameter_list {};
template <class F>
struct parameters_of;
template <class R, class... P>
struct parameters_of<R(P...)> {
  using type = parameter_list<P...>;
};
template <class R, class... P>
struct parameters_of<R(P...) noexcept> : parameters_of<R(P...)> {};
template <class R, class C, class... P>
struct parameters_of<R (C::*)(P...)> : parameters_of<R(P...)> {};
template <class R, class C, class... P>
struct parameters_of<R (C::*)(P...) const> : parameters_of<R(P...)> {};
template <class R, class C, class... P>
struct parameters_of<R (C::*)(P...) noexcept> : parameters_of<R(P...)> {};
template <class R, class C, class... P>
struct parameters_of<R (C::*)(P...) const noexcept> : parameters_of<R(P...)> {};

template <class F>
constexpr auto find_parameters() {
  if constexpr (requires { &F::operator(); }) {
    return typename parameters_of<decltype(&F::operator())>::type();
  } else if constexpr (std::is_function_v<std::remove_pointer_t<F>>) {
    return typename parameters_of<std::remove_pointer_t<F>>::type();
  } else {
    return parameter_list<>();
  }
}

template <std::size_t I, class List>
struct parameter_at {
  using type = void;
};
template <class First, class... More>
struct parameter_at<0, parameter_list<First, More...>> {
  using type = First;
};
template <std::size_t I, class First, class... More>
  requires(I > 0)
struct parameter_at<I, parameter_list<First, More...>> : parameter_at<I - 1, parameter_list<More...>> {};

// Whether the I-th parameter of F takes a T, by value or as an rvalue; otherwise the function looks at it.
template <class F, std::size_t I, class T>
consteval bool takes_value() {
  using parameter = typename parameter_at<I, decltype(find_parameters<F>())>::type;
  return std::is_same_v<std::remove_cv_t<parameter>, T> || std::is_same_v<parameter, T&&>;
}
template <class F, std::size_t I, class T>
using passed_value = std::conditional_t<takes_value<F, I, T>(), T, const T&>;

template <class F, class Indexes, class... From>
struct task_call;
template <class F, std::size_t... I, class... From>
struct task_call<F, std::index_sequence<I...>, From...> {
  static constexpr bool possible = std::is_invocable_v<F&, passed_value<F, I, From>...>;
  template <class G>
  static decltype(auto) call(G& f, const std::tuple<task_value<From>*...>& from) {
    return std::invoke(f, read<I>(*std::get<I>(from))...);
  }
  // The readers of these values, for as long as it is not known whether the task is added.
  class reading {
   public:
    reading(const std::tuple<task_value<From>*...>& from, task_number reader) : from_(from) {
#if SENNIT_EXCEPTIONS
      try {
        add(reader);
      } catch (...) {
        remove();
        throw;
      }
#else
      add(reader);
#endif
    }
    reading(const reading&) = delete;
    reading& operator=(const reading&) = delete;
    ~reading() { remove(); }
    void keep() noexcept { count_ = 0; }

   private:
    void add([[maybe_unused]] task_number reader) {
      ((std::get<I>(from_)->add_reader(reader, takes<I, From>), ++count_), ...);
    }
    void remove() noexcept {
      ((I < count_ ? std::get<I>(from_)->remove_reader(takes<I, From>) : void()), ...);
    }
    const std::tuple<task_value<From>*...>& from_;
    std::size_t count_ = 0;
  };

 private:
  template <std::size_t K, class T>
  static constexpr bool takes = takes_value<F, K, T>() && !can_be_copied<T>;
  template <std::size_t K, class T>
  static passed_value<F, K, T> read(task_value<T>& value) {
    if constexpr (takes_value<F, K, T>()) {
      return value.take();
    } else {
      return value.look();
    }
  }
};

// F: the function. From: the types of the values that it is called with.
template <class F, class... From>
class task_body {
 public:
  using call = task_call<F, std::index_sequence_for<From...>, From...>;
  using values = std::tuple<task_value<From>*...>;
  using result = std::decay_t<decltype(call::call(std::declval<F&>(), std::declval<const values&>()))>;
  static constexpr bool has_value = !std::is_void_v<result>;
  struct no_value {
    no_value(const tasks_of_graph&, task_number) noexcept {}
  };
  using value_of_task = typename std::conditional_t<has_value, std::type_identity<task_value<result>>,
                                                    std::type_identity<no_value>>::type;

  template <class G>
  task_body(G&& f, values from, const tasks_of_graph& graph, task_number task)
      : function_(std::forward<G>(f)), from_(from), value_(graph, task) {}

  static void run(void* body, chosen_successors*) {
    auto& self = *static_cast<task_body*>(body);
    if constexpr (has_value) {
      self.value_.put([&]() -> decltype(auto) { return call::call(self.function_, self.from_); });
    } else {
      call::call(self.function_, self.from_);
    }
  }
  // What the function returns says which successors go on: a position, or a range of positions.
  static void choose(void* body, chosen_successors* chosen) {
    auto& self = *static_cast<task_body*>(body);
    auto&& answer = call::call(self.function_, self.from_);
    if constexpr (std::integral<std::remove_cvref_t<decltype(answer)>>) {
      chosen->add(answer);
    } else {
      for (const auto& successor : answer) chosen->add(successor);
    }
  }
  value_of_task& value() noexcept { return value_; }

 private:
  F function_;
  [[no_unique_address]] values from_;
  [[no_unique_address]] value_of_task value_;
};

template <class T>
concept position_of_one = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept positions =
    position_of_one<T> || (std::ranges::input_range<T> && position_of_one<std::ranges::range_value_t<T>>);

}  // namespace sennit::detail

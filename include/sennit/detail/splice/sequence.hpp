// SPDX-License-Identifier: Apache-2.0
// The interface between the constructs of splices and the library: calls, steps and sequences without their
// types.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/splice/forest.hpp>
#include <sennit/detail/splice/spliced_call.hpp>
#include <sennit/divided.hpp>
#include <sennit/effects.hpp>
#include <sennit/splice_report.hpp>
#include <sennit/splicing.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

class splice_log;

// One element of a sequence, which can be made into a call.
struct sequence_item {
  const void* object;
  void (*begin)(const void* object, spliced_call& in);
  void (*run)(const void* object);  // outside a splice
};

// Whether the calling strand is in a spliced function, outside its steps.
SENNIT_EXPORT bool in_spliced_call() noexcept;

// A step that is done in slices; the object is in the frame of the function that does the step.
class sliced_step {
 public:
  virtual bool next() = 0;  // cuts off the next slice; returns false if there is none
  virtual void run() = 0;   // does the slice
  // For a sliced_range: the slice and what follows it. Null for other parts.
  virtual const range* left() const noexcept = 0;
  virtual std::int64_t size() const noexcept = 0;  // for a sliced_range: of its slices
  // For a sliced_range: the effects of a part of it.
  virtual effects effects_of_part(range part) const = 0;
  // For a sliced_range: cuts the slice again, and from then on slices of the new size.
  virtual void cut(std::int64_t first, std::int64_t size) = 0;

  bool size_is_chosen = false;  // by the library
  effects now;                  // of the slice
  effects rest;                 // of the slice and all later ones

 protected:
  ~sliced_step() = default;
};
// A sliced step as a tree over what is left of it.
struct sliced_tree {
  range all;
  std::int64_t block;
  const sliced_step* step;
  effects effects_of(range part) const { return step->effects_of_part(part); }
};
SENNIT_EXPORT void declare_effects(const effects& all);  // does nothing outside a splice
SENNIT_EXPORT void end_effects(const effects& all) noexcept;
// Returns false, and does nothing, if the caller is not in a spliced call. fx: null for the effects of the call.
SENNIT_EXPORT bool run_step(const effects* fx, action body);
SENNIT_EXPORT bool run_sliced_step(sliced_step& step);
SENNIT_EXPORT void run_sequence(std::span<const sequence_item> items, const effects* afterwards);

// Begins a function that declares its effects, on a stack of its own, and runs it up to its first step or
// sequence.
SENNIT_EXPORT void begin_call(spliced_call& in, const void* object, void (*run)(const void*));
// Begins code whose effects are not known, as a step that may touch everything.
SENNIT_EXPORT void begin_unknown(spliced_call& in, const void* object, void (*run)(const void*));

// log: where the order of the steps is noted; may be null.
SENNIT_EXPORT splice_report run_splice(const splicing& how, std::uint32_t n,
                                       void (*begin)(const void*, std::uint32_t, spliced_call&),
                                       const void* object, splice_log* log);
SENNIT_EXPORT splice_report run_splice(const splicing& how, std::uint32_t n, const forest& trees,
                                       splice_log* log);
// Whether the effect checker observes all steps.
SENNIT_EXPORT bool splices_are_checked() noexcept;
// Converts to what make(i) returns, in the place where a container needs the object. If the object were
// moved there, GCC 12 would warn of a copy past the end of a string.
template <class Made, class Make>
struct made_in_place {
  Make& make;
  std::size_t i;
  operator Made() const { return make(i); }
};

// Runs a splice on a worker; on a worker of the default runtime if the caller is in no runtime. Throws
// std::logic_error in a spliced function, outside its steps.
SENNIT_EXPORT void in_region(action body);

// Small values that a call copies where it can: a reference to them is seldom meant, and soon dangles.
template <class Arg>
inline constexpr bool small_value =
    std::is_lvalue_reference_v<Arg> && std::is_trivially_copyable_v<std::remove_reference_t<Arg>> &&
    std::is_copy_constructible_v<std::remove_reference_t<Arg>> &&
    !std::is_array_v<std::remove_reference_t<Arg>> &&
    sizeof(std::remove_reference_t<Arg>) <= 2 * sizeof(void*);
template <class Arg>
using as_value = std::conditional_t<small_value<Arg>, const std::decay_t<Arg>, Arg>;

template <class F, class... Args>
struct deferred_call {
  F f;
  std::tuple<Args...> args;

  void operator()() const {
    std::apply([this](auto&... a) { std::invoke(f, a...); }, const_cast<std::tuple<Args...>&>(args));
  }
};

template <class T>
struct is_deferred_call : std::false_type {};
template <class F, class... Args>
struct is_deferred_call<deferred_call<F, Args...>> : std::true_type {};

// The number of calls that are interleaved with one another.
SENNIT_EXPORT std::uint32_t calls_together(const splicing& how) noexcept;
SENNIT_EXPORT [[noreturn]] void refuse_count();
template <std::integral N>
std::uint32_t count_of_calls(N n) {
  if (n <= 0) return 0;
  if (std::cmp_greater(n, UINT32_MAX)) refuse_count();
  return static_cast<std::uint32_t>(n);
}
// Whether steps of this duration are too short, given that some 10 ns pass between them.
SENNIT_EXPORT bool step_is_short(double ns) noexcept;

// A tree in a sequence; the number of calls in its splice is not known.
template <class Tree>
void choose_block(Tree& t) {
  choose_block(t, calls_together({}));
}
// The size of slices, where the library chooses it and does not shift them.
inline std::int64_t chosen_slice(const sliced_step& step, range all) {
  sliced_tree t{all, 0, &step};
  choose_block(t);
  return t.block;
}
// Gives a tree its block; returns anything else unchanged.
template <class T>
decltype(auto) with_block(const T& object) {
  if constexpr (is_divided<T>::value) {
    T tree = object;
    choose_block(tree);
    return tree;
  } else {
    return (object);
  }
}

template <class T>
void run_object(const void* object) {
  (*static_cast<const T*>(object))();
}

template <class T>
sequence_item item_of(const T& object) noexcept {
  if constexpr (is_divided<T>::value) {
    return {&object,
            [](const void* o, spliced_call& in) {
              const T& tree = *static_cast<const T*>(o);
              tree_call<T>::begin(in, tree, tree.all);
            },
            run_object<T>};
  } else if constexpr (is_deferred_call<T>::value) {
    return {&object, [](const void* o, spliced_call& in) { begin_call(in, o, run_object<T>); },
            run_object<T>};
  } else {
    return {&object, [](const void* o, spliced_call& in) { begin_unknown(in, o, run_object<T>); },
            run_object<T>};
  }
}

template <class... Calls>
void sequence_now(const effects* afterwards, const Calls&... calls) {
  const std::array<sequence_item, sizeof...(Calls)> items{item_of(calls)...};
  run_sequence(items, afterwards);
}

template <class T>
concept sequence_part = std::invocable<const T&>;

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// Stages and sources of a pipeline, and what goes from one to the next.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/pipeline/turns.hpp>

#include <concepts>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

namespace sennit {

// How a stage takes items, if not several at a time.
struct ordered_t {};
struct one_at_a_time_t {};

namespace detail {

struct any_number_t {};

template <class Mode>
inline constexpr bool one_only = !std::is_same_v<Mode, any_number_t>;

template <class Mode>
using turns_of = std::conditional_t<
    std::is_same_v<Mode, ordered_t>, turns_in_order,
    std::conditional_t<std::is_same_v<Mode, one_at_a_time_t>, turns_as_they_come, no_turns>>;

template <class F, class Mode>
struct pipeline_stage {
  using mode = Mode;
  // Several strands at a time call a stage that takes several items, as a constant.
  using callable = std::conditional_t<one_only<Mode>, F, const F>;
  F call;
};

// What a stage has returned, until the stage after it has taken it.
template <class Result>
class stage_result {
 public:
  using given = Result&&;
  template <class Make>
  explicit stage_result(Make&& make) : value_(make()) {}
  static constexpr bool has_value() noexcept { return true; }
  given give() noexcept { return static_cast<given>(value_); }

 private:
  Result value_;
};
// Empty: the item is dropped, or the source has ended.
template <class T>
class stage_result<std::optional<T>> {
 public:
  using given = T&&;
  template <class Make>
  explicit stage_result(Make&& make) : value_(make()) {}
  bool has_value() const noexcept { return value_.has_value(); }
  given give() noexcept { return static_cast<given>(*value_); }

 private:
  std::optional<T> value_;
};
template <class T>
class stage_result<T&> {
 public:
  using given = T&;
  template <class Make>
  explicit stage_result(Make&& make) : value_(std::addressof(make())) {}
  static constexpr bool has_value() noexcept { return true; }
  given give() noexcept { return *value_; }

 private:
  T* value_;
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class F>
concept gives_optionals = std::invocable<F&> && is_optional<std::remove_cv_t<std::invoke_result_t<F&>>>;

// Asks a function.
template <class F>
class called_source {
 public:
  using result = std::remove_cv_t<std::invoke_result_t<F&>>;
  static constexpr bool ends_without_value = true;
  explicit called_source(F f) : call_(std::move(f)) {}
  static constexpr bool advance() noexcept { return true; }
  result value() { return call_(); }

 private:
  F call_;
};

// The elements of a range. A range that can be read only once gives copies, as its element changes.
template <class View>
class range_source {
  using reference = std::ranges::range_reference_t<View>;

 public:
  using result =
      std::conditional_t<std::ranges::forward_range<View>, reference, std::ranges::range_value_t<View>>;
  // An element without a value is an item that is dropped, as in a stage.
  static constexpr bool ends_without_value = false;
  explicit range_source(View all) : all_(std::move(all)) {}
  // Returns false at the end.
  bool advance() {
    if (at_) {
      ++*at_;
    } else {
      at_.emplace(std::ranges::begin(all_));
    }
    return *at_ != std::ranges::end(all_);
  }
  result value() { return **at_; }

 private:
  View all_;
  std::optional<std::ranges::iterator_t<View>> at_;
};

template <class T>
inline constexpr bool is_source = false;
template <class F>
inline constexpr bool is_source<called_source<F>> = true;
template <class View>
inline constexpr bool is_source<range_source<View>> = true;

template <class T>
inline constexpr bool is_stage = false;
template <class F, class Mode>
inline constexpr bool is_stage<pipeline_stage<F, Mode>> = true;

// What the stage returns, given that.
template <class Stage, class Given>
using result_of_stage = std::invoke_result_t<typename Stage::callable&, Given>;

}  // namespace detail
}  // namespace sennit

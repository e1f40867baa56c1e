// SPDX-License-Identifier: Apache-2.0
// splicec: what `sennit splicec` uses in translated programs with `#pragma splice`; see
// docs/guide/splicec.md.
#pragma once

#include <sennit/data_regions.hpp>
#include <sennit/effects.hpp>
#include <sennit/splice.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

// Names that are known in Reads(...) and Writes(...), and nowhere else in the program.
//
// Example:
//   // What becomes of '#pragma splice step Reads(RE(from, from + n)) Writes(RE(to, to + n))'.
//   sennit::effects of_copy(const char* from, char* to, int n) {
//     using namespace sennit::splicec;
//     return {sennit::reads(RE(from, from + n)), sennit::writes(RE(to, to + n), object(n))};
//   }
//   void copy(const char* from, char* to, int n);
//   sennit::effects of_this_call(const char* from, char* to) { return sennit::splicec::of_call(copy, of_copy, from, to, 80); }
namespace sennit::splicec {

using sennit::memory_box;
using sennit::memory_range;

// The memory from `first` up to, but not including, `last`: any pointers (Lifflander and Krishnamoorthy,
// 2017, Figure 3).
inline memory_range RE(const volatile void* first, const volatile void* last) noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(first);
  const auto to = reinterpret_cast<std::uintptr_t>(last);
  return {const_cast<const std::byte*>(static_cast<const volatile std::byte*>(first)),
          to > from ? to - from : 0};
}

// All bytes of a variable, but not the data that the variable points to.
template <class T>
memory_range object(const T& variable) noexcept {
  return {reinterpret_cast<const std::byte*>(std::addressof(variable)), sizeof(T)};
}

// The rest is for translated programs only.

// A step that returns a value.
template <class F>
auto value(const effects& fx, F&& f) {
  std::optional<std::remove_cvref_t<std::invoke_result_t<F&>>> result;
  step(fx, [&] { result.emplace(f()); });
  return *std::move(result);
}

// The effects of a call, written in terms of the function's parameters: `of` gets the arguments converted to
// these.
template <class... Parameters, class Of, class... Arguments>
effects of_call(void (*)(Parameters...), const Of& of, Arguments&&... arguments) {
  return [&](Parameters... parameters) -> effects {
    return of(parameters...);
  }(std::forward<Arguments>(arguments)...);
}

// The effects of a call or a step, and of another one after it.
template <class... More>
effects all_of(effects first, const More&... more) {
  ((first += more), ...);
  return first;
}

// The number of iterations of `for (i = first; i < last; i += by)`; with `<=`, the last argument is true.
template <class First, class Last, class By>
std::size_t rounds(First first, Last last, By by, bool inclusive) noexcept {
  using common = std::common_type_t<First, Last>;
  const auto from = static_cast<common>(first);
  const auto to = static_cast<common>(last);
  if (by <= 0 || (inclusive ? from > to : from >= to)) return 0;
  const auto distance = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  const auto stride = static_cast<std::uint64_t>(by);
  return static_cast<std::size_t>(inclusive ? distance / stride + 1 : (distance + stride - 1) / stride);
}

// `#pragma splice try(n)`.
template <class N>
splicing together(N n) noexcept {
  return {.together = static_cast<std::uint32_t>(n > 0 ? n : 0)};
}

}  // namespace sennit::splicec

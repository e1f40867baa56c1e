// SPDX-License-Identifier: Apache-2.0
// named: a section of a program with a name, for traces.
#pragma once

#include <sennit/detail/config.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

struct traced_body;

// Null: the program is not traced, or not here. `name` outlives the section.
SENNIT_EXPORT SENNIT_COLD traced_body* begin_named(std::string_view name) noexcept;
SENNIT_EXPORT SENNIT_COLD void end_named(traced_body& section) noexcept;
// False: the program is not traced.
SENNIT_EXPORT bool may_be_traced() noexcept;

class named_section {
 public:
  explicit named_section(std::string_view name) noexcept
      : section_(may_be_traced() ? begin_named(name) : nullptr) {}
  named_section(const named_section&) = delete;
  named_section& operator=(const named_section&) = delete;
  ~named_section() {
    if (section_ != nullptr) [[unlikely]]
      end_named(*section_);
  }

 private:
  traced_body* const section_;
};

}  // namespace detail

// Calls f and returns what f returns, a reference as a reference. In the trace of a program that runs with SENNIT_TRACE=file,
// the call is a section with that name, in which everything lies that f does. docs/guide/tracing.md has the whole.
//
// Preconditions: none; f may use any construct, and the caller need not be in a region. Throws what f throws. Thread-safety:
// any thread may call it. Cost: about a nanosecond where the program is not traced, without allocation. The name is not
// copied: it outlives the call as an argument does.
//
// Example:
//   #include <sennit/parallel_for.hpp>
//
//   void step(std::vector<double>& x) {
//     sennit::named("scale", [&] { sennit::parallel_for(0, x.size(), [&](std::size_t i) { x[i] *= 0.5; }); });
//   }
template <std::invocable F>
std::invoke_result_t<F> named(std::string_view name, F&& f) {
  const detail::named_section section(name);
  return std::forward<F>(f)();
}

}  // namespace sennit

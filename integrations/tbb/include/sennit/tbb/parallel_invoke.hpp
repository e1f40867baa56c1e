// SPDX-License-Identifier: Apache-2.0
// parallel_invoke: functions that may run in parallel.
#pragma once

#include <sennit/join.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/setting.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tbb {
namespace on_sennit {

template <class... F>
void invoke_all(task_group_context* context, const F&... f) {
  construct(context, [&](const setting& in) { sennit::join([&] { run_task(in, f); }...); });
}

template <class... F>
inline constexpr bool ends_with_context =
    std::is_same_v<std::remove_cvref_t<std::tuple_element_t<sizeof...(F) - 1, std::tuple<F...>>>,
                   task_group_context>;

// The last argument may be a context.
template <class F, class... G>
  requires(sizeof...(G) > 0)
void parallel_invoke(F&& f, G&&... g) {
  if constexpr (ends_with_context<G...>) {
    const auto all = std::forward_as_tuple(f, g...);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      invoke_all(&std::get<sizeof...(G)>(all), std::get<I>(all)...);
    }(std::make_index_sequence<sizeof...(G)>());
  } else {
    invoke_all(nullptr, f, g...);
  }
}

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::parallel_invoke;
}  // namespace v1
}  // namespace tbb

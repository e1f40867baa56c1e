// SPDX-License-Identifier: Apache-2.0
// What goes with a strand from thread to thread: the views of what it has added to reducers, its trace cursor, and its
// setting.
#pragma once

#include <sennit/detail/worker_tls.hpp>

#include <utility>

namespace sennit::detail {

inline view* exchange_views(view* views) noexcept {
  view* const before = load_views();
  store_views(views);
  return before;
}

inline trace_cursor* exchange_cursor(trace_cursor* cursor) noexcept {
  worker_tls& tls = current_tls();
  trace_cursor* const before = tls.cursor;
  tls.cursor = cursor;
  return before;
}

inline const void* exchange_setting(const void* setting) noexcept {
  return std::exchange(current_tls().setting, setting);
}

}  // namespace sennit::detail

// What goes with a strand from thread to thread: the views of what it has added to reducers, and its trace cursor.
#pragma once

#include <sennit/detail/worker_tls.hpp>

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

}  // namespace sennit::detail

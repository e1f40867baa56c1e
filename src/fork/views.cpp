// SPDX-License-Identifier: Apache-2.0
#include "fork/views.hpp"

#include "process/thread_end.hpp"
#include "stack/strand_state.hpp"
#include "worker/worker.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace sennit::detail {

namespace {

void leave_all(void*) noexcept {
  view* left = exchange_views(nullptr);
  while (left != nullptr) std::exchange(left, left->next)->leave();
}

// A thread that is no worker may have views when it ends; its thread_locals may use reducers.
constinit thread_end ends(&leave_all);

// Where the pointer to the view is, or would be.
view** place_of(view** at, const reducer_base* reducer) noexcept {
  while (*at != nullptr && (*at)->reducer() != reducer) at = &(*at)->next;
  return at;
}

// A reducer may end where the strand that ends it has no view, but another one does.
void drop_orphans(view** at) noexcept {
  while (view* const v = *at) {
    if (v->reducer()->ended.load(std::memory_order_relaxed)) {
      *at = v->next;
      delete v;
    } else {
      at = &v->next;
    }
  }
}

}  // namespace

void view::leave() noexcept {
  const std::shared_ptr<reducer_base> whole = std::move(whole_);  // the two must not keep each other alive
  next = whole->left.load(std::memory_order_relaxed);
  // ORD[D20] release: what the thread has added; pairs with recall_views().
  while (
      !whole->left.compare_exchange_weak(next, this, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

void recall_views(const std::shared_ptr<reducer_base>& reducer) noexcept {
  // ORD[D20] acquire: what the threads have added; pairs with view::leave().
  view* left = reducer->left.exchange(nullptr, std::memory_order_acquire);
  view* first = nullptr;
  while (left != nullptr) {
    view* const v = std::exchange(left, left->next);
    v->recalled(reducer);
    v->next = std::exchange(first, v);
  }
  view* const later = exchange_views(nullptr);
  append_views(first);
  append_views(later);
}

void end_views(view* list) noexcept {
  while (list != nullptr) delete std::exchange(list, list->next);
}

void add_view(view& made) noexcept {
  if (worker::current() == nullptr) ends.expect();
  made.next = exchange_views(&made);
}

view* remove_view(const reducer_base* reducer) noexcept {
  view* views = load_views();
  view** const at = place_of(&views, reducer);
  view* const removed = *at;
  if (removed != nullptr) *at = removed->next;
  store_views(views);
  return removed;
}

view* chain_views(view* earlier, view* later) noexcept {
  if (earlier == nullptr) return later;
  view* last = earlier;
  while (last->next != nullptr) last = last->next;
  last->next = later;
  return earlier;
}

view* merge_views(view* earlier, view* later) noexcept {
  if (earlier == nullptr || later == nullptr) return earlier != nullptr ? earlier : later;
  view* const own = exchange_views(nullptr);
  append_views(earlier);
  append_views(later);
  return exchange_views(own);
}

namespace {

// Those that are no children.
view* values_of(view*& list) noexcept {
  view* values = nullptr;
  view** end = &values;
  view** at = &list;
  while (view* const v = *at) {
    if (v->holds_children()) {
      at = &v->next;
    } else {
      *at = v->next;
      *end = v;
      end = &v->next;
    }
  }
  *end = nullptr;
  return values;
}

// The earlier strand's values come before the unqueued children of the later strand. They must not be mixed with
// values that come after these children.
void put_before_children(view*& left, view* right) noexcept {
  view* earliest = nullptr;
  std::uint64_t first = 0;
  for (view* v = right; v != nullptr; v = v->next) {
    const child_ranks* const own = v->children();
    if (own == nullptr || (earliest != nullptr && first < own->first)) continue;
    earliest = v;
    first = own->first;
  }
  if (earliest == nullptr) return;
  view* const values = values_of(left);
  if (values != nullptr && !earliest->put_before(values)) left = chain_views(values, left);
}

// Those of the right list come after those of the left.
void move_children_behind(view* left, view* right) noexcept {
  const std::uint64_t last = last_child(left);
  if (last == 0) return;
  for (view* v = right; v != nullptr; v = v->next) {
    child_ranks* const own = v->children();
    if (own == nullptr) continue;
    own->first += last;
    own->last += last;
  }
}

}  // namespace

std::uint64_t last_child(view* list) noexcept {
  std::uint64_t last = 0;
  for (view* v = list; v != nullptr; v = v->next) {
    if (const child_ranks* const own = v->children()) last = std::max(last, own->last);
  }
  return last;
}

view* take_values() noexcept {
  view* views = load_views();
  view* const values = values_of(views);
  store_views(views);
  return values;
}

namespace {

// The part of joining two lists that needs no look at pairs of views.
void prepare(view*& left, view*& right) noexcept {
  if (worker::current() == nullptr) ends.expect();
  drop_orphans(&left);
  drop_orphans(&right);
  put_before_children(left, right);
  move_children_behind(left, right);
}

}  // namespace

void append_strand(view* right) noexcept {
  if (right == nullptr && load_views() == nullptr) return;
  view* left = exchange_views(nullptr);
  prepare(left, right);
  view** end = &left;
  for (; *end != nullptr; end = &(*end)->next) {
    view** const at = place_of(&right, (*end)->reducer());
    view* const same = *at;
    if (same == nullptr) continue;
    *at = same->next;
    (*end)->append(*same);
    delete same;
  }
  *end = right;
  view* const meanwhile = exchange_views(left);
  append_views(meanwhile);
}

void append_views(view* right) noexcept {
  if (right == nullptr) return;
  // What append() and destructors do may use reducers and constructs, too.
  view* left = exchange_views(nullptr);
  prepare(left, right);
  view** end = &left;
  while (*end != nullptr) end = &(*end)->next;
  while (right != nullptr) {
    view& v = *std::exchange(right, right->next);
    if (view* const same = *place_of(&left, v.reducer())) {
      same->append(v);
      delete &v;
    } else {
      v.next = nullptr;
      *end = &v;
      end = &v.next;
    }
  }
  view* const meanwhile = exchange_views(left);
  append_views(meanwhile);
}

bool any_open(const view* list, const region_state& region) noexcept {
  while (list != nullptr && !list->any_open(region)) list = list->next;
  return list != nullptr;
}

void hand_to_thread(view*& list) noexcept {
  for (view** at = &list; *at != nullptr;) {
    view* const v = *at;
    if (v->hand_to_thread()) {
      *at = v->next;
      delete v;
    } else {
      at = &v->next;
    }
  }
}

}  // namespace sennit::detail

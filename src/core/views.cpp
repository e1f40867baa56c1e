#include "core/views.hpp"

#include "core/worker.hpp"

#include <utility>

namespace sennit::detail {

namespace {

// A thread that is no worker may leave views behind when it ends.
struct end_of_thread {
  ~end_of_thread() {
    view* left = exchange_views(nullptr);
    while (left != nullptr) {
      view* const v = std::exchange(left, left->next);
      v->give_up();
      delete v;
    }
  }
  void expect() noexcept {}  // its use is what has it constructed, and so destroyed
};

void expect_end_of_thread() {
  static thread_local end_of_thread end;
  end.expect();
}

// Where the pointer to the view is, or would be.
view** place_of(view** at, const void* reducer) noexcept {
  while (*at != nullptr && (*at)->reducer() != reducer) at = &(*at)->next;
  return at;
}

}  // namespace

void add_view(view& made) {
  if (worker::current() == nullptr) expect_end_of_thread();
  made.next = exchange_views(&made);
}

view* remove_view(const void* reducer) noexcept {
  view* views = load_views();
  view** const at = place_of(&views, reducer);
  view* const removed = *at;
  if (removed != nullptr) *at = removed->next;
  store_views(views);
  return removed;
}

void append_views(view* right) noexcept {
  if (right == nullptr) return;
  if (worker::current() == nullptr) expect_end_of_thread();
  // What append() does may use reducers, too.
  view* left = exchange_views(nullptr);
  view* added = nullptr;
  while (right != nullptr) {
    view& v = *std::exchange(right, right->next);
    if (view* const same = *place_of(&left, v.reducer())) {
      same->append(v);
      delete &v;
    } else {
      v.next = std::exchange(added, &v);
    }
  }
  view** end = &left;
  while (*end != nullptr) end = &(*end)->next;
  *end = added;
  view* const meanwhile = exchange_views(left);
  append_views(meanwhile);
}

}  // namespace sennit::detail

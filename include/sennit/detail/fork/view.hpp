// SPDX-License-Identifier: Apache-2.0
// What the runtime knows of reducers. docs/protocols/join.md has the rules.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace sennit::detail {

struct region_state;

// What a reducer and its views share; lives as long as any of them.
struct reducer_base {
  reducer_base() = default;
  reducer_base(const reducer_base&) = delete;
  reducer_base& operator=(const reducer_base&) = delete;

  std::atomic<view*> left{nullptr};  // by threads that have ended: latest first
  std::atomic<bool> ended{false};    // nobody asks for the views any more
};

// The ranks of the first and the last of some children among all those that a list of views has.
struct child_ranks {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

// What one strand has added to one reducer. A strand's views are a list: few reducers are in use at a time.
class SENNIT_EXPORT view {
 public:
  explicit view(std::shared_ptr<reducer_base> whole) noexcept : whole_(std::move(whole)) {}
  view(const view&) = delete;
  view& operator=(const view&) = delete;
  virtual ~view() = default;

  const reducer_base* reducer() const noexcept { return whole_.get(); }
  // Appends that of the strand that follows, which is of the same reducer.
  virtual void append(view& right) noexcept = 0;
  // Whether it holds children that the strand has spawned unqueued, rather than values.
  virtual bool holds_children() const noexcept { return false; }
  // Those of its children; null: there are none.
  virtual child_ranks* children() noexcept { return nullptr; }
  // To be called where it does, before append(): takes over what comes before the first of them. False: there
  // is none.
  virtual bool put_before(view* /*earlier*/) noexcept { return false; }
  // Whether one of them is in the region, and still to end.
  virtual bool any_open(const region_state& /*region*/) const noexcept { return false; }
  // They are from here on what the calling thread has spawned, which runs no strand. True: nothing else is left of the
  // view.
  virtual bool hand_to_thread() noexcept { return false; }
  // The thread ends, and no strand takes the view over: leaves it to the reducer.
  void leave() noexcept;
  // Back from there.
  void recalled(std::shared_ptr<reducer_base> whole) noexcept { whole_ = std::move(whole); }

  view* next = nullptr;

 private:
  std::shared_ptr<reducer_base> whole_;
};

// The running strand's view of the reducer; null: it has none yet.
SENNIT_INLINE view* find_view(const reducer_base* reducer) noexcept {
  for (view* v = load_views(); v != nullptr; v = v->next) {
    if (v->reducer() == reducer) [[likely]]
      return v;
  }
  return nullptr;
}

// Makes `made` one of the running strand's.
SENNIT_EXPORT SENNIT_COLD void add_view(view& made) noexcept;
// The running strand's view, which is not its any more; null: it had none.
SENNIT_EXPORT SENNIT_COLD view* remove_view(const reducer_base* reducer) noexcept;
// Takes over the views that threads left. They come before the running strand's.
SENNIT_EXPORT SENNIT_COLD void recall_views(const std::shared_ptr<reducer_base>& reducer) noexcept;
// Ends all views of the list.
SENNIT_EXPORT SENNIT_COLD void end_views(view* list) noexcept;

}  // namespace sennit::detail

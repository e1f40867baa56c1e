// What the runtime knows of reducers. docs/protocols/join.md has the rules.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/words.hpp>

namespace sennit::detail {

// What one strand has added to one reducer. A strand's views are a list: few reducers are in use at a time.
class view {
 public:
  explicit view(const void* reducer) noexcept : reducer_(reducer) {}
  view(const view&) = delete;
  view& operator=(const view&) = delete;
  virtual ~view() = default;

  // Identifies the reducer as long as any view of it lives.
  const void* reducer() const noexcept { return reducer_; }
  // Appends that of the strand that follows, which is of the same reducer.
  virtual void append(view& right) noexcept = 0;
  // The thread ends, and no strand comes before it: leaves it to the reducer.
  virtual void give_up() noexcept = 0;

  view* next = nullptr;

 private:
  const void* const reducer_;
};

// The running strand's view of the reducer; null: it has none yet.
SENNIT_INLINE view* find_view(const void* reducer) noexcept {
  view* v = load_views();
  while (v != nullptr && v->reducer() != reducer) v = v->next;
  return v;
}

// Makes `made` one of the running strand's.
SENNIT_COLD void add_view(view& made);
// The running strand's view, which is not its any more; null: it had none.
SENNIT_COLD view* remove_view(const void* reducer) noexcept;

}  // namespace sennit::detail

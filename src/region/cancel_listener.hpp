// SPDX-License-Identifier: Apache-2.0
// Who has to be told that a region was cancelled, as none of its strands may look.
#pragma once

namespace sennit::detail {

struct region_state;

// Precondition of its life: the region lives. Costs a lock when it begins and when it ends.
class cancel_listener {
 public:
  cancel_listener(const cancel_listener&) = delete;
  cancel_listener& operator=(const cancel_listener&) = delete;

 protected:
  cancel_listener() = default;
  ~cancel_listener() = default;

  // From now on told() is called, on any thread, once constructs of the region should end early. That may be at once.
  void listen(const region_state& to);
  // Afterwards told() is not being called, nor will it be.
  void stop_listening() noexcept;

 private:
  friend void tell_of_cancellation() noexcept;
  virtual void told() noexcept = 0;

  const region_state* region_ = nullptr;  // null: does not listen
  cancel_listener* next_ = nullptr;
  cancel_listener* previous_ = nullptr;
};

// A region was cancelled.
void tell_of_cancellation() noexcept;

}  // namespace sennit::detail

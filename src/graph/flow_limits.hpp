// SPDX-License-Identifier: Apache-2.0
// The tasks of a task flow that are within limits.
#pragma once

#include <sennit/detail/graph/limited_work.hpp>

namespace sennit::detail {

class flow_state;

// Until the next wait. What goes on elsewhere is no child of the flow's group, because nobody but a child may spawn while the
// group is awaited: so its helpers are branches, too.
class flow_limits final : public limited_in_pool {
 public:
  explicit flow_limits(flow_state& flow) noexcept : limited_in_pool(branches_), flow_(flow) {}
  ~flow_limits() { end(); }

  // Called once no other strands of the flow are there: returns when no task waits, and all branches have ended.
  void await_all() noexcept { branches_.await_all(); }
  // Puts a strand on offer, by a strand that is such a branch. Returns false if there is no memory.
  bool add_helper() noexcept;

 private:
  class helper;
  friend class helper;
  void go_on(waiting_item& admitted) noexcept override;
  void end_early() noexcept override;

  // What waits, and branches, as the strands of a work pool.
  class branches : public work_pool_state {
   public:
    branches() noexcept : work_pool_state(true, nullptr) {}
    using work_pool_state::await_all;
  };

  flow_state& flow_;
  branches branches_;
};

}  // namespace sennit::detail

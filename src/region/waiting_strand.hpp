// SPDX-License-Identifier: Apache-2.0
// A strand that waits until a strand that it knows nothing of lets it go on.
#pragma once

#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/fork/frame.hpp>

namespace sennit::detail {

class fiber;
class worker;
struct region_state;

// On the stack of the strand that waits, and for one wait.
class waiting_strand {
 public:
  // Precondition: the calling thread runs a strand.
  waiting_strand() noexcept;
  waiting_strand(const waiting_strand&) = delete;
  waiting_strand& operator=(const waiting_strand&) = delete;

  // Returns after go_on() has been called. Afterwards the strand may be on another worker.
  void wait() noexcept;
  // Whether some strand of the runtime could go on that has waited. A hint.
  bool others_go_on() const noexcept;
  // Called once, by any thread. The object may end at once.
  void go_on() noexcept;

 private:
  // Waiting strands are resumed where a branch ends. So there has to be a branch.
  class call : public frame_with_state {
   public:
    explicit call(waiting_strand& who) noexcept;

   private:
    static fiber* resume(frame& base) noexcept;
    waiting_strand& who_;
  };

  worker& seat_;  // of the runtime of the strand
  region_state* const region_;
  completion done_;
  fiber* suspended_ = nullptr;  // this strand, once it is to be resumed
  call call_;
};

}  // namespace sennit::detail

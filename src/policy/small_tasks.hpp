// SPDX-License-Identifier: Apache-2.0
// When the submitting strand of a task flow runs tasks itself, before it submits others.
#pragma once

#include <cstdint>

namespace sennit::policy {

// To submit a task costs some hundred nanoseconds. A task that takes less is better run at once, while nothing else is underway: then no
// record is needed. But the time of a task is known only afterwards. A longer task that is run at once keeps other workers
// waiting for as long as it takes. So tasks are run at once only as long as that has not cost more than it has spared.
class small_tasks {
 public:
  // What a submission costs.
  static constexpr std::uint64_t ns_of_a_submission = 250;
  // A task that takes longer, with its submission, is not small.
  static constexpr std::uint64_t ns_of_a_long_task = 600;
  // So much time may be lost before any has been spared.
  static constexpr std::uint64_t ns_of_grace = 50'000;
  // The strand considers to begin after so many submissions.
  static constexpr std::uint32_t tasks_between_looks = 256;

  // Whether tasks may be run at once, if one takes so long on average.
  bool may_begin(std::uint64_t task_ns) const noexcept {
    return task_ns < ns_of_a_submission && cost_ns_ <= spared_ns_ + ns_of_grace;
  }
  // A task was run at once, and took so long, with what the program did before the next submission. Whether the next one may
  // be run at once, too.
  bool goes_on(std::uint64_t took_ns) noexcept {
    if (took_ns < ns_of_a_long_task) {
      spared_ns_ += ns_of_a_submission;
      return true;
    }
    cost_ns_ += took_ns;
    return false;
  }

 private:
  std::uint64_t spared_ns_ = 0;
  std::uint64_t cost_ns_ = 0;
};

}  // namespace sennit::policy

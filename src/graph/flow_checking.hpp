// SPDX-License-Identifier: Apache-2.0
// The interface for the effect checker, which runs the tasks of a flow in the order in which they were submitted.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/effects.hpp>

#include <cstdint>

namespace sennit::detail {

class tasks_to_check {
 public:
  virtual std::uint32_t count() const noexcept = 0;
  virtual const effects& effects_of(std::uint32_t i) const noexcept = 0;
  virtual void run(std::uint32_t i) noexcept = 0;

 protected:
  ~tasks_to_check() = default;
};

// Null: flows run their tasks themselves. It is set before main().
using tasks_checker = void(tasks_to_check& tasks);
SENNIT_EXPORT extern constinit tasks_checker* checks_tasks;

}  // namespace sennit::detail

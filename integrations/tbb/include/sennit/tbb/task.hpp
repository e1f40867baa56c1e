// SPDX-License-Identifier: Apache-2.0
// task: tasks that are suspended, and resumed by others.
#pragma once

#include <sennit/limit.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/setting.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace tbb {
namespace on_sennit {

// Whoever resumes the task gives back the only permit of a limit, which the task waits for.
class suspension {
 public:
  suspension() : taken_(std::in_place, one_) {}
  void wait() { const sennit::limit::permit mine(one_); }
  void resume() { taken_.reset(); }

 private:
  sennit::limit one_{1};
  std::optional<sennit::limit::permit> taken_;
};
// Shared, as the one who resumes the task may still use it when the task has gone on.
using suspend_point = std::shared_ptr<suspension>;

// Calls f with a point, and returns when somebody has called resume() with the point. Meanwhile the thread does other work.
template <class F>
void suspend(F&& f) {
  const auto point = std::make_shared<suspension>();
  in_runtime([&] {
    f(point);
    point->wait();
  });
}
inline void resume(const suspend_point& point) { point->resume(); }

// That of the calling task; null: outside all tasks.
inline task_group_context* current_context() {
  const scope* const here = setting_here().inner;
  return here != nullptr ? &here->context : nullptr;
}

}  // namespace on_sennit
inline namespace v1 {
namespace task {
using on_sennit::current_context;
using on_sennit::resume;
using on_sennit::suspend;
using on_sennit::suspend_point;
}  // namespace task
}  // namespace v1
}  // namespace tbb

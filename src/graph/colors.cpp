#include "system/failure.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/colors.hpp>
#include <sennit/detail/graph/work_pool.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/runtime.hpp>

#include <mutex>
#include <stdexcept>
#include <string>

namespace sennit::detail {

unsigned color_count(color_kind kind) {
  if (worker* const w = worker::current()) return w->core().color_count(kind);
  unsigned count = 1;
  runtime::default_runtime().run([&] { count = worker::current()->core().color_count(kind); });
  return count;
}

unsigned color_count_of_run(color_kind kind) {
  const unsigned count = color_count(kind);
  if (count <= most_colors) return count;
  const std::string many = std::to_string(count);
  const std::string most = std::to_string(most_colors);
  switch (kind) {
    case color_kind::workers:
      fail<std::runtime_error>(
          "sennit: graph: coloring.of = workers, of which there are " + many + ", but at most " + most +
          " colors can be told apart: color by caches or nodes, or use a runtime of " + most + " workers");
    case color_kind::caches:
      fail<std::runtime_error>("sennit: graph: coloring.of = caches, of which there are " + many +
                               ", but at most " + most + " colors can be told apart: color by nodes");
    case color_kind::nodes: break;
  }
  fail<std::runtime_error>(
      "sennit: graph: coloring.of = nodes, of which there are " + many + ", but at most " + most +
      " colors can be told apart: leave out color(), or bind the process to fewer nodes");
}

unsigned color_here(color_kind kind) noexcept {
  worker* const w = worker::current();
  return w != nullptr ? w->core().color_of(*w, kind) : 0;
}

// A worker in an observed region does not use colors: it runs the whole graph.
void posted_work::begin(work_pool_state& pool) {
  if (current_tls().cursor != nullptr) return;
  worker& here = *worker::current();
  pool_ = &pool;
  region_ = here.frames().innermost()->region;
  here.core().begin_colored(*this);
}

void posted_work::end() noexcept {
  if (pool_ != nullptr) worker::current()->core().end_colored(*this);
}

void coloring::add(posted_work& run) noexcept {
  const std::lock_guard guard(lock_);
  run.next_ = newest_;
  newest_ = &run;
  runs_.fetch_add(1, std::memory_order_relaxed);
}

void coloring::remove(posted_work& run) noexcept {
  const std::lock_guard guard(lock_);
  posted_work** at = &newest_;
  while (*at != &run) at = &(*at)->next_;
  *at = run.next_;
  runs_.fetch_sub(1, std::memory_order_relaxed);
}

frame* coloring::join(worker& by, bool own_only) noexcept {
  if (!lock_.try_lock()) return nullptr;
  const std::lock_guard guard(lock_, std::adopt_lock);
  const wanted what = by.frames().wish().now();
  posted_work* other = nullptr;
  for (posted_work* run = newest_; run != nullptr; run = run->next_) {
    const color_set there = run->waiting();
    if (there == 0 || !what.admits(run->region_)) continue;
    if ((there & color_bit(by.core().color_of(by, run->places()))) != 0) {
      if (frame* const strand = run->pool_->join(*run, by)) return strand;
    } else if (!own_only) {
      other = run;
    }
  }
  return other != nullptr ? other->pool_->join(*other, by) : nullptr;
}

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/colors.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/work_pool.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/runtime.hpp>

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
  join_ = [](posted_work& run, worker& by) noexcept { return run.pool_->join(run, by); };
  region_ = here.frames().innermost()->region;
  here.core().begin_colored(*this);
}

void posted_work::end() noexcept {
  if (pool_ != nullptr) worker::current()->core().end_colored(*this);
}

}  // namespace sennit::detail

// How the runs of a task_graph begin and end.
#include "graph/task_run.hpp"
#include "graph/tasks_of_graph.hpp"
#include "system/failure.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/graph.hpp>
#include <sennit/task_graph.hpp>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace sennit::detail {

class tasks_of_graph::claim {
 public:
  explicit claim(tasks_of_graph& all) : all_(all) {
    // ORD[D27] acquire: as the run before left the tasks; pairs with the release in ~claim().
    if (all.running_.exchange(true, std::memory_order_acquire)) {
      fail<std::logic_error>(
          "sennit: this task_graph is being run already; wait for that run to end, or run a "
          "graph of its own");
    }
  }
  claim(const claim&) = delete;
  claim& operator=(const claim&) = delete;
  // ORD[D27] release: the next run, on another thread maybe, finds the tasks as this one leaves them; pairs
  // with the acquire in claim().
  ~claim() { all_.running_.store(false, std::memory_order_release); }

 private:
  tasks_of_graph& all_;
};

void tasks_of_graph::run_once() {
  if (has_choices_) {
    task_run(*this).run();
  } else {
    order_.run([this](task_number n) { call(n, nullptr); });
  }
}

void tasks_of_graph::sort() {
#if SENNIT_EXCEPTIONS
  try {
    order().sort();
  } catch (const graph::cycle_error<task_number>& found) {
    std::vector<std::string> names;
    for (const task_number n : found.keys()) names.push_back(name_of(n));
    throw graph::cycle_error<std::string>(std::move(names));
  }
#else
  order().sort();
#endif
}

void tasks_of_graph::run(std::size_t times, const std::function<bool()>* until) {
  const claim running(*this);
  sort();
  auto inside = [&] {
    for (std::size_t i = 0; i < times && (until == nullptr || !(*until)()); ++i) run_once();
  };
  if (in_strand()) {
    inside();
  } else {
    run_region(nullptr, inside);
  }
}

void task_running::run(tasks_of_graph& all, std::size_t times, const std::function<bool()>* until,
                       graph::trace*) {
  all.run(times, until);
}

}  // namespace sennit::detail

namespace sennit::graph {

void task_graph::run_n(std::size_t times) { detail::task_running::run(tasks(), times, nullptr, nullptr); }
void task_graph::run_until(const std::function<bool()>& enough) {
  detail::task_running::run(tasks(), std::numeric_limits<std::size_t>::max(), &enough, nullptr);
}

}  // namespace sennit::graph

#include "schedule/steal_tree.hpp"
#include "system/failure.hpp"

#include <sennit/detail/loop/observed.hpp>
#include <sennit/distribution.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sennit {

namespace {

using detail::steal;

// Mirrors detail::fold_halves().
class distributor {
 public:
  distributor(std::uint64_t leaf, const std::function<unsigned(std::uint64_t)>& worker_of)
      : leaf_(leaf), worker_of_(worker_of) {}

  // Adds the constructs that run [first, last), from the one at `at` on, on a strand that `worker` begins.
  // Returns their number.
  std::uint64_t add(std::vector<steal>& list, std::uint64_t at, std::uint64_t first, std::uint64_t last,
                    unsigned worker) {
    if (last - first <= leaf_) return 0;
    const std::uint64_t middle = detail::observed_middle(first, last, leaf_);
    const unsigned right = worker_of_(middle);
    most_ = std::max({most_, worker, right});
    steal fork{.taken = right != worker, .at = at};
    add(fork.inside, 0, first, middle, worker);
    if (fork.taken) fork.begun.role = right;
    if (fork.taken || !fork.inside.empty()) list.push_back(std::move(fork));
    return 1 + add(list, at + 1, middle, last, right);
  }
  unsigned last_worker() const { return most_; }

 private:
  const std::uint64_t leaf_;
  const std::function<unsigned(std::uint64_t)>& worker_of_;
  unsigned most_ = 0;
};

void insist_on(bool fine, const char* what) {
  if (!fine) detail::fail<std::invalid_argument>(what);
}

}  // namespace

schedule distribution(std::uint64_t iterations, const std::function<unsigned(std::uint64_t)>& worker_of,
                      unsigned loops, std::uint64_t grain) {
  const std::uint64_t leaf = grain != 0 ? grain : detail::observed_leaf(iterations);
  detail::steal_tree tree;
  if (iterations != 0) {
    distributor in(leaf, worker_of);
    steal loop{.what = steal::kind::loop, .size = iterations};
    in.add(loop.inside, 0, 0, iterations, 0);
    insist_on(in.last_worker() < detail::most_roles,
              "sennit::distribution: a worker beyond 65535; no runtime has as many");
    tree.roles = in.last_worker() + 1;
    for (unsigned i = 0; i < loops && !loop.inside.empty(); ++i) {
      loop.at = i;
      tree.root.push_back(loop);
    }
  }
  number_events(tree);
  return detail::schedule_access::make(detail::hold(std::move(tree)));
}

schedule blocks(std::uint64_t iterations, unsigned workers, unsigned loops, std::uint64_t grain) {
  insist_on(workers != 0, "sennit::blocks: 0 workers; there is at least one");
  const std::uint64_t size = std::max<std::uint64_t>(1, (iterations + workers - 1) / workers);
  return distribution(
      iterations, [=](std::uint64_t i) { return static_cast<unsigned>(i / size); }, loops, grain);
}

schedule cyclic(std::uint64_t iterations, unsigned workers, std::uint64_t size, unsigned loops,
                std::uint64_t grain) {
  insist_on(workers != 0, "sennit::cyclic: 0 workers; there is at least one");
  insist_on(size != 0, "sennit::cyclic: blocks of 0 iterations; give them at least one");
  return distribution(
      iterations, [=](std::uint64_t i) { return static_cast<unsigned>(i / size % workers); }, loops, grain);
}

schedule blocks_2d(std::uint64_t rows, std::uint64_t columns, unsigned worker_rows, unsigned worker_columns,
                   unsigned loops, std::uint64_t grain) {
  insist_on(worker_rows != 0 && worker_columns != 0,
            "sennit::blocks_2d: a grid of workers without rows or columns; there is at least one of each");
  const std::uint64_t tall = std::max<std::uint64_t>(1, (rows + worker_rows - 1) / worker_rows);
  const std::uint64_t wide = std::max<std::uint64_t>(1, (columns + worker_columns - 1) / worker_columns);
  return distribution(
      rows * columns,
      [=](std::uint64_t i) {
        return static_cast<unsigned>(i / columns / tall * worker_columns + i % columns / wide);
      },
      loops, grain);
}

}  // namespace sennit

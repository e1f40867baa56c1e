// SPDX-License-Identifier: Apache-2.0
// Sweeps on a virtual machine of 8 NUMA nodes with a simulated cache each, of whose workers there are more than CPUs: nothing is
// timed that means anything. What each node fetches is counted, and which of that lies with another node. The size is that of the
// kernel that --input names; a step of a worker lasts --work us, so that all workers come along as if each had a CPU.
// The default: trees, spliced; `functions`: spliced functions; `memoized`: trees in the order of an earlier run; `loops`: not spliced, a
// loop for each sweep. `refined`, `functions-refined`, `loops-refined`: by a schedule that was refined before.
#include "common/sennit.hpp"

#include "common/loops.hpp"
#include "gallery/fdtd_2d.hpp"
#include "gallery/jacobi_1d.hpp"
#include "gallery/jacobi_2d.hpp"
#include "remote-splice/node_caches.hpp"
#include "splice/forms.hpp"
#include "splice/walks.hpp"

#include <sennit/memoized_splice.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/refine.hpp>
#include <sennit/worker.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using gallery::part;
using gallery::range;

constexpr unsigned nodes = 8;
constexpr std::int64_t times = 16;

struct noted_step {
  std::int64_t sweep;
  range rows;
  unsigned node;
};

// A kernel whose steps are noted as they begin: a step that needs another one begins after that has ended.
template <class Kernel>
class noted {
 public:
  static constexpr std::int64_t sweeps = times * Kernel::phases;

  noted(std::int64_t n, std::int64_t block, std::chrono::microseconds lasts)
      : kernel_(n), block_(block), lasts_(lasts) {}

  part whole() const { return kernel_.whole(); }
  std::int64_t block() const { return block_; }
  sennit::effects effects_of(std::int64_t s, range rows) const { return kernel_.effects_of(s, rows); }
  void sweep(std::int64_t s, const part& some) {
    {
      const unsigned node = sennit::worker_index() * nodes / sennit::worker_count();
      const std::lock_guard guard(lock_);
      steps_.push_back({s, some.rows, node});
    }
    std::this_thread::sleep_for(lasts_);
    kernel_.sweep(s, some);
  }

  // The steps of a run over fresh data.
  template <class F>
  std::vector<noted_step> run(const F& order) {
    kernel_.initialize();
    steps_.clear();
    order();
    return std::exchange(steps_, {});
  }
  std::vector<noted_step> run_serially() {
    return run([&] {
      for (std::int64_t s = 0; s < sweeps; ++s) {
        for (std::int64_t i = 0; i < splice::pieces(whole().rows, block()); ++i) {
          const range rows = splice::piece(whole().rows, block(), i);
          steps_.push_back({s, rows, 0});
          kernel_.sweep(s, {rows, whole().columns});
        }
      }
    });
  }
  std::uint64_t result() const { return bench::checksum_of(kernel_.result(sweeps)); }

 private:
  Kernel kernel_;
  std::int64_t block_;
  std::chrono::microseconds lasts_;
  std::mutex lock_;
  std::vector<noted_step> steps_;
};

// What a step touches is what its effects name: what it reads, and then what it writes.
template <class Kernel, class F>
void each_region(const noted<Kernel>& kernel, const noted_step& step, const F& f) {
  const sennit::effects fx = kernel.effects_of(step.sweep, step.rows);
  for (const bool written : {false, true}) {
    for (std::uint32_t i = 0; i < sennit::detail::effects_access::size(fx); ++i) {
      const auto region = sennit::detail::effects_access::region(fx, i);
      if (region.written == written) f(region.where, written);
    }
  }
}

template <class Kernel>
void replay(remote_splice::node_caches& caches, const noted<Kernel>& kernel,
            const std::vector<noted_step>& steps) {
  caches.begin_again();
  for (const noted_step& step : steps)
    each_region(kernel, step,
                [&](sennit::hull bytes, bool written) { caches.touch(step.node, bytes, written); });
}

// By blocks of rows, one for each node.
template <class Kernel>
void distribute(remote_splice::node_caches& caches, const noted<Kernel>& kernel) {
  const std::int64_t n = splice::pieces(kernel.whole().rows, kernel.block());
  for (std::int64_t s = 0; s < noted<Kernel>::sweeps; ++s) {
    for (std::int64_t i = 0; i < n; ++i) {
      const noted_step step{s, splice::piece(kernel.whole().rows, kernel.block(), i),
                            static_cast<unsigned>(i * nodes / n)};
      each_region(kernel, step, [&](sennit::hull bytes, bool written) {
        if (written) caches.place(step.node, bytes);
      });
    }
  }
}

// How all sweeps are run once; what has to be found before is found in the first calls.
template <class Kernel>
std::function<void()> order_of(const bench::program& program, noted<Kernel>& kernel) {
  const auto tree = [&kernel](std::int64_t s) { return splice::tree_of(kernel, s, kernel.block()); };
  const auto trees = [=] { sennit::splice(noted<Kernel>::sweeps, tree); };
  const auto functions = [&kernel] {
    sennit::splice(noted<Kernel>::sweeps, [&](std::int64_t s) {
      splice::sweep_rows(kernel, s, kernel.whole().rows, kernel.block());
    });
  };
  const auto loop = [&kernel](std::int64_t s) {
    const std::int64_t n = splice::pieces(kernel.whole().rows, kernel.block());
    sennit::parallel_for(std::int64_t{0}, n, [&kernel, s](std::int64_t i) {
      kernel.sweep(s, {splice::piece(kernel.whole().rows, kernel.block(), i), kernel.whole().columns});
    });
  };
  const auto loops = [=] {
    for (std::int64_t s = 0; s < noted<Kernel>::sweeps; ++s) loop(s);
  };
  const auto refined = [](auto unrefined) {
    const auto plan = std::make_shared<sennit::refinement>();
    while (!plan->converged()) plan->run(unrefined);
    return [=] { plan->run(unrefined); };
  };
  if (program.is("functions")) return functions;
  if (program.is("loops")) return loops;
  if (program.is("memoized")) {
    const auto memo = std::make_shared<sennit::memoized_splice<decltype(tree)>>(tree);
    const auto all = [=] {
      sennit::runtime::default_runtime().run([&] { memo->run(noted<Kernel>::sweeps); });
    };
    all();
    return all;
  }
  if (program.is("refined")) return refined(trees);
  if (program.is("functions-refined")) return refined(functions);
  if (program.is("loops-refined")) {
    const auto plan = std::make_shared<sennit::refinement>();
    const auto all = [=] {
      for (std::int64_t s = 0; s < noted<Kernel>::sweeps; ++s) plan->run([&] { loop(s); });
    };
    while (!plan->converged()) all();
    return all;
  }
  return trees;
}

template <class Kernel>
class counted {
 public:
  counted(bench::program& program, std::int64_t block) : program_(program), block_(block), runtime_(program) {
    const std::string machine =
        "synthetic:numa:8 core:" + std::to_string((program.workers() + nodes - 1) / nodes) + " pu:1";
    setenv("SENNIT_TOPOLOGY", machine.c_str(), 1);
  }

  void prepare(std::uint64_t n) { n_ = n; }
  void run() {
    noted<Kernel> kernel(static_cast<std::int64_t>(n_), block_, std::chrono::microseconds(program_.work()));
    const std::vector<noted_step> serial_steps = kernel.run_serially();
    const std::uint64_t expected = kernel.result();
    const auto order = order_of(program_, kernel);
    kernel.run(order);
    const std::vector<noted_step> before = kernel.run(order);
    right_ = kernel.result() == expected;
    const std::vector<noted_step> steps = kernel.run(order);
    right_ = right_ && kernel.result() == expected;

    std::set<unsigned> at_work;
    for (const noted_step& step : steps) at_work.insert(step.node);
    nodes_at_work_ = at_work.size();

    const gallery::cache_shape cache = cache_for(kernel);
    remote_splice::node_caches alone(1, cache);
    replay(alone, kernel, serial_steps);
    serial_ = alone.all();
    remote_splice::node_caches touched(nodes, cache);
    replay(touched, kernel, before);
    replay(touched, kernel, steps);
    by_touch_ = touched.all();
    remote_splice::node_caches dealt(nodes, cache);
    distribute(dealt, kernel);
    replay(dealt, kernel, steps);
    by_blocks_ = dealt.all();
    cache_ = cache;
  }
  std::uint64_t check() const { return right_ ? n_ : 0; }
  std::vector<std::pair<const char*, double>> figures() const {
    const auto share = [](std::uint64_t some, std::uint64_t all) {
      return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
    };
    return {{"simulated_fetched_mib", static_cast<double>(by_touch_.lines * cache_.line) / (1 << 20)},
            {"simulated_fetched_over_serial", share(by_touch_.lines, serial_.lines)},
            {"simulated_remote_over_serial", share(by_touch_.remote, serial_.lines)},
            {"simulated_remote_of_blocks_over_serial", share(by_blocks_.remote, serial_.lines)},
            {"nodes_at_work", static_cast<double>(nodes_at_work_)},
            {"simulated_cache_mib", static_cast<double>(cache_.bytes) / (1 << 20)}};
  }

 private:
  // A quarter of what a node has to itself.
  static gallery::cache_shape cache_for(const noted<Kernel>& kernel) {
    std::set<std::uintptr_t> pages;
    for (std::int64_t s = 0; s < noted<Kernel>::sweeps; ++s) {
      each_region(kernel, {s, kernel.whole().rows, 0}, [&](sennit::hull bytes, bool) {
        for (std::uintptr_t p = bytes.first / remote_splice::node_caches::page;
             p * remote_splice::node_caches::page < bytes.last; ++p)
          pages.insert(p);
      });
    }
    return {.bytes = pages.size() * remote_splice::node_caches::page / nodes / 4};
  }

  const bench::program& program_;
  std::int64_t block_;
  bench::sennit_default_runtime runtime_;
  std::uint64_t n_ = 0;
  bool right_ = false;
  std::size_t nodes_at_work_ = 0;
  gallery::cache_shape cache_;
  remote_splice::fetched serial_;
  remote_splice::fetched by_touch_;
  remote_splice::fetched by_blocks_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  const std::string& input = program.input();
  if (input == "jacobi-1d") return program.run(counted<gallery::jacobi_1d>(program, 2048));
  if (input == "jacobi-2d") return program.run(counted<gallery::jacobi_2d>(program, 1));
  if (input == "fdtd-2d") return program.run(counted<gallery::fdtd_2d>(program, 1));
  bench::program::fail("--input", "must be jacobi-1d, jacobi-2d or fdtd-2d");
}

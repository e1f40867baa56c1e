// SPDX-License-Identifier: Apache-2.0
// What it costs at the least, by hand: the graph is already there, as compressed rows of successors; a counter for each node;
// a private stack for each thread, from which it gives to those that have nothing. Only the run is timed.
#include "graph-nodes/shapes.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

using graph_nodes::number;

class by_hand {
 public:
  explicit by_hand(bench::program& program) : workers_(program.workers()) {
    program.describe("threads over compressed rows, by hand");
  }

  template <class Shape>
  void prepare(Shape& shape) {
    if (nodes_ != shape.nodes()) build(shape);
    shape.each([&](const auto& k) {
      waiting_[shape.number_of(k)].store(static_cast<std::uint32_t>(shape.predecessors(k).size()),
                                         std::memory_order_relaxed);
    });
    given_ = roots_;
    any_given_ = true;
    idle_ = 0;
    done_ = false;
  }
  template <class Shape>
  void run(Shape& shape) {
    std::vector<std::thread> others;
    for (unsigned w = 1; w < workers_; ++w) others.emplace_back([this, &shape] { work(shape); });
    work(shape);
    for (std::thread& other : others) other.join();
  }

 private:
  template <class Shape>
  void build(Shape& shape) {
    nodes_ = shape.nodes();
    sink_ = shape.number_of(shape.sink());
    waiting_ = std::make_unique<std::atomic<std::uint32_t>[]>(shape.numbers());
    first_.assign(shape.numbers() + std::size_t{1}, 0);
    roots_.clear();
    // Counted one place behind, so that filling in moves each to where it belongs.
    shape.each([&](const auto& k) {
      const auto found = shape.predecessors(k);
      if (found.size() == 0) roots_.push_back(shape.number_of(k));
      for (const auto& p : found) ++first_[shape.number_of(p) + std::size_t{1}];
    });
    std::uint32_t before = 0;
    for (std::uint32_t& at : first_) {
      const std::uint32_t count = at;
      at = before;
      before += count;
    }
    successors_.resize(before);
    shape.each([&](const auto& k) {
      for (const auto& p : shape.predecessors(k))
        successors_[first_[shape.number_of(p) + std::size_t{1}]++] = shape.number_of(k);
    });
  }

  template <class Shape>
  void work(Shape& shape) {
    std::vector<number> own;
    std::size_t bottom = 0;  // what lies below has been given away
    for (;;) {
      if (own.size() == bottom) {
        own.clear();
        bottom = 0;
        if (!take(own)) return;
      }
      number n = own.back();
      own.pop_back();
      for (bool more = true; more;) {
        shape.compute(n);
        if (n == sink_) {
          done_.store(true, std::memory_order_release);
          return;
        }
        number ready = 0;
        more = false;
        for (std::uint32_t s = first_[n]; s != first_[n + std::size_t{1}]; ++s) {
          const number next = successors_[s];
          std::atomic<std::uint32_t>& waiting = waiting_[next];
          // The last of them needs no instruction that is both a load and a store.
          if (waiting.load(std::memory_order_acquire) != 1 &&
              waiting.fetch_sub(1, std::memory_order_acq_rel) != 1)
            continue;
          if (more) own.push_back(ready);
          more = true;
          ready = next;
        }
        n = ready;
        if (idle_.load(std::memory_order_relaxed) != 0 && own.size() - bottom > 1) give(own, bottom);
      }
    }
  }

  // The older half.
  void give(const std::vector<number>& own, std::size_t& bottom) {
    const std::lock_guard guard(giving_);
    if (!given_.empty()) return;
    const std::size_t end = bottom + (own.size() - bottom) / 2;
    for (; bottom != end; ++bottom) given_.push_back(own[bottom]);
    any_given_.store(true, std::memory_order_release);
  }
  bool take(std::vector<number>& own) {
    idle_.fetch_add(1, std::memory_order_relaxed);
    for (unsigned turn = 0; !done_.load(std::memory_order_acquire); ++turn) {
      if (any_given_.load(std::memory_order_acquire)) {
        const std::lock_guard guard(giving_);
        own.swap(given_);
        any_given_.store(false, std::memory_order_relaxed);
        if (!own.empty()) break;
      }
      if (turn < 1000) {
        bench::relax();
      } else {
        std::this_thread::yield();
      }
    }
    idle_.fetch_sub(1, std::memory_order_relaxed);
    return !own.empty();
  }

  unsigned workers_;
  std::uint64_t nodes_ = 0;
  number sink_ = 0;
  std::unique_ptr<std::atomic<std::uint32_t>[]> waiting_;
  std::vector<std::uint32_t> first_;
  std::vector<number> successors_;
  std::vector<number> roots_;

  alignas(64) std::atomic<unsigned> idle_ = 0;
  std::atomic<bool> done_ = false;
  std::atomic<bool> any_given_ = false;
  std::mutex giving_;
  std::vector<number> given_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return graph_nodes::run_with(program, by_hand(program));
}

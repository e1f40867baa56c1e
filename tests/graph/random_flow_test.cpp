// SPDX-License-Identifier: Apache-2.0
// Random task flows against the serial program: the same memory, bit for bit, or the failure of a task.
#include "../core/random_program.hpp"
#include "support.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/join.hpp>
#include <sennit/runtime.hpp>
#include <sennit/task_flow.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

using graph::task_flow;
using sennit::effects;

// TEST_SEED repeats one seed; TEST_SEEDS says how many to try.
std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

constexpr std::int64_t pitch = 16;

// A box of the plane of cells. If it is contiguous, it is now and then named as a memory_range.
struct box {
  sennit::range rows;
  sennit::range columns;
  bool as_range = false;

  template <class Cells, class Do>
  void each(Cells& cells, const Do& call) const {
    for (auto i = rows.first; i < rows.last; ++i)
      for (auto j = columns.first; j < columns.last; ++j)
        call(cells[static_cast<std::size_t>(i * pitch + j)]);
  }
};

enum kind { read, add, exclude, write };

struct task {
  std::array<std::vector<box>, 4> boxes;
  bool barrier = false;
  bool nested = false;
  int priority = 0;
  unsigned spins = 0;
  std::uint64_t number = 0;

  // What it reads decides what it adds and writes. `atomically`: others may add at the same time.
  void run(std::vector<std::uint64_t>& cells, bool atomically) const {
    std::uint64_t sum = number;
    for (unsigned i = 0; i < spins; ++i) asm volatile("" : "+r"(sum));
    if (barrier) {
      for (const std::uint64_t c : cells) sum = sum * 31 + c;
      cells[static_cast<std::size_t>(number) % cells.size()] += sum;
    }
    for (const box& b : boxes[read]) b.each(cells, [&](std::uint64_t& c) { sum = sum * 31 + c; });
    for (const box& b : boxes[add]) {
      b.each(cells, [&](std::uint64_t& c) {
        if (atomically) {
          std::atomic_ref(c).fetch_add(sum, std::memory_order_relaxed);
        } else {
          c += sum;
        }
      });
    }
    for (const box& b : boxes[exclude]) b.each(cells, [&](std::uint64_t& c) { c += sum; });
    for (const box& b : boxes[write]) b.each(cells, [&](std::uint64_t& c) { c = c * 7 + sum; });
  }
  effects of(const std::vector<std::uint64_t>& cells) const {
    if (barrier) return effects::everything();
    effects all;
    const auto include = [&](kind of, auto how) {
      for (const box& b : boxes[of]) {
        if (b.as_range) {
          all +=
              effects(how(sennit::memory_range(cells, sennit::range{b.rows.first * pitch + b.columns.first,
                                                                    b.rows.first * pitch + b.columns.last})));
        } else {
          all += effects(how(sennit::memory_box<2>(cells.data(), {pitch}, {b.rows, b.columns})));
        }
      }
    };
    include(read, [](const auto& r) { return sennit::reads(r); });
    include(add, [](const auto& r) { return sennit::adds(r); });
    include(exclude, [](const auto& r) { return sennit::excludes(r); });
    include(write, [](const auto& r) { return sennit::writes(r); });
    return all;
  }
};

class random_flow {
 public:
  explicit random_flow(std::uint64_t seed) : random_(seed) {
    rows_ = 1 + draw(40);
    const unsigned count = 1 + draw(draw(5) == 0 ? 3000 : 150);
    // Few places that are used again and again, or any.
    std::vector<box> tiles;
    for (unsigned i = 0; i < 12; ++i) tiles.push_back(any_box());
    const unsigned odd = draw(4);
    const bool barriers = draw(8) == 0;
    const unsigned longest = draw(3) == 0 ? 4000 : 50;
    tasks_.resize(count);
    for (unsigned n = 0; n < count; ++n) {
      task& t = tasks_[n];
      t.number = n;
      t.spins = draw(longest);
      t.barrier = barriers && draw(30) == 0;
      t.nested = draw(30) == 0;
      for (unsigned i = draw(5); i > 0; --i)
        t.boxes[draw(4)].push_back(draw(4) < odd ? any_box() : tiles[draw(12)]);
    }
    most_waiting_ = draw(3) == 0 ? 1 + draw(8) : 1 + draw(500);
    fails_ = draw(4) == 0 ? draw(count) : count;
    waits_ = draw(3) == 0;
    if (draw(3) == 0) {
      for (task& t : tasks_) t.priority = static_cast<int>(draw(5)) - 1;
    }
  }

  std::vector<std::uint64_t> serial() const {
    std::vector<std::uint64_t> cells = fresh();
    for (const task& t : tasks_) t.run(cells, false);
    return cells;
  }
  void expect_as_serial() {
    std::vector<std::uint64_t> cells = fresh();
    const auto token = std::make_shared<int>(0);
    task_flow flow({.most_waiting = most_waiting_});
    if (fails_ < tasks_.size()) {
      EXPECT_EQ(text_of<graph::node_error>([&] { submit_all(flow, cells, token, true); }),
                "sennit: task " + std::to_string(fails_) + " (fails) of a flow: " + std::to_string(fails_));
      EXPECT_EQ(token.use_count(), 1) << "a closure leaked, or was destroyed twice";
      cells = fresh();
    }
    submit_all(flow, cells, token, false);
    EXPECT_TRUE(cells == serial());
    EXPECT_EQ(token.use_count(), 1) << "a closure leaked, or was destroyed twice";
  }

 private:
  unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
  std::vector<std::uint64_t> fresh() const {
    return std::vector<std::uint64_t>(static_cast<std::size_t>(rows_ * pitch), 1);
  }
  sennit::range any_range(std::int64_t below, unsigned most) {
    const std::int64_t first = draw(static_cast<unsigned>(below));
    return {first, std::min<std::int64_t>(below, first + 1 + draw(most))};
  }
  box any_box() {
    box b{any_range(rows_, draw(3) == 0 ? 10 : 2), any_range(pitch, draw(3) == 0 ? 16 : 4)};
    b.as_range = b.rows.size() == 1 && draw(2) == 0;
    return b;
  }

  void submit_all(task_flow& flow, std::vector<std::uint64_t>& cells, const std::shared_ptr<int>& token,
                  bool with_failure) {
    for (const task& t : tasks_) {
      if (with_failure && t.number == fails_) {
        flow.submit(
            t.of(cells), [&t, token] { throw std::runtime_error(std::to_string(t.number)); }, "fails");
      } else if (t.nested) {
        flow.submit(t.of(cells),
                    [&t, &cells, token] {
                      sennit::join([&] { t.run(cells, true); }, [] {});
                      task_flow inner;
                      for (int i = 0; i < 3; ++i) inner.submit({}, [] {}, {.priority = i});
                    },
                    {.priority = t.priority});
      } else {
        // Some closures do not fit into a place.
        if (t.number % 3 == 0) {
          flow.submit(t.of(cells),
                      [&t, &cells, token, large = std::array<char, 100>()] {
                        static_cast<void>(large);
                        t.run(cells, true);
                      },
                      {.priority = t.priority});
        } else {
          flow.submit(t.of(cells), [&t, &cells, token] { t.run(cells, true); }, {.priority = t.priority});
        }
      }
      if (waits_ && !with_failure && t.number % 64 == 63) flow.wait();
    }
    flow.wait();
  }

  std::mt19937_64 random_;
  std::int64_t rows_ = 0;
  std::vector<task> tasks_;
  std::uint32_t most_waiting_ = 1;
  std::uint64_t fails_ = 0;
  bool waits_ = false;
};

class random_flows : public testing::TestWithParam<setting> {
 protected:
  template <class Test>
  void each(int seeds, const Test& test) {
    const std::uint64_t first = number("TEST_SEED", 1);
    const std::uint64_t count = number("TEST_SEEDS", static_cast<std::uint64_t>(scaled(seeds)));
    for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
      SCOPED_TRACE("repeat with TEST_SEED=" + std::to_string(seed) + " TEST_SEEDS=1");
      random_flow f(seed);
      test(f);
    }
  }
};

// Catches: a dependence that is forgotten or lost; a place that has two tasks at a time; tasks that exclude each other and run at
// once; a task that is lost between priorities; a failure that leaves something behind.
TEST_P(random_flows, do_what_the_serial_program_does) {
  current_setting() = name(GetParam());
  sennit::runtime rt(GetParam().options());
  each(60, [&](random_flow& f) { rt.run([&] { f.expect_as_serial(); }); });
}

// Catches: the same on several NUMA nodes, where tasks are posted to workers of the node of their data.
TEST_P(random_flows, do_so_with_colors) {
  if (GetParam().workers == 1) return;
  sennit::runtime_options options = GetParam().options();
  options.topology = "synthetic:numa:" + std::to_string(options.workers) + " core:1 pu:1";
  sennit::runtime rt(options);
  each(30, [&](random_flow& f) { rt.run([&] { f.expect_as_serial(); }); });
}

// Catches: the same outside any region.
TEST_P(random_flows, do_so_outside_any_region) {
  if (GetParam().workers != 2) return;
  each(30, [&](random_flow& f) { f.expect_as_serial(); });
}

INSTANTIATE_TEST_SUITE_P(settings, random_flows, testing::ValuesIn(settings({1, 2, 4})), parameter_name);

}  // namespace
}  // namespace sennit_test

// SPDX-License-Identifier: Apache-2.0
// From the end of a region's last branch to the return of the call that entered the region, in an outside thread that enters
// `size` short regions while another outside thread keeps the same workers busy with long leaves: whoever takes one of
// those while it waits for its own region returns late. A leaf lasts for `work` microseconds up to twice as many; by the input it
//   sleeping    sleeps, so that a thread within it takes no CPU from the region that is measured
//   computing   computes, so that the figure contains what the kernel's scheduler does to more threads than there are CPUs
//
// A system is
//   enter(f)                     f() as a region of its own, from an outside thread
//   halves(f, g)                 f() and g(), within a region
//   children(n, leaf)            n times leaf(), each a child, within a region
//   threads()                    how many may be at work in its regions, the outside threads included
#pragma once

#include "common/loops.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace return_latency {

SENNIT_BENCH_NOINLINE inline std::uint64_t compute(std::uint64_t value, unsigned steps) {
  for (; steps != 0; --steps) {
    value ^= value >> 31;
    value *= 0xd6e8feb86659fd93u;
  }
  return value;
}

template <class System>
class kernel {
 public:
  kernel(const bench::program& program, System& system)
      : system_(system), input_(program.input()), leaf_seconds_(static_cast<double>(program.work()) * 1e-6) {
    if (input_ != "sleeping" && input_ != "computing")
      bench::program::fail("--input", "must be sleeping or computing");
  }

  kernel(const kernel&) = delete;
  kernel& operator=(const kernel&) = delete;
  ~kernel() { stop(); }

  // Returns once the others are at work.
  void prepare(std::uint64_t regions) {
    stop();
    results_.assign(regions, 0);
    us_.clear();
    us_.reserve(regions);
    stop_ = false;
    begun_ = 0;
    neighbor_ = std::thread([this] { keep_busy(); });
    while (begun_.load() < system_.threads() - 1) std::this_thread::yield();
  }

  void run() {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      std::array<branch, branches> all{};
      system_.enter([&] { below(all.data(), branches, i); });
      const double returned = bench::now();
      double ended = 0;
      for (const branch& b : all) {
        ended = std::max(ended, b.ended);
        results_[i] += b.value;
      }
      us_.push_back((returned - ended) * 1e6);
    }
  }

  std::uint64_t check() {
    stop();
    bench::checksum sum;
    for (const std::uint64_t value : results_) sum.add(value);
    return sum.value();
  }

  std::vector<std::pair<const char*, double>> figures() const {
    std::vector<double> sorted = us_;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = sorted.size();
    return {{"us_to_return", sorted[(n - 1) / 2]},
            {"us_to_return_p999", sorted[n - 1 - n / 1000]},
            {"us_to_return_worst", sorted.back()}};
  }

 private:
  static constexpr std::size_t branches = 16;
  static constexpr unsigned steps = 8000;  // some ten microseconds

  // On a line of the cache of its own.
  struct alignas(64) branch {
    std::uint64_t value;
    double ended;
  };

  void below(branch* first, std::size_t n, std::uint64_t seed) {
    if (n == 1) {
      first->value = compute(seed, steps);
      first->ended = bench::now();
      return;
    }
    system_.halves([=, this] { below(first, n / 2, 2 * seed + 1); },
                   [=, this] { below(first + n / 2, n - n / 2, 2 * seed + 2); });
  }

  void stop() {
    stop_ = true;
    if (neighbor_.joinable()) neighbor_.join();
  }

  // In rounds, as who has ended a leaf is to look for work anew, and may find it in either region.
  void keep_busy() {
    while (!stop_.load())
      system_.enter([this] { system_.children(2 * system_.threads(), [this] { leaf(); }); });
  }

  void leaf() {
    const unsigned number = begun_++;
    if (stop_.load()) return;
    // Of different lengths, so that they do not end all at once.
    const double seconds = leaf_seconds_ * (1 + static_cast<double>(number * 37 % 101) / 101);
    if (input_ == "sleeping") {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      return;
    }
    for (const double end = bench::now() + seconds; bench::now() < end;)
      bench::opaque(compute(number, steps));
  }

  System& system_;
  const std::string input_;
  const double leaf_seconds_;
  std::vector<std::uint64_t> results_;
  std::vector<double> us_;
  std::thread neighbor_;
  std::atomic<bool> stop_{false};
  std::atomic<unsigned> begun_{0};
};

template <class System>
int measure(bench::program& program) {
  System system(program);
  return program.run(kernel<System>(program, system));
}

}  // namespace return_latency

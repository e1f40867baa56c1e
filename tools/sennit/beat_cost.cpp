// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/beat_cost.hpp"

#include "tools/sennit/measure.hpp"

#include <sennit/join.hpp>
#include <sennit/runtime.hpp>
#include <sennit/task_group.hpp>

#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <random>

namespace command {
namespace {

using clock = std::chrono::steady_clock;
using sennit::detail::read_clock;
using sennit::detail::ticks;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

// Of the calling thread.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// When the beats of one worker came.
struct beat_log {
  static constexpr std::size_t room = std::size_t{1} << 15;
  std::size_t count = 0;
  std::array<ticks, room> at;
};

constinit thread_local beat_log* log_here [[gnu::tls_model("initial-exec")]] = nullptr;

bool note_beat(void*) noexcept {
  if (beat_log* const log = log_here; log != nullptr && log->count < beat_log::room)
    log->at[log->count++] = read_clock();
  return true;
}

// A chunk of work with nothing in it that depends on memory: about half a microsecond.
std::uint64_t work(std::uint64_t x) noexcept {
  constexpr int steps = 400;
  for (int i = 0; i < steps; ++i) {
    x = x * 6364136223846793005U + 1;
    asm volatile("" : "+r"(x));
  }
  return x;
}

template <bool Polls>
[[gnu::noinline]] std::uint64_t work_for(std::uint64_t chunks) noexcept {
  std::uint64_t x = chunks;
  for (std::uint64_t i = 0; i < chunks; ++i) {
    x = work(x);
    if constexpr (Polls) (void)sennit::beat_due();
  }
  return x;
}

// The same work on each of the workers at once, and the mean of the time that it took them.
class everywhere {
 public:
  everywhere(unsigned workers, bool polls) : runtime_({.workers = workers}), polls_(polls) {
    for (unsigned i = 0; i < workers; ++i) logs_.push_back(std::make_unique<beat_log>());
  }

  double run(std::uint64_t chunks) {
    std::vector<double> seconds(logs_.size());
    std::vector<double> on_cpu(logs_.size());
    std::atomic<std::size_t> here{0};
    const auto branch = [&](std::size_t i) {
      // Until all are there, and no longer than the system may need to give each a CPU.
      constexpr double patience = 1;
      here.fetch_add(1, std::memory_order_relaxed);
      const clock::time_point came = clock::now();
      while (here.load(std::memory_order_relaxed) < logs_.size() && seconds_since(came) < patience) {
      }
      log_here = logs_[i].get();
      const double cpu_before = cpu_seconds();
      const clock::time_point start = clock::now();
      if (polls_) {
        work_for<true>(chunks);
      } else {
        work_for<false>(chunks);
      }
      seconds[i] = seconds_since(start);
      on_cpu[i] = cpu_seconds() - cpu_before;
      log_here = nullptr;
    };
    runtime_.run([&] {
      sennit::task_group others;
      for (std::size_t i = 1; i < logs_.size(); ++i) others.spawn([&branch, i] { branch(i); });
      branch(0);
      others.wait();
    });
    const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    had_cpu_ = std::accumulate(on_cpu.begin(), on_cpu.end(), 0.0) / sum;
    return sum / static_cast<double>(seconds.size());
  }

  sennit::runtime& runtime() { return runtime_; }
  // Of the time of the latest run.
  double had_cpu() const { return had_cpu_; }

  // From the logs, which it empties: how far intervals were from the period.
  void take_jitter(double period_us, double ticks_per_us, std::vector<double>& into) {
    for (const auto& log : logs_) {
      for (std::size_t i = 1; i < log->count; ++i)
        into.push_back(std::abs(static_cast<double>(log->at[i] - log->at[i - 1]) / ticks_per_us - period_us));
      log->count = 0;
    }
  }
  std::uint64_t logged() const {
    std::uint64_t sum = 0;
    for (const auto& log : logs_) sum += log->count;
    return sum;
  }

 private:
  sennit::runtime runtime_;
  const bool polls_;
  double had_cpu_ = 1;
  std::vector<std::unique_ptr<beat_log>> logs_;
};

double quantile(std::vector<double>& samples, double q) {
  if (samples.empty()) return 0;
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

}  // namespace

beat_measurement measure_beats(const beat_plan& plan) {
  const double period_us = std::chrono::duration<double, std::micro>(plan.period).count();
  everywhere workers(plan.workers, plan.source == sennit::beat_source_kind::polled);
  // What is polled for is compared with work that does not poll.
  everywhere undisturbed(plan.workers, false);

  constexpr std::uint64_t probe = 2000;
  undisturbed.run(probe);
  const double chunk = std::max(undisturbed.run(probe) / static_cast<double>(probe), 1e-9);
  const auto chunks =
      static_cast<std::uint64_t>(std::chrono::duration<double>(plan.slice).count() / chunk) + 1;

  beat_measurement m;
  std::vector<double> jitter;
  const clock::time_point start = clock::now();
  const ticks start_ticks = read_clock();
  for (unsigned i = 0; i < plan.repeat; ++i) {
    const double off = undisturbed.run(chunks);
    m.had_cpu += (undisturbed.had_cpu() - 1) / plan.repeat;
    double on = 0;
    {
      sennit::beats beating({.period = plan.period,
                             .source = plan.source,
                             .in = &workers.runtime(),
                             .on_beat = &note_beat,
                             .most_share = 1});
      on = workers.run(chunks);
      beating.stop();
      double worst = 1;
      for (const sennit::beat_count& c : beating.statistics()) {
        if (c.asked > 0)
          worst = std::min(worst, static_cast<double>(c.delivered) / static_cast<double>(c.asked));
      }
      m.rate_reached += worst / plan.repeat;
    }
    const auto beats = static_cast<double>(workers.logged());
    const double ticks_per_us =
        static_cast<double>(read_clock() - start_ticks) / (seconds_since(start) * 1e6);
    workers.take_jitter(period_us, ticks_per_us, jitter);
    m.slow_down.push_back(on / off);
    if (beats > 0) m.us_per_beat.push_back((on - off) * 1e6 * plan.workers / beats);
  }
  m.jitter_p50_us = quantile(jitter, 0.5);
  m.jitter_p99_us = quantile(jitter, 0.99);
  return m;
}

interval interval_of_median(const std::vector<double>& samples) {
  constexpr int resamples = 1000;
  constexpr double outside = 0.025;
  std::minstd_rand random(1);  // the same samples have the same interval
  std::uniform_int_distribution<std::size_t> any(0, samples.size() - 1);
  std::vector<double> medians;
  std::vector<double> again(samples.size());
  for (int i = 0; i < resamples; ++i) {
    for (double& s : again) s = samples[any(random)];
    medians.push_back(median(again));
  }
  return {quantile(medians, outside), quantile(medians, 1 - outside)};
}

namespace {

constexpr unsigned batches = 9;

// The us that one of them takes: of each batch the median, as in some the thread loses its CPU.
template <class Run>
std::vector<double> in_batches(std::chrono::nanoseconds budget, const Run& run) {
  std::vector<double> us;
  for (unsigned i = 0; i < batches; ++i) {
    const clock::time_point start = clock::now();
    std::vector<double> each;
    do {
      const clock::time_point begin = clock::now();
      run();
      each.push_back(seconds_since(begin) * 1e6);
    } while (clock::now() - start < budget / batches);
    us.push_back(median(std::move(each)));
  }
  return us;
}

}  // namespace

std::vector<double> measure_stolen_forks(unsigned workers, std::chrono::nanoseconds budget) {
  sennit::runtime runtime({.workers = workers});
  if (runtime.workers() < 2) return {};
  return runtime.run([&] {
    const clock::time_point last = clock::now() + 20 * budget;  // where nobody has a CPU to steal with
    return in_batches(budget, [&] {
      std::atomic<bool> taken{false};
      sennit::join(
          [&] {
            while (!taken.load(std::memory_order_relaxed) && clock::now() < last) {
            }
          },
          [&] { taken.store(true, std::memory_order_relaxed); });
    });
  });
}

std::vector<double> measure_children(std::chrono::nanoseconds budget) {
  constexpr int many = 64;
  sennit::runtime runtime({.workers = 1});
  return runtime.run([&] {
    std::vector<double> us = in_batches(budget, [] {
      sennit::task_group children;
      std::uint64_t sum = 0;
      for (int i = 0; i < many; ++i) children.spawn([&sum] { ++sum; });
      children.wait();
    });
    for (double& group : us) group /= many;
    return us;
  });
}

}  // namespace command

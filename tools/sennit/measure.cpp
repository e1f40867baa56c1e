// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/measure.hpp"

#include "tools/sennit/memory.hpp"

#include <sennit/replay.hpp>
#include <sennit/runtime.hpp>
#include <sennit/serial.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace command {
namespace {

using clock = std::chrono::steady_clock;
using gallery::policy;

template <class Number>
Number median_of(std::vector<Number> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

template <class Run>
std::any timed(side& s, const Run& run) {
  forget_peak();
  const clock::time_point start = clock::now();
  std::any result = run();
  s.seconds.push_back(std::chrono::duration<double>(clock::now() - start).count());
  s.peak_mib = std::max(s.peak_mib, peak_mib());
  return result;
}

}  // namespace

double median(std::vector<double> samples) { return median_of(std::move(samples)); }
std::uint64_t median(std::vector<std::uint64_t> samples) { return median_of(std::move(samples)); }

double measurement::speedup() const { return median(serial.seconds) / median(parallel.seconds); }

measurement measure(const gallery::kernel& kernel, const plan& p,
                    const std::function<void(std::string_view)>& progress) {
  sennit::runtime runtime({.workers = p.workers});
  measurement m;
  m.workers = runtime.workers();
  return_freed_memory();
  const clock::time_point start = clock::now();

  // All other results are compared with the first one. It is kept, so it counts in the peak memory of both
  // sides.
  std::any reference;
  const auto accept = [&](const std::any& result, std::string_view origin) {
    m.complaint = kernel.complaint(result);
    if (m.complaint.empty() && reference.has_value() && !kernel.same(reference, result)) {
      m.complaint = "the result is not the serial elision's";
    }
    if (!m.complaint.empty()) m.complaint = fmt::format("{}: {}", origin, m.complaint);
    return m.complaint.empty();
  };

  if (p.count_forks) {
    progress("counting forks");
    sennit::counted_serial::reset();
    reference = kernel.run(policy::counted);
    m.forks = sennit::counted_serial::forks();
    if (!accept(reference, "serial elision, counting forks")) return m;
  }
  const auto time_is_left = [&] { return p.budget.count() == 0 || clock::now() - start < p.budget; };
  for (unsigned i = 1; i == 1 || (i <= p.repeat && time_is_left()); ++i) {
    m.result.reset();
    progress(fmt::format("run {} of {}, serial", i, p.repeat));
    {
      std::any serial = timed(m.serial, [&] { return kernel.run(policy::serial); });
      if (!accept(serial, "serial elision")) return m;
      if (!reference.has_value()) reference = std::move(serial);
    }

    progress(fmt::format("run {} of {}, {} workers", i, p.repeat, m.workers));
    const std::uint64_t steals = runtime.statistics().steals;
    m.result = timed(m.parallel, [&] { return runtime.run([&] { return kernel.run(policy::parallel); }); });
    m.steals.push_back(runtime.statistics().steals - steals);
    if (!accept(m.result, fmt::format("sennit with {} workers", m.workers))) return m;

    if (!p.followed) continue;
    progress(fmt::format("run {} of {}, by the schedule", i, p.repeat));
    const std::any replayed = timed(m.replayed, [&] {
      return runtime.run(
          [&] { return sennit::replay(*p.followed, p.how, [&] { return kernel.run(policy::parallel); }); });
    });
    if (!accept(replayed, "sennit by the schedule")) return m;
  }
  m.description = kernel.describe(m.result);
  if (p.record) {
    progress(fmt::format("recorded run, {} workers", m.workers));
    std::any recorded;
    const auto body = [&] { recorded = kernel.run(policy::parallel); };
    runtime.run(
        [&] { m.schedule = p.followed ? sennit::record(*p.followed, p.how, body) : sennit::record(body); });
    accept(recorded, fmt::format("sennit with {} workers, recorded", m.workers));
  }
  return m;
}

}  // namespace command

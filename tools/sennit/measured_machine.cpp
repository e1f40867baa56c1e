// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/measured_machine.hpp"

#include "machine/machine_file.hpp"
#include "tools/sennit/machine_probes.hpp"
#include "tools/sennit/records.hpp"
#include "topology/cache_sizes.hpp"
#include "topology/machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace command {
namespace {

using sennit::sim::distance;
using sennit::sim::picoseconds;

picoseconds as_time(double ns) {
  return static_cast<picoseconds>(std::llround(std::max(0.0, ns) * sennit::sim::nanosecond));
}
// Three digits say enough of what was measured.
double rounded(double value) {
  if (value <= 0) return 0;
  const double step = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::round(value / step) * step;
}
picoseconds measured_time(double ns) { return as_time(rounded(ns)); }
std::uint64_t as_bandwidth(double mb_per_second) {
  return static_cast<std::uint64_t>(std::max<long long>(1, std::llround(rounded(mb_per_second))));
}

// Of each core, one CPU.
struct seen_machine {
  sennit::sim::places where;
  std::vector<unsigned> cpus;
};

seen_machine look() {
  const auto found = sennit::topology::machine::detect("", sennit::pin_mode::core);
  std::vector<std::vector<unsigned>> nodes;
  std::vector<unsigned> cpus;
  std::optional<sennit::topology::place> before;
  for (const sennit::topology::processor& p : found.processors()) {
    if (before && before->core == p.at.core) continue;
    if (!before || before->node != p.at.node) nodes.emplace_back();
    if (!before || before->cache != p.at.cache) nodes.back().push_back(0);
    ++nodes.back().back();
    cpus.push_back(p.cpu);
    before = p.at;
  }
  return {sennit::sim::places(nodes), cpus};
}

std::uint64_t line_bytes() {
  constexpr std::uint64_t usual = 64;
  const long told = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  return told > 0 && std::has_single_bit(static_cast<std::uint64_t>(told)) ? static_cast<std::uint64_t>(told)
                                                                           : usual;
}

// One measurement after the other.
class measuring {
 public:
  measuring(double seconds, const std::function<void(std::string_view)>& progress)
      : progress_(progress), each_(static_cast<std::int64_t>(seconds * 1e9 / measurements)) {}

  std::string text() {
    made_.name = "this";
    made_.where = seen_.where;
    runtime_costs();
    distances();
    system_costs();
    memory_costs();
    put_in_order();
    note("", machine_name());
    note("", "Measured by `sennit doctor --write-machine`: each value is the median of several batches,");
    note("", "or the lower quartile where it takes two threads at once.");
    if (cores() == 1) note("", "It has one core: what takes two was not measured, and is 0.");
    return sennit::sim::machine_text(made_, notes_);
  }

 private:
  static constexpr int measurements = 20;

  unsigned cores() const { return seen_.where.cores(); }
  void step(std::string_view what) const { progress_(what); }
  void note(std::string_view key, std::string text) { notes_.push_back({key, std::move(text)}); }

  // A core as near to the first one as that, and no nearer.
  std::optional<unsigned> core_at(distance d) const {
    for (unsigned c = 1; c < cores(); ++c) {
      if (seen_.where.between(0, c) == d) return c;
    }
    return std::nullopt;
  }
  unsigned cpu(unsigned core) const { return seen_.cpus[core]; }
  unsigned other_cpu() const { return cpu(cores() > 1 ? 1 : 0); }

  void runtime_costs() {
    sennit::sim::machine_costs& costs = made_.costs;
    step("measuring forks, loops and fences");
    costs.fork = measured_time(probe_fork(each_));
    costs.fence = measured_time(probe_fence(each_));
    costs.loop_chunk = measured_time(probe_loop_chunk(each_));
    costs.promotion = measured_time(probe_child(each_));
    note("promotion", "a child of a group that its own worker runs");
    if (cores() == 1) return;
    step("measuring steals");
    steal_ns_ = probe_steal(2 * each_);
    lock_ns_ = probe_lock(each_ / 2);
  }

  // Where the machine has no such cores, as the next nearer ones.
  void distances() {
    if (cores() == 1) return;
    step("measuring how far cores are from each other");
    sennit::sim::machine_costs& costs = made_.costs;
    double nearest = 0;
    const auto transfer = [&](distance d, std::string_view key) {
      if (const auto core = core_at(d)) {
        nearest = std::max(nearest, probe_transfer(cpu(0), cpu(*core), each_));
      } else {
        note(key, "there are no such cores");
      }
      return nearest;
    };
    const double near = transfer(distance::same_cache, "transfer.same_cache");
    const double middle = transfer(distance::same_node, "transfer.same_node");
    const double far = transfer(distance::other_node, "transfer.other_node");
    // Where no two cores share a cache, that distance costs as the next one.
    const double first = near > 0 ? near : middle > 0 ? middle : far;
    const double second = middle > 0 ? middle : far;
    costs.transfer = {measured_time(first), measured_time(std::max(first, second)),
                      measured_time(std::max(first, far))};

    // As src/policy/patience.hpp counts on.
    constexpr double look_ns = 50;
    const auto miss = [&](picoseconds moved) { return as_time(look_ns) + moved - costs.transfer.same_cache; };
    costs.steal_miss = {miss(costs.transfer.same_cache), miss(costs.transfer.same_node),
                        miss(costs.transfer.other_node)};
    note("steal_miss.same_cache",
         "50 ns, as the library's policies count on, and for farther cores what a line takes longer");
    // A steal is a look, a request, the owner's answer, and the rest.
    const double rest = std::max(steal_ns_ - look_ns - 2 * first, 2 * first);
    const picoseconds hit = measured_time(rest / 2);
    const auto from = [&](picoseconds moved) { return hit + 2 * (moved - costs.transfer.same_cache); };
    costs.steal_hit = {from(costs.transfer.same_cache), from(costs.transfer.same_node),
                       from(costs.transfer.other_node)};
    costs.strand = hit;
    const std::string derived =
        fmt::format("half of what a steal of {:.0f} ns takes but for a look and two transfers", steal_ns_);
    note("steal_hit.same_cache", derived);
    note("strand", derived);
    costs.deque_lock = measured_time(lock_ns_ + 2 * first);
    note("deque_lock", "a mutex and two transfers");
  }

  void system_costs() {
    sennit::sim::machine_costs& costs = made_.costs;
    step("measuring signals and sleep");
    const signal_costs signals = probe_signals(cpu(0), other_cpu(), 2 * each_);
    costs.signal_send = measured_time(signals.send);
    costs.signal_take = measured_time(signals.take);
    const sleep_costs sleep = probe_sleep(cpu(0), other_cpu(), 2 * each_);
    costs.park = measured_time(sleep.park);
    costs.wake_call = measured_time(sleep.wake_call);
    costs.wake_latency = measured_time(sleep.wake_latency);
    note("park", "processor time of a thread for one sleep, with its way back");
    step("measuring barriers");
    const barrier_costs alone = probe_barrier({cpu(0)}, each_ / 2);
    if (cores() == 1) {
      costs.barrier_base = measured_time(alone.takes);
      return;
    }
    // barrier(n) is for n running threads, of which one calls it.
    const barrier_costs two = probe_barrier({cpu(0), cpu(1)}, each_);
    double base = alone.takes;
    double per_thread = std::max(0.0, two.takes - base) / 2;
    if (cores() > 2) {
      const barrier_costs all = probe_barrier(seen_.cpus, each_);
      per_thread = std::max(0.0, all.takes - two.takes) / (cores() - 2);
      base = std::max(0.0, two.takes - 2 * per_thread);
    }
    costs.barrier_base = measured_time(base);
    costs.barrier_per_thread = measured_time(per_thread);
    costs.barrier_interrupt = measured_time(two.interrupts);
    if (two.takes == 0) note("barrier_base", "the system has no membarrier");
  }

  void memory_costs() {
    step("measuring memory");
    const auto caches = sennit::topology::cache_sizes();
    sennit::sim::machine_memory& memory = made_.memory;
    memory.line_bytes = line_bytes();
    memory.private_bytes = std::max(caches.own, memory.line_bytes);
    memory.shared_bytes = caches.shared;
    note("private_cache", "as the system says");
    // Some of a shared cache is others'.
    const std::uint64_t in_shared = std::max(2 * memory.private_bytes, memory.shared_bytes / 8);
    constexpr std::uint64_t most = std::uint64_t{256} << 20;
    const std::uint64_t in_memory =
        std::min(most, std::max(4 * memory.shared_bytes, 16 * memory.private_bytes));
    const unsigned here = cpu(0);
    memory.shared_latency = measured_time(probe_latency(in_shared, here, here, each_));
    memory.core_shared = as_bandwidth(probe_bandwidth(in_shared, here, {here}, each_ / 2));
    memory.local_latency = measured_time(probe_latency(in_memory, here, here, each_));
    memory.core_local = as_bandwidth(probe_bandwidth(in_memory, here, {here}, each_ / 2));
    memory.remote_latency = memory.local_latency;
    memory.core_remote = memory.core_local;
    // Out of the caches, together with what the other cores of its cache read.
    const std::uint64_t part =
        std::max(2 * memory.private_bytes, 2 * memory.shared_bytes / seen_.where.cores_of_cache(0).size());
    const auto all = cpus_of(0);
    memory.node_bandwidth = as_bandwidth(probe_bandwidth(part, here, all, each_));
    memory.link_bandwidth = memory.node_bandwidth;
    if (seen_.where.nodes() == 1) {
      note("remote_latency", "there is one node");
      note("core_remote", "there is one node");
      note("link_bandwidth", "there is one node");
      return;
    }
    step("measuring memory of another node");
    const auto others = cpus_of(1);
    memory.remote_latency = measured_time(probe_latency(in_memory, here, others.front(), each_));
    memory.core_remote = as_bandwidth(probe_bandwidth(in_memory, here, {others.front()}, each_ / 2));
    memory.link_bandwidth = as_bandwidth(probe_bandwidth(part, here, others, each_));
  }

  std::vector<unsigned> cpus_of(unsigned node) const {
    const sennit::sim::number_range cores = seen_.where.cores_of_node(node);
    return {seen_.cpus.begin() + cores.first, seen_.cpus.begin() + cores.end};
  }

  // Where noise has turned two values round.
  void put_in_order() {
    sennit::sim::machine_memory& m = made_.memory;
    m.local_latency = std::max(m.local_latency, m.shared_latency);
    m.remote_latency = std::max(m.remote_latency, m.local_latency);
    m.core_shared = std::max(m.core_shared, m.core_local);
    m.core_remote = std::min(m.core_remote, m.core_local);
    m.node_bandwidth = std::max(m.node_bandwidth, m.core_local);
  }

  const std::function<void(std::string_view)>& progress_;
  const probe_time each_;
  const seen_machine seen_ = look();
  double steal_ns_ = 0;
  double lock_ns_ = 0;
  sennit::sim::machine made_;
  std::vector<sennit::sim::machine_note> notes_;
};

}  // namespace

std::string measured_machine(double seconds, const std::function<void(std::string_view)>& progress) {
  return measuring(seconds, progress).text();
}

}  // namespace command

// SPDX-License-Identifier: Apache-2.0
#include "topology/machine.hpp"

#include "system/text.hpp"
#include "topology/cpus.hpp"
#include "topology/hwloc.hpp"

#include <sennit/detail/failure.hpp>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace sennit::topology {

namespace {

constexpr std::string_view synthetic = "synthetic:";

[[noreturn]] void refuse(const std::string& description, const std::string& why) {
  detail::fail<std::invalid_argument>("sennit: SENNIT_TOPOLOGY (or runtime_options::topology) is \"" +
                                      description + "\", but " + why);
}

// hwloc takes minutes for a million processors.
constexpr std::uint64_t most_virtual_processors = 1U << 16;

// The product of the numbers that follow colons, as of what lies in what.
std::uint64_t processors_in(const std::string& description) noexcept {
  std::uint64_t product = 1;
  for (std::size_t at = description.find(':'); at != std::string::npos; at = description.find(':', at + 1)) {
    const std::uint64_t count = std::strtoull(description.c_str() + at + 1, nullptr, 10);
    if (count > most_virtual_processors) return count;
    product *= std::max<std::uint64_t>(count, 1);
    if (product > most_virtual_processors) return product;
  }
  return product;
}

machine virtual_machine(const std::string& description) {
  if (description.starts_with(synthetic)) {
    if (hwloc_version().empty()) {
      refuse(description,
             "this build of the library is without hwloc, which makes virtual machines; unset it, or "
             "configure with -DSENNIT_WITH_HWLOC=ON");
    }
    if (processors_in(description) > most_virtual_processors) {
      refuse(description, "has more than " + std::to_string(most_virtual_processors) +
                              " processors; describe a smaller machine, as in "
                              "\"synthetic:pack:2 numa:2 l3:1 core:4 pu:1\"");
    }
    auto described = machine_of_synthetic(description.substr(synthetic.size()));
    if (described) return machine(std::move(described->processors), pin_mode::none, described->caches);
  }
  refuse(description, "must be \"synthetic:\" and an hwloc synthetic description, as in "
                      "\"synthetic:pack:2 numa:2 l3:1 core:4 pu:1\"");
}

// All processors in one node, with one cache.
std::vector<processor> processors_unseen(const std::vector<unsigned>& cpus) {
  std::vector<processor> all;
  all.reserve(cpus.size());
  for (const unsigned cpu : cpus) all.push_back({{0, 0, cpu}, cpu});
  return all;
}

}  // namespace

machine machine::detect(const std::string& description, pin_mode pin) {
  if (!description.empty()) return virtual_machine(description);
  const std::vector<unsigned> cpus = allowed_cpus();
  const bool look = pin == pin_mode::core || (pin != pin_mode::none && several_nodes());
  if (!look) return machine(processors_unseen(cpus), pin_mode::none);
  const pin_mode binding = pin == pin_mode::core ? pin_mode::core : pin_mode::node;
  if (auto seen = processors_by_hwloc(cpus)) {
    return machine(std::move(seen->processors), seen->real ? binding : pin_mode::none);
  }
  return machine(processors_in_sysfs(cpus), binding);
}

machine::machine(std::vector<processor> processors, pin_mode binding,
                 std::optional<policy::cache_sizes> described_caches)
    : processors_(std::move(processors)), binding_(binding), described_caches_(described_caches) {
  std::sort(processors_.begin(), processors_.end());
  place given = processors_.front().at;
  place counted;
  for (processor& p : processors_) {
    // A new node also begins a new cache and a new core, whatever their numbers: places are nested.
    const bool node = p.at.node != given.node;
    const bool cache = node || p.at.cache != given.cache;
    const bool core = cache || p.at.core != given.core;
    counted.node += node ? 1 : 0;
    counted.cache += cache ? 1 : 0;
    counted.core += core ? 1 : 0;
    given = std::exchange(p.at, counted);
  }
  if (binding_ == pin_mode::node && node_count() == 1) binding_ = pin_mode::none;
}

place machine::place_of(unsigned worker, unsigned workers) const noexcept {
  const auto share_of = [&](std::size_t count) {
    return static_cast<std::size_t>(std::uint64_t{worker % workers} * count / workers);
  };
  // Each worker gets a core before any worker shares one.
  if (workers > core_count()) return processors_[share_of(processors_.size())].at;
  const std::size_t core = share_of(core_count());
  return std::partition_point(processors_.begin(), processors_.end(),
                              [&](const processor& p) { return p.at.core < core; })
      ->at;
}

bool machine::bind_current_thread(unsigned worker, unsigned workers) const noexcept {
  if (binding_ == pin_mode::none) return false;
  const place here = place_of(worker, workers);
  const auto inside = [&](const processor& p) {
    return binding_ == pin_mode::core ? p.at.core == here.core : p.at.node == here.node;
  };
  unsigned most = 0;
  for (const processor& p : processors_) most = std::max(most, p.cpu);
  cpu_set_t* const set = CPU_ALLOC(most + 1);
  if (set == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(most + 1);
  CPU_ZERO_S(bytes, set);
  for (const processor& p : processors_) {
    if (inside(p)) CPU_SET_S(p.cpu, bytes, set);
  }
  const bool bound = pthread_setaffinity_np(pthread_self(), bytes, set) == 0;
  CPU_FREE(set);
  return bound;
}

bool several_nodes(const std::string& root) {
  const auto online = text::read_text(root + "/sys/devices/system/node/online");
  const auto nodes = online ? text::parse_list(*online) : std::nullopt;
  return nodes && nodes->size() > 1;
}

std::vector<processor> processors_in_sysfs(const std::vector<unsigned>& cpus, const std::string& root) {
  std::vector<processor> all = processors_unseen(cpus);
  const std::string folder = root + "/sys/devices/system/node/";
  const auto online = text::read_text(folder + "online");
  const auto nodes = online ? text::parse_list(*online) : std::nullopt;
  if (!nodes) return all;
  for (const unsigned node : *nodes) {
    const auto text = text::read_text(folder + "node" + std::to_string(node) + "/cpulist");
    const auto inside =
        text ? text::parse_list(*text) : std::nullopt;  // empty for a node that has only memory
    if (!inside) continue;
    for (processor& p : all) {
      if (std::find(inside->begin(), inside->end(), p.cpu) != inside->end()) p.at.node = node;
    }
  }
  return all;
}

}  // namespace sennit::topology

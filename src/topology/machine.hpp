// SPDX-License-Identifier: Apache-2.0
// The machine as a tree of places, and the place of each worker.
#pragma once

#include "policy/splicing.hpp"

#include <sennit/runtime.hpp>

#include <compare>
#include <optional>
#include <string>
#include <vector>

namespace sennit::topology {

// A core, by the path to it: machine > NUMA node > last-level cache > core. Each number counts the places of
// its level in the whole machine, from 0 and in the order of the machine.
struct place {
  unsigned node = 0;
  unsigned cache = 0;
  unsigned core = 0;
  auto operator<=>(const place&) const = default;
};

// A hardware thread: its core, and its number in the kernel.
struct processor {
  place at;
  unsigned cpu = 0;
  auto operator<=>(const processor&) const = default;
};

class machine {
 public:
  // The machine for a runtime with these options. Without a description, it is the real machine, as far as
  // the calling thread's affinity mask allows. It is examined closely only if threads will be bound;
  // otherwise it counts as one node of cores that share a cache. With "synthetic:" and an hwloc synthetic
  // description, it is a virtual machine. Throws std::invalid_argument for any other description.
  SENNIT_EXPORT static machine detect(const std::string& description, pin_mode pin);

  // A machine of these processors, which are the leaves of the tree. Precondition: there is at least one
  // processor. Numbers in `at` need to differ only if the places differ. `binding` is what threads are bound
  // to: none if the CPU numbers are not those of this machine, or automatic if this is not decided yet.
  machine(std::vector<processor> processors, pin_mode binding,
          std::optional<policy::cache_sizes> described_caches = {});

  unsigned node_count() const noexcept { return processors_.back().at.node + 1; }
  unsigned cache_count() const noexcept { return processors_.back().at.cache + 1; }
  unsigned core_count() const noexcept { return processors_.back().at.core + 1; }
  const std::vector<processor>& processors() const noexcept { return processors_; }
  // none, node or core.
  pin_mode binding() const noexcept { return binding_; }
  // The caches of a core, if a description gives their sizes; 0 for a level that it has no cache of.
  const std::optional<policy::cache_sizes>& described_caches() const noexcept { return described_caches_; }

  // The place of this worker out of `workers`. The workers of each node, cache and core have contiguous
  // numbers, and two places of the same size differ by at most one worker. Numbers from `workers` on, which
  // guests have, start again at the first place.
  place place_of(unsigned worker, unsigned workers) const noexcept;

  // Binds the calling thread to the place of that worker; does nothing on a machine without binding. Not for
  // a thread that the program made. Returns false if the thread may still run anywhere.
  bool bind_current_thread(unsigned worker, unsigned workers) const noexcept;

 private:
  std::vector<processor> processors_;  // ascending
  pin_mode binding_;
  std::optional<policy::cache_sizes> described_caches_;
};

// Whether the kernel uses more than one NUMA node. This is cheap, so a machine with one node is never
// examined closely.
bool several_nodes(const std::string& root = "");

// The CPUs with these numbers, each as a core of its own, in the NUMA nodes that sysfs reports; in one node
// if sysfs reports none. `root` is put before the paths of all files.
std::vector<processor> processors_in_sysfs(const std::vector<unsigned>& cpus, const std::string& root = "");

}  // namespace sennit::topology

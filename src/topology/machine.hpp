// The machine as a tree of places, and the place in it that each worker has.
#pragma once

#include <sennit/runtime.hpp>

#include <compare>
#include <string>
#include <vector>

namespace sennit::topology {

// A core, by the path to it: machine > NUMA node > last-level cache > core.
// Each number counts the places of its level over the whole machine, from 0 and in the machine's order.
struct place {
  unsigned node = 0;
  unsigned cache = 0;
  unsigned core = 0;
  auto operator<=>(const place&) const = default;
};

// A hardware thread, by the core that it belongs to and the number that the kernel gives it.
struct processor {
  place at;
  unsigned cpu = 0;
  auto operator<=>(const processor&) const = default;
};

class machine {
 public:
  // The machine that a runtime with these options runs on. Without a description it is the real one, as
  // far as the calling thread's affinity mask allows it; looked at closely only if threads are to be bound,
  // else taken as one node of cores that share a cache. With "synthetic:" and an hwloc synthetic description
  // it is a virtual one. Throws std::invalid_argument for any other description.
  static machine detect(const std::string& description, pin_mode pin);

  // Of these processors; the tree is stored as its leaves. In `at`, numbers need only differ where places do.
  // There is at least one processor. `binding` is what threads are bound to: none where cpu numbers are not
  // this machine's, or not yet decided (automatic).
  machine(std::vector<processor> processors, pin_mode binding);

  unsigned node_count() const noexcept { return processors_.back().at.node + 1; }
  unsigned cache_count() const noexcept { return processors_.back().at.cache + 1; }
  unsigned core_count() const noexcept { return processors_.back().at.core + 1; }
  const std::vector<processor>& processors() const noexcept { return processors_; }
  // none, node or core.
  pin_mode binding() const noexcept { return binding_; }

  // Where the worker with this number out of so many belongs. Numbers are contiguous in each node,
  // cache and core, and two places of a size differ by one worker at most. Numbers beyond `workers`,
  // those of guests, begin anew.
  place place_of(unsigned worker, unsigned workers) const noexcept;

  // Lets the calling thread run only where that worker belongs; on a machine that binds none, does nothing.
  // Not for a thread that the program made. False if the thread may still run anywhere.
  bool bind_current_thread(unsigned worker, unsigned workers) const noexcept;

 private:
  std::vector<processor> processors_;  // ascending
  pin_mode binding_;
};

// Whether the kernel runs more than one NUMA node. Cheap, so that a machine with one
// is never looked at closely.
bool several_nodes(const std::string& root = "");

// The CPUs with these numbers, each a core of its own, and the NUMA nodes that sysfs puts them in:
// one if it does not say. `root` comes before the paths of all files read.
std::vector<processor> processors_in_sysfs(const std::vector<unsigned>& cpus, const std::string& root = "");

}  // namespace sennit::topology

// SPDX-License-Identifier: Apache-2.0
#include "topology/hwloc.hpp"

#if defined(SENNIT_HAS_HWLOC)

#include <hwloc.h>

#include <algorithm>
#include <cstdint>

namespace sennit::topology {

namespace {

class description {
 public:
  // Describes this machine if `synthetic` is null.
  explicit description(const char* synthetic) noexcept {
    if (hwloc_topology_init(&topology_) != 0) {
      topology_ = nullptr;
      return;
    }
    // By default, hwloc moves the calling thread to each CPU in turn. The calling thread may be one of the
    // program's.
    loaded_ = hwloc_topology_set_flags(topology_, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING) == 0 &&
              (synthetic == nullptr || hwloc_topology_set_synthetic(topology_, synthetic) == 0) &&
              hwloc_topology_load(topology_) == 0;
  }
  description(const description&) = delete;
  description& operator=(const description&) = delete;
  ~description() {
    if (topology_ != nullptr) hwloc_topology_destroy(topology_);
  }

  bool loaded() const noexcept { return loaded_; }
  bool real() const noexcept { return hwloc_topology_is_thissystem(topology_) != 0; }
  std::vector<processor> processors() const;
  // Of the types of caches in `known`. The size of others is 0.
  policy::cache_sizes caches(const std::vector<hwloc_obj_type_t>& known) const noexcept;

 private:
  hwloc_obj_t node_of(hwloc_obj_t pu) const noexcept;

  hwloc_topology_t topology_ = nullptr;
  bool loaded_ = false;
};

// Nodes can share CPUs, or have none, for example on a machine with two kinds of memory. The smallest node
// around a processor, and of several the first one, has the memory that the processor uses by default.
hwloc_obj_t description::node_of(hwloc_obj_t pu) const noexcept {
  hwloc_obj_t narrowest = nullptr;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    if (!hwloc_bitmap_isset(node->cpuset, pu->os_index)) continue;
    if (narrowest == nullptr || hwloc_bitmap_weight(node->cpuset) < hwloc_bitmap_weight(narrowest->cpuset)) {
      narrowest = node;
    }
  }
  return narrowest;
}

hwloc_obj_t last_cache_of(hwloc_obj_t pu) noexcept {
  hwloc_obj_t last = nullptr;
  for (hwloc_obj_t around = pu->parent; around != nullptr; around = around->parent) {
    if (hwloc_obj_type_is_dcache(around->type) != 0) last = around;
  }
  return last;
}

// Numbers objects in the order of the tree. hwloc's own numbers count each kind of cache separately.
class numbering {
 public:
  unsigned of(hwloc_obj_t object) {
    const auto at = std::find(seen_.begin(), seen_.end(), object);
    const auto number = static_cast<unsigned>(at - seen_.begin());
    if (at == seen_.end()) seen_.push_back(object);
    return number;
  }

 private:
  std::vector<hwloc_obj_t> seen_;
};

std::vector<processor> description::processors() const {
  std::vector<processor> all;
  numbering nodes;
  numbering caches;
  numbering cores;
  for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_PU, pu)) != nullptr;) {
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_CORE, pu);
    if (core == nullptr) core = pu;
    all.push_back({{nodes.of(node_of(pu)), caches.of(last_cache_of(pu)), cores.of(core)}, pu->os_index});
  }
  return all;
}

// Around the first processor; processors of one machine hardly differ.
policy::cache_sizes description::caches(const std::vector<hwloc_obj_type_t>& known) const noexcept {
  policy::cache_sizes found{};
  const hwloc_obj_t pu = hwloc_get_obj_by_type(topology_, HWLOC_OBJ_PU, 0);
  for (hwloc_obj_t around = pu; around != nullptr; around = around->parent) {
    if (hwloc_obj_type_is_dcache(around->type) == 0) continue;
    const bool is_known = std::find(known.begin(), known.end(), around->type) != known.end();
    const std::uint64_t bytes = is_known ? around->attr->cache.size : 0;
    if (around->type == HWLOC_OBJ_L2CACHE) found.own = bytes;
    (around->type == HWLOC_OBJ_L1CACHE ? found.first : found.shared) = bytes;
  }
  return found;
}

// The types of caches of data that have a size in the description. hwloc makes up the sizes of the others, and does not tell
// them apart. A level is a type, a colon, a number, and perhaps attributes in parentheses, as in "l2:1(size=1048576)".
std::vector<hwloc_obj_type_t> types_with_a_size(const std::string& text) {
  std::vector<hwloc_obj_type_t> types;
  for (std::size_t open = text.find('('); open != std::string::npos; open = text.find('(', open + 1)) {
    const std::string attributes = text.substr(open, text.find(')', open) - open);
    if (attributes.find("size=") == std::string::npos) continue;
    const std::size_t before = open == 0 ? std::string::npos : text.find_last_of(" \t)", open - 1);
    const std::string level = text.substr(before == std::string::npos ? 0 : before + 1);
    hwloc_obj_type_t type{};
    if (hwloc_type_sscanf(level.c_str(), &type, nullptr, 0) == 0 && hwloc_obj_type_is_dcache(type) != 0)
      types.push_back(type);
  }
  return types;
}

}  // namespace

std::string hwloc_version() { return HWLOC_VERSION; }

std::optional<hwloc_answer> processors_by_hwloc(const std::vector<unsigned>& cpus) {
  const description seen(nullptr);
  if (!seen.loaded()) return std::nullopt;
  hwloc_answer answer{seen.processors(), seen.real()};
  if (answer.real) {
    std::erase_if(answer.processors,
                  [&](const processor& p) { return !std::binary_search(cpus.begin(), cpus.end(), p.cpu); });
  }
  if (answer.processors.empty()) return std::nullopt;
  return answer;
}

std::optional<synthetic_answer> machine_of_synthetic(const std::string& text) {
  const description made(text.c_str());
  if (!made.loaded()) return std::nullopt;
  synthetic_answer answer{made.processors(), std::nullopt};
  if (const auto known = types_with_a_size(text); !known.empty()) answer.caches = made.caches(known);
  return answer;
}

}  // namespace sennit::topology

#else

namespace sennit::topology {

std::string hwloc_version() { return {}; }
std::optional<hwloc_answer> processors_by_hwloc(const std::vector<unsigned>&) { return std::nullopt; }
std::optional<synthetic_answer> machine_of_synthetic(const std::string&) { return std::nullopt; }

}  // namespace sennit::topology

#endif

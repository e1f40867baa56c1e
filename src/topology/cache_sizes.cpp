// SPDX-License-Identifier: Apache-2.0
#include "topology/cache_sizes.hpp"

#include "system/text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sennit::topology {

namespace {

// The kernel's answer for the caches of the first processor; processors of one machine hardly differ. 0: no
// answer. The C library's answer would be that of the CPUID instruction, which in a virtual machine may
// describe the host.
std::uint64_t kernel_says(const std::string& root, int level) {
  for (int i = 0; i < 8; ++i) {
    const std::string cache = root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::optional<std::string> its_level = text::read_text(cache + "level");
    const std::optional<std::string> type = text::read_text(cache + "type");
    const std::optional<std::string> size = text::read_text(cache + "size");
    if (!its_level) return 0;
    if (its_level != std::to_string(level) || type == "Instruction" || !size) continue;
    // For example "2048K".
    const auto kib = text::parse<std::uint64_t>(std::string_view(*size).substr(0, size->find('K')));
    if (kib) return *kib * 1024;
  }
  return 0;
}

std::uint64_t size_of(const std::string& root, int level, int name, std::uint64_t usual) {
  if (const std::uint64_t bytes = kernel_says(root, level); bytes != 0) return bytes;
  const long told = sysconf(name);
  return told > 0 ? static_cast<std::uint64_t>(told) : usual;
}

}  // namespace

policy::cache_sizes cache_sizes(const std::string& root) {
  const std::uint64_t own = size_of(root, 2, _SC_LEVEL2_CACHE_SIZE, 1 << 20);
  return {size_of(root, 1, _SC_LEVEL1_DCACHE_SIZE, 32 << 10), own,
          size_of(root, 3, _SC_LEVEL3_CACHE_SIZE, 8 * own)};
}

policy::cache_sizes completed(const policy::cache_sizes& described,
                              const policy::cache_sizes& usual) noexcept {
  policy::cache_sizes all = described;
  if (all.shared == 0) all.shared = std::max({usual.shared, all.own, all.first});
  if (all.own == 0) all.own = std::min(std::max(usual.own, all.first), all.shared);
  if (all.first == 0) all.first = std::min(usual.first, all.own);
  return all;
}

}  // namespace sennit::topology

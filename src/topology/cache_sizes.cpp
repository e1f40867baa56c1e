#include "topology/cache_sizes.hpp"

#include <sennit/detail/config.hpp>

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace sennit::topology {

namespace {

// What the kernel knows of the first processor's caches; of those in use they hardly differ. 0: nothing. The C library's answer
// is that of the instruction set, which in a virtual machine may be the host's.
std::uint64_t kernel_says(int level) {
  for (int i = 0; i < 8; ++i) {
    const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    int its_level = 0;
    std::string type;
    std::uint64_t kib = 0;
    if (!(std::ifstream(cache + "level") >> its_level) || !(std::ifstream(cache + "type") >> type)) return 0;
    if (its_level != level || type == "Instruction") continue;
    if (std::ifstream(cache + "size") >> kib) return kib * 1024;
  }
  return 0;
}

std::uint64_t size_of(int level, int name, std::uint64_t usual) noexcept {
  std::uint64_t bytes = 0;
#if SENNIT_EXCEPTIONS
  try {
    bytes = kernel_says(level);
  } catch (...) {
    // Then nobody says.
  }
#else
  bytes = kernel_says(level);
#endif
  if (bytes != 0) return bytes;
  const long told = sysconf(name);
  return told > 0 ? static_cast<std::uint64_t>(told) : usual;
}

policy::cache_sizes ask() noexcept {
  const std::uint64_t own = size_of(2, _SC_LEVEL2_CACHE_SIZE, 1 << 20);
  return {own, size_of(3, _SC_LEVEL3_CACHE_SIZE, 8 * own)};
}

}  // namespace

policy::cache_sizes cache_sizes() noexcept {
  static const policy::cache_sizes sizes = ask();
  return sizes;
}

}  // namespace sennit::topology

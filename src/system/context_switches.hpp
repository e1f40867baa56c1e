// How often a thread has changed from running to waiting for a processor, or for something else.
#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace sennit::detail {

struct switches {
  std::int64_t preempted = 0;  // the system took the processor from it
  std::int64_t waited = 0;     // it slept, or waited for something

  friend switches operator-(const switches& a, const switches& b) noexcept {
    return {.preempted = a.preempted - b.preempted, .waited = a.waited - b.waited};
  }
};

// Of the calling thread. A system call.
inline switches switches_so_far() noexcept {
  rusage used{};
  if (getrusage(RUSAGE_THREAD, &used) != 0) return {};
  return {.preempted = used.ru_nivcsw, .waited = used.ru_nvcsw};
}

}  // namespace sennit::detail

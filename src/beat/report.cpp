// SPDX-License-Identifier: Apache-2.0
#include "beat/report.hpp"

#include "beat/address_pairs.hpp"
#include "beat/point_name.hpp"

#include <map>

namespace sennit::detail {

namespace {

struct point_total {
  std::uint64_t taken = 0;
  bool linked = false;  // some copy of the function has the promotion point
};

const point_record* next(const point_record* at) noexcept {
  constexpr std::uintptr_t alignment = alignof(point_record);
  const auto end = reinterpret_cast<std::uintptr_t>(at->name()) + at->name_bytes;
  return reinterpret_cast<const point_record*>((end + alignment - 1) & ~(alignment - 1));
}

// A function that is copied, or a template, has its promotion points in several places.
std::map<point_name, point_total> totals() {
  std::map<point_name, point_total> sums;
  // ORD[D40] acquire: as in find().
  for (const paired_module* m = __atomic_load_n(&paired_modules, __ATOMIC_ACQUIRE); m != nullptr;
       m = m->next) {
    if (!__atomic_load_n(&m->live, __ATOMIC_RELAXED)) continue;
    for (const point_record* at = m->points; at < m->points_end; at = next(at)) {
      point_total& sum = sums[name_of_point(at->name(), at->line)];
      sum.taken += __atomic_load_n(&at->taken, __ATOMIC_RELAXED);
      sum.linked |= find_instruction(at->function).copy == copy_of_code::first;
    }
  }
  return sums;
}

std::string place(const point_name& name) {
  return name.function + (name.line == 0 ? "" : ", line " + std::to_string(name.line)) + "\n";
}

}  // namespace

std::string report_points(std::uint64_t beats) {
  const std::map<point_name, point_total> sums = totals();
  std::string text = std::to_string(beats) + " beats delivered\n";
  if (sums.empty())
    return text +
           "no promotion points: no target has any, or each has SENNIT_NO_PROMOTION_POINTS defined, or those "
           "that have some are plug-ins with a copy of the library of their own\n";
  std::string never;
  for (const auto& [name, sum] : sums) {
    if (sum.taken != 0) {
      text += "taken " + std::to_string(sum.taken) + " times: " + place(name);
    } else if (sum.linked) {
      never += "never taken: " + place(name);
    } else {
      never += "never taken, as the linker took a copy of the function from an object that is not rolled "
               "forward: " +
               place(name);
    }
  }
  return text + never;
}

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
#include "maps/edges.hpp"

#include <tsl/robin_map.h>

#include <mutex>

class of_robin {
 public:
  std::uint32_t find_or_insert(const maps::key& k, std::uint32_t n) {
    part& p = parts_[maps::hash()(k) >> 58];
    const std::lock_guard guard(p.using_it);
    return p.map.try_emplace(k, n).first->second;
  }

 private:
  struct alignas(64) part {
    std::mutex using_it;
    tsl::robin_map<maps::key, std::uint32_t, maps::hash> map;
  };

  part parts_[64];
};

int main(int argc, char** argv) {
  bench::program program(argc, argv, "tsl::robin_map, 64 with a mutex each");
  return program.run(maps::walk<of_robin>(program));
}

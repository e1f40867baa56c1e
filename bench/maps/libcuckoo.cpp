// SPDX-License-Identifier: Apache-2.0
#include "maps/edges.hpp"

#include <libcuckoo/cuckoohash_map.hh>

class of_libcuckoo {
 public:
  std::uint32_t find_or_insert(const maps::key& k, std::uint32_t n) {
    std::uint32_t found = n;
    map_.upsert(k, [&](const std::uint32_t& known) { found = known; }, n);
    return found;
  }

 private:
  libcuckoo::cuckoohash_map<maps::key, std::uint32_t, maps::hash> map_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv, "libcuckoo, cuckoohash_map");
  return program.run(maps::walk<of_libcuckoo>(program));
}

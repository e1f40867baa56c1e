// SPDX-License-Identifier: Apache-2.0
#include "maps/edges.hpp"

#include <boost/unordered/concurrent_flat_map.hpp>
#include <boost/version.hpp>

#include <string>

class of_boost {
 public:
  std::uint32_t find_or_insert(const maps::key& k, std::uint32_t n) {
    std::uint32_t found = n;
    map_.emplace_or_cvisit(k, n, [&](const auto& entry) { found = entry.second; });
    return found;
  }

 private:
  boost::concurrent_flat_map<maps::key, std::uint32_t, maps::hash> map_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  program.describe("Boost " + std::to_string(BOOST_VERSION / 100000) + "." +
                   std::to_string(BOOST_VERSION / 100 % 1000) + ", concurrent_flat_map");
  return program.run(maps::walk<of_boost>(program));
}

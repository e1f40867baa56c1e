// SPDX-License-Identifier: Apache-2.0
#include "maps/edges.hpp"

#include <unordered_map>

class of_standard {
 public:
  std::uint32_t find_or_insert(const maps::key& k, std::uint32_t n) {
    return map_.try_emplace(k, n).first->second;
  }

 private:
  std::unordered_map<maps::key, std::uint32_t, maps::hash> map_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return program.run(maps::walk<of_standard>(program));
}

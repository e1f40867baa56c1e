// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include "maps/edges.hpp"

#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_unordered_map.h>

class of_onetbb {
 public:
  std::uint32_t find_or_insert(const maps::key& k, std::uint32_t n) {
    map::const_accessor entry;
    map_.insert(entry, map::value_type(k, n));
    return entry->second;
  }

 private:
  struct compare {
    static std::size_t hash(const maps::key& k) { return maps::hash()(k); }
    static bool equal(const maps::key& a, const maps::key& b) { return a == b; }
  };
  using map = tbb::concurrent_hash_map<maps::key, std::uint32_t, compare>;

  map map_;
};

class of_onetbb_unordered {
 public:
  std::uint32_t find_or_insert(const maps::key& k, std::uint32_t n) {
    return map_.emplace(k, n).first->second;
  }

 private:
  tbb::concurrent_unordered_map<maps::key, std::uint32_t, maps::hash> map_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::onetbb_version());
  if (program.is("unordered")) return program.run(maps::walk<of_onetbb_unordered>(program));
  return program.run(maps::walk<of_onetbb>(program));
}

// SPDX-License-Identifier: Apache-2.0
// In the order of parallel_hash_map's arguments.
#include <sennit/algorithm/group.hpp>

#include <vector>

struct sale {
  int customer;
  double price;
};
void sums(const std::vector<sale>& sales) {
  sennit::parallel_reduce_by_key(sales, &sale::customer, &sale::price, 0.0);
}

// SPDX-License-Identifier: Apache-2.0
// A single sequence is for parallel_reduce.
#include <sennit/algorithm/transform_reduce.hpp>

#include <vector>

double sum(const std::vector<double>& x) { return sennit::parallel_transform_reduce(x, 0.0); }

// SPDX-License-Identifier: Apache-2.0
// One dimension is a memory_range.
#include <sennit/data_regions.hpp>

auto row(const double* data) { return sennit::memory_box<1>(data, {}, {sennit::range{0, 1}}); }

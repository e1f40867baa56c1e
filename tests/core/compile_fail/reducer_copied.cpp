// SPDX-License-Identifier: Apache-2.0
// Strands look for their views by the reducer; a copy would have none of them.
#include <sennit/reducer.hpp>

sennit::reducer<int> copied(const sennit::reducer<int>& sum) { return sum; }

// SPDX-License-Identifier: Apache-2.0
// Strands that add to a reducer refer to it: it stays where it is.
#include <sennit/reducer.hpp>

#include <utility>

sennit::reducer<int> moved(sennit::reducer<int>& sum) { return std::move(sum); }

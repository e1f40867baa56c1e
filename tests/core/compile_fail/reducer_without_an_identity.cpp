// SPDX-License-Identifier: Apache-2.0
// A function that makes the identity is to make one.
#include <sennit/reducer.hpp>

#include <functional>

using sum = sennit::reducer<double, std::plus<>, void (*)()>;

double value(sum& s) { return s.value(); }

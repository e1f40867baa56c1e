// SPDX-License-Identifier: Apache-2.0
// There is no < of complex numbers.
#include <sennit/algorithm/extremes.hpp>

#include <complex>
#include <vector>

auto least(const std::vector<std::complex<double>>& x) { return *sennit::parallel_min_element(x); }

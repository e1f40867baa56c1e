// SPDX-License-Identifier: Apache-2.0
// A measurement as text.
#pragma once

#include "gallery/kernel.hpp"
#include "tools/sennit/measure.hpp"

#include <cstddef>
#include <string>

namespace command {

// The parameters with their values: "n=38 seed=1".
std::string show_parameters(gallery::kernel& kernel);

// How the figures were taken: "medians of 3 interleaved runs each".
std::string show_sampling(std::size_t runs);
std::string show_workers(unsigned workers);
std::string show_steals(const measurement& m);
std::string show_forks(const measurement& m);

// The output of `sennit run`.
std::string report(gallery::kernel& kernel, const measurement& m);
// Of --replay: what it cost.
std::string report_of_replay(const measurement& m, sennit::fidelity how);

}  // namespace command

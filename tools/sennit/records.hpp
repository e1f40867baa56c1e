// SPDX-License-Identifier: Apache-2.0
// A measurement as JSON records, in the format of all of Sennit's benchmarks.
#pragma once

#include "gallery/kernel.hpp"
#include "tools/sennit/measure.hpp"

#include <string>

namespace command {

// The machine's CPU, the number of CPUs, and the kernel: as JSON, and as a line of text.
std::string machine_record();
std::string machine_name();

// The content of the whole file.
std::string records_of(gallery::kernel& kernel, const measurement& m);

}  // namespace command

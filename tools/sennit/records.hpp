// A measurement as the JSON records that all of Sennit's benchmarks write.
#pragma once

#include "gallery/kernel.hpp"
#include "tools/sennit/measure.hpp"

#include <string>

namespace command {

// Its CPU, how many, and its kernel: as JSON, and as a line of text.
std::string machine_record();
std::string machine_name();

// All of the file.
std::string records_of(gallery::kernel& kernel, const measurement& m);

}  // namespace command

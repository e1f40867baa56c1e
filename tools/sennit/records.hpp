// A measurement as the JSON records that all of Sennit's benchmarks write.
#pragma once

#include "gallery/kernel.hpp"
#include "tools/sennit/measure.hpp"

#include <filesystem>
#include <string>

namespace command {

// Its CPU, how many, and its kernel: as JSON, and as a line of text.
std::string machine_record();
std::string machine_name();

void write_records(gallery::kernel& kernel, const measurement& m, const std::filesystem::path& path);

}  // namespace command

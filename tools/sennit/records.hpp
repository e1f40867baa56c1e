// A measurement as the JSON records that all of Sennit's benchmarks write.
#pragma once

#include "gallery/kernel.hpp"
#include "tools/sennit/measure.hpp"

#include <filesystem>

namespace command {

void write_records(gallery::kernel& kernel, const measurement& m, const std::filesystem::path& path);

}  // namespace command

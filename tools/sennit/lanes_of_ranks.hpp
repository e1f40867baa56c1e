// SPDX-License-Identifier: Apache-2.0
// The lanes of a run on ranks: those of each rank's trace beside each other, and messages between them.
#pragma once

#include "tools/sennit/lanes.hpp"
#include "tools/sennit/program_trace.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace command {

// The files that a run with SENNIT_TRACE=FILE on ranks made, by rank; none, if there is no such file or FILE itself exists.
std::vector<std::filesystem::path> files_of_ranks(const std::filesystem::path& file);

// Traces of files with these names, in any order. Throws std::runtime_error if two are of one rank.
lanes lanes_of_ranks(const std::vector<program_trace>& traces, const std::vector<std::string>& names);

// For the page: ranks and messages, of many only some. Nothing, where there are no ranks.
void add_ranks(const lanes& l, nlohmann::json& page);
// What each rank did. `busy`: of each lane.
std::string text_of_ranks(const lanes& l, const std::vector<sennit::sim::picoseconds>& busy);

}  // namespace command

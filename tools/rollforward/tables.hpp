// SPDX-License-Identifier: Apache-2.0
// What the library reads at run time. Its side: src/beat/address_pairs.hpp.
#pragma once

#include "tools/rollforward/outline.hpp"
#include "tools/rollforward/second_copy.hpp"

#include <string>
#include <string_view>

namespace rollforward {

// A C identifier, so that the linker makes symbols for its two ends.
inline constexpr std::string_view table_section = "sennit_rollforward";

// The pairs of one procedure: where it is in either copy, and for each place how far from there.
std::string address_pairs(const procedure& p, const second_copy& copy);

inline constexpr std::string_view point_section = "sennit_points";

// A record for each promotion point of one procedure, in no group: they are there even if the code is not.
std::string point_records(const procedure& p, const std::string& function, const second_copy& copy);

// Code that tells the library of all tables in an executable or shared object, once however many objects it is made of.
std::string registration();

}  // namespace rollforward

// SPDX-License-Identifier: Apache-2.0
// The part of a schedule's file that says what is known of the order besides the order.
#pragma once

#include "schedule/bytes.hpp"

#include <sennit/splice_schedule.hpp>

#include <cstdint>
#include <vector>

namespace sennit::detail {

// blocks: of each call. docs/design/splice-schedules.md has the format.
void write_notes(number_writer& to, const splice_notes& notes, const std::vector<std::uint32_t>& blocks);
// Throws std::runtime_error if nobody writes such numbers.
splice_notes read_notes(number_reader& from, const std::vector<std::uint32_t>& blocks);

}  // namespace sennit::detail

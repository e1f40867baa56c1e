// SPDX-License-Identifier: Apache-2.0
// Reports of accesses that no effects allow.
#pragma once

#include <sennit/effects.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sennit::checker {

// The rule that an access breaks: the effects that do not contain it.
enum class rule : std::uint8_t {
  step,        // the effects of the step
  afterwards,  // what follows a sequence
  call,        // the effects of a surrounding call
  outside,     // code outside steps may use only its own data, and data that no code writes
};

// Where addresses are, relative to the nearest region.
enum class position : std::uint8_t { nowhere, before, within, read_only, behind };
position position_of(std::uintptr_t first, std::uintptr_t last, bool written, const effects* has);

// An access in the code, with all its addresses that no effects allow.
struct fault {
  static constexpr std::size_t most_callers = 24;

  rule broken;
  bool written;
  unsigned calls_out;  // from the step outward to the call whose effects lack it
  const effects* has;  // the effects that do not allow it; null: no effects at all
  position lies;
  std::uintptr_t first;
  std::uintptr_t last;
  std::size_t bytes;  // of one access
  std::uint64_t accesses;
  std::array<const void*, most_callers> callers;  // the place of the access first
  std::size_t depth;
};

// Prints the faults of one step, or of one piece of code outside steps, on standard error: once for each
// line of the source, for reads and writes, and for each rule. Makes the process end with status 66.
void report(std::vector<fault> found);

// At its end, the process then reports that there were regions without known addresses.
void note_region_by_hull() noexcept;

// For tests: reports are collected there instead of printed, and do not change the exit status. Null:
// reports are printed again.
void collect(std::vector<std::string>* reports) noexcept;

// Makes the process, if anything has been reported, print a count at its end and exit with status 66.
void conclude_at_exit() noexcept;

}  // namespace sennit::checker

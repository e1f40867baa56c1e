// What the checker says of accesses that no effects allow.
#pragma once

#include <sennit/effects.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sennit::checker {

// What an access is not in.
enum class rule : std::uint8_t {
  step,        // the effects of the step
  afterwards,  // what is to follow a sequence
  call,        // the effects of a call around it
  outside,     // code outside steps has only what is its own, and what nobody writes
};

// Where addresses lie, seen from the region that is nearest to them.
enum class position : std::uint8_t { nowhere, before, within, read_only, behind };
position position_of(std::uintptr_t first, std::uintptr_t last, bool written, const effects* has);

// An access in the code, with all the addresses at which it was one too many.
struct fault {
  static constexpr std::size_t most_callers = 24;

  rule broken;
  bool written;
  unsigned calls_out;  // from the step to the call whose effects lack it
  const effects* has;  // those that do not allow it; null: none do
  position lies;
  std::uintptr_t first;
  std::uintptr_t last;
  std::size_t bytes;  // of one access
  std::uint64_t accesses;
  std::array<const void*, most_callers> callers;  // the access itself first
  std::size_t depth;
};

// Says so on standard error, once for each line of the source, reads and writes, and each rule, and lets the
// process end with status 66. All of the faults of one step, or of one stretch of code outside steps.
void report(std::vector<fault> found);

// Says before the process ends that there were regions whose addresses nobody knows.
void note_region_by_hull() noexcept;

// For tests: what would be said goes there, and the process ends as it would; null: it is said again.
void collect(std::vector<std::string>* reports) noexcept;

// Before the process ends: status 66 and a count, if anything has been reported.
void conclude_at_exit() noexcept;

}  // namespace sennit::checker

// SPDX-License-Identifier: Apache-2.0
// What follows a call in its function: continuation effects, in words of the program.
#pragma once

#include "tools/splicec/walk.hpp"

#include <string>

namespace splicec {

// The name of the effects of the function's call, in the function.
inline constexpr std::string_view whole_effects = "sennit_fx";

// A value of type sennit::effects.
std::string effects_of(const pragma& says);
// Of variables of the file, and of what is not known.
std::string effects_of(const touched& inferred, unsigned declared_before);
bool is_nothing(const touched& inferred) noexcept;
// Both.
std::string joined(const std::vector<std::string>& effects);
std::string of_step(const step_effects& does, unsigned declared_before);

// Effects of all that may come after a call that stands at `offset` (Lifflander and Krishnamoorthy, 2017, Figure 10); empty if
// nothing does. What cannot be said where the call stands is the whole of what the function does.
std::string continuation(walker& in, program& of, const follow* after, unsigned offset);

// What the function does that its pragma need not say: what is touched outside annotated steps. Adds to `callees` the spliced
// functions that it calls.
touched inferred_in(walker& in, program& of, std::vector<spliced_function*>& callees);

}  // namespace splicec

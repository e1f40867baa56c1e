// SPDX-License-Identifier: Apache-2.0
// What the watchdog reports: who waits for whom, and where.
#pragma once

#include <string>

namespace sennit::detail {

class runtime_core;

// A text for people. To make it, threads of the runtime handle a signal.
std::string strands_as_text(runtime_core& core);

}  // namespace sennit::detail

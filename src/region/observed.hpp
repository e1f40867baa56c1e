// SPDX-License-Identifier: Apache-2.0
// Regions whose constructs are told to somebody.
#pragma once

#include <sennit/detail/action.hpp>

namespace sennit::detail {

class schedule_hooks;
class told_graph;

// Runs the body as a region that is observed, in the calling strand, or else in one of the default runtime.
void observe(schedule_hooks& by, action body);

// Runs the body in a hidden part of the observed region that the calling strand is in: strands of all workers may share in
// the body, and nobody is told of them, but of the nodes of `graph`. The frames around stay with the region. Afterwards the
// strand may be on another worker.
void run_hidden(action body, told_graph* graph = nullptr);

}  // namespace sennit::detail

// Regions whose constructs are told to somebody.
#pragma once

#include <sennit/detail/action.hpp>

namespace sennit::detail {

class schedule_hooks;

// Runs the body as a region that is observed, in the calling strand, or else in one of the default runtime.
void observe(schedule_hooks& by, action body);

}  // namespace sennit::detail

// The store-load order between an owner and whoever changes its gates, paid by the latter.
#pragma once

#include <sennit/runtime.hpp>

namespace sennit::detail {

// What a runtime uses, never `automatic`. Throws std::invalid_argument if membarrier is asked
// for and the kernel refuses it.
steal_barrier resolve(steal_barrier asked);

// Whether the kernel has the expedited membarrier; registers the process for it.
bool membarrier_available() noexcept;

// When it returns, every other running thread of the process has executed a full fence since the call.
// All that the caller stored before is visible to it after its fence, and all that it stored
// before its fence to the caller.
void membarrier_all() noexcept;

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// From a runtime as users see it to its core, and to a seat there.
#pragma once

#include <sennit/runtime.hpp>

namespace sennit::detail {

class runtime_core;
class worker;

// That of the runtime that is asked for; null: of the one whose strand calls, or else the default one, which
// it starts.
runtime_core& core_of(runtime* asked);

// Whether it is that of runtime::default_runtime(), which this does not start.
bool is_default(const runtime_core& core) noexcept;

// A guest's seat in runtime::default_runtime(), which does not end meanwhile.
worker& admit_to_default();

}  // namespace sennit::detail

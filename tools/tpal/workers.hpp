// SPDX-License-Identifier: Apache-2.0
// The abstract machine on the workers of a Sennit runtime.
#pragma once

#include "tools/tpal/machine.hpp"

namespace tpal {

// Each forked task is a child of a task_group, and the group of a join record is waited for where the parent joins it.
// `how.seed` means nothing here. Throws as run(), and as sennit::runtime does for its workers.
result run_on_workers(const image& start, const settings& how, unsigned workers);

}  // namespace tpal

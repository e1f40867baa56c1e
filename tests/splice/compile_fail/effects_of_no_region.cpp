// SPDX-License-Identifier: Apache-2.0
// A pointer says where data begins, and not where it ends.
#include <sennit/splice.hpp>

void annotated(const double* data) { const sennit::call_effects fx{sennit::reads(data)}; }

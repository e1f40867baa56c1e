// SPDX-License-Identifier: Apache-2.0
// No body.
#include <sennit/parallel_for.hpp>

void nothing() { sennit::parallel_for(0, 10); }

// SPDX-License-Identifier: Apache-2.0
// A join has branches.
#include <sennit/sennit.hpp>

void called() { sennit::join(); }

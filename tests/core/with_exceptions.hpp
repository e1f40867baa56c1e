// SPDX-License-Identifier: Apache-2.0
// What code without exceptions calls, and is called by, in a program that has code of both kinds.
#pragma once

namespace sennit_test {

// What `work` returns, called in a region that has been cancelled; -1: cancellation stopped it.
int in_cancelled_region(int (*work)());
// 12, or sennit::cancelled is thrown.
int joins_and_loops();

}  // namespace sennit_test

// SPDX-License-Identifier: Apache-2.0
// As oneTBB's own header does.
#define __TBB_parallel_for_H
#include "../../../integrations/tbb/include/sennit/tbb/first.hpp"

// SPDX-License-Identifier: Apache-2.0
#include <execution>
// The back end is chosen already.
#include "../../../integrations/std_execution/include/sennit/std_execution.hpp"

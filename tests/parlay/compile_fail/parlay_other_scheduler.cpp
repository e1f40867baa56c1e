// SPDX-License-Identifier: Apache-2.0
// Catches a definition for another scheduler that is left in the build.
#define PARLAY_OPENMP
#include "../../../integrations/parlay/include/sennit/parlay.hpp"

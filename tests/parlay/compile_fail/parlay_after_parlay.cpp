// SPDX-License-Identifier: Apache-2.0
// Catches two schedulers in one program: ParlayLib has chosen its own by then.
#include "../mock/parlay/parallel.h"
using parlay::par_do;
#include "../../../integrations/parlay/include/sennit/parlay.hpp"

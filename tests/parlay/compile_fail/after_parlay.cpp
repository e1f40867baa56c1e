// Catches two schedulers in one program: ParlayLib has chosen its own by then.
#include "../mock/parlay/parallel.h"

#include "../../../integrations/parlay/include/sennit/parlay.hpp"

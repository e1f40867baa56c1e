#include <execution>
// The back end is chosen already.
#include "../../../integrations/std_execution/include/sennit/std_execution.hpp"

#include "../../../integrations/tbb/include/oneapi/tbb/flow_graph.h"

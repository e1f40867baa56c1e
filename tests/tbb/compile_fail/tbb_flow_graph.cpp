// SPDX-License-Identifier: Apache-2.0
#include "../../../integrations/tbb/include/oneapi/tbb/flow_graph.h"

// SPDX-License-Identifier: Apache-2.0
// oneTBB's flow graph runs on the scheduler of oneTBB.
#pragma once
#error "sennit::tbb has no flow graph: compile this file without sennit::tbb, or use sennit::graph; see integrations/tbb/README.md"

// SPDX-License-Identifier: Apache-2.0
// All of sennit::starpu.
#pragma once

#include <sennit/starpu/graph.hpp>
#include <sennit/starpu/session.hpp>

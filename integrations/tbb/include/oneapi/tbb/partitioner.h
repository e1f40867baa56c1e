// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sennit/tbb/partitioner.hpp>
#include <sennit/tbb/task_arena.hpp>
#include <sennit/tbb/task_group.hpp>

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sennit/tbb/parallel_for.hpp>
#include <sennit/tbb/parallel_sort.hpp>
#include <sennit/tbb/task_arena.hpp>
#include <sennit/tbb/task_group.hpp>

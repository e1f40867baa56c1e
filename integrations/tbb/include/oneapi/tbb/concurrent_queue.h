// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sennit/tbb/blocked_range.hpp>
#include_next <oneapi/tbb/concurrent_queue.h>

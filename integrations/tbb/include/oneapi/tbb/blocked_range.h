// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sennit/tbb/blocked_range.hpp>

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sennit/tbb/collaborative_call_once.hpp>

#pragma once
#include <sennit/tbb/blocked_range.hpp>

#pragma once
#include <sennit/tbb/partitioner.hpp>

#pragma once
#include <sennit/tbb/parallel_reduce.hpp>

#pragma once
#include <sennit/tbb/parallel_for.hpp>

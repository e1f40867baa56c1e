#pragma once
#include <sennit/tbb/task.hpp>

#pragma once
#include <sennit/tbb/task_group.hpp>

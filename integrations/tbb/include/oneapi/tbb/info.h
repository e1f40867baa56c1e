#pragma once
#include <sennit/tbb/task_arena.hpp>

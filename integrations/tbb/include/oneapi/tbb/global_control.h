#pragma once
#include <sennit/tbb/global_control.hpp>

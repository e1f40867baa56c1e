#pragma once
#include <sennit/tbb/collaborative_call_once.hpp>

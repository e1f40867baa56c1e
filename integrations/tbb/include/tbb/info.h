#pragma once
#include <oneapi/tbb/info.h>

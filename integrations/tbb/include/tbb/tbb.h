#pragma once
#include <oneapi/tbb.h>

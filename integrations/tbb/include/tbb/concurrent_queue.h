#pragma once
#include <oneapi/tbb/concurrent_queue.h>

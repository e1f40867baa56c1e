// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <oneapi/tbb/task_scheduler_observer.h>

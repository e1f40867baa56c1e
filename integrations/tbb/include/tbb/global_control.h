// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <oneapi/tbb/global_control.h>

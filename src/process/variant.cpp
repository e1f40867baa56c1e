// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/variant.hpp>

constinit const char SENNIT_VARIANT_TAG = 0;

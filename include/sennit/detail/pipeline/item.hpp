// SPDX-License-Identifier: Apache-2.0
// What a pipeline knows of an item, apart from its value.
#pragma once

#include <cstdint>

namespace sennit::detail {

struct pipeline_item {
  std::uint64_t number = 0;       // from 1 on, in the order of the source
  pipeline_item* next = nullptr;  // in a list of free items, or of items that wait for a stage
  std::uint32_t stage = 0;        // that the item is in, or waits for
  bool gone = false;              // dropped: it only takes its turns
};

}  // namespace sennit::detail

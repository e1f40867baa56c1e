// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/label_numbers.hpp"

#include "tools/tpal/flow.hpp"

#include <algorithm>

namespace tpal {

label_numbers::label_numbers(const program& p)
    : blocks_(labels_as_values(p)), values_(blocks_.size()), numbers_(p.blocks.size()) {
  for (std::size_t b = 0; b < p.blocks.size(); ++b) {
    if (!std::binary_search(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(values_), b))
      blocks_.push_back(b);
  }
  for (std::size_t n = 0; n < blocks_.size(); ++n) numbers_[blocks_[n]] = n;
}

}  // namespace tpal

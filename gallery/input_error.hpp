// SPDX-License-Identifier: Apache-2.0
// What the user gave cannot be used. The message names the input and the remedy.
#pragma once

#include <stdexcept>

namespace gallery {

class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gallery

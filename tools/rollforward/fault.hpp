// SPDX-License-Identifier: Apache-2.0
// An error in the input, and its place.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace rollforward {

class fault : public std::runtime_error {
 public:
  // `line` counts from 1; 0 means the file as a whole.
  fault(std::size_t line, const std::string& what) : std::runtime_error(what), line_(line) {}

  std::size_t line() const noexcept { return line_; }

 private:
  std::size_t line_;
};

}  // namespace rollforward

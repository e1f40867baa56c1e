// SPDX-License-Identifier: Apache-2.0
// sweep_error: a sweep failed on one of its ranks.
#pragma once

#include <stdexcept>
#include <string>

namespace sennit::mpi {

// A step, or its effects, threw on some rank. All ranks throw it. On the rank where that happened, the exception is nested
// (std::nested_exception).
class sweep_error : public std::runtime_error {
 public:
  sweep_error(const std::string& message, int rank) : std::runtime_error(message), rank_(rank) {}
  int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

}  // namespace sennit::mpi

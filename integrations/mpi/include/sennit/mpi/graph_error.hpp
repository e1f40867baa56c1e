// SPDX-License-Identifier: Apache-2.0
// graph_error: a graph failed on one of its ranks.
#pragma once

#include <stdexcept>
#include <string>

namespace sennit::mpi {

// A node, or what describes it, threw on some rank. All ranks throw it. On the rank where that happened, the exception is
// nested (std::nested_exception).
class graph_error : public std::runtime_error {
 public:
  graph_error(const std::string& message, int rank) : std::runtime_error(message), rank_(rank) {}
  int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

}  // namespace sennit::mpi

// SPDX-License-Identifier: Apache-2.0
// When each task of a run was at work, for a picture.
#pragma once

#include "tools/tpal/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tpal {

// All times are spans: when it would happen if every task had a processor.
class timeline : public observer {
 public:
  struct piece {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  // What one task did. The pieces follow one another; between them it waits for a child.
  struct life {
    std::vector<piece> pieces;
    std::vector<std::uint64_t> beats;
    std::optional<std::uint64_t> parent;
    std::uint64_t over = 0;  // when it halted, or its parent combined with it
    bool combined = false;
  };

  timeline() : lives_(1) { lives_[0].pieces.push_back({0, 0}); }

  void beat(const task& t) override { lives_[t.id].beats.push_back(t.span); }
  void forked(const task& parent, const task& child) override;
  void joined(std::uint64_t task, std::uint64_t span) override;
  void combined(const combination& c) override;
  void left(const task& t) override;
  void halted(const task& t) override;

  // By the tasks' ids, which are in the order of the forks of this interleaving.
  const std::vector<life>& lives() const { return lives_; }

  // A row for each task, such that no two in a row are there at the same time.
  std::vector<std::size_t> rows() const;

 private:
  void resume(std::uint64_t task, std::uint64_t at);
  void stop(std::uint64_t task, std::uint64_t at);

  std::vector<life> lives_;
};

}  // namespace tpal

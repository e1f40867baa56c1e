// SPDX-License-Identifier: Apache-2.0
// The order in which the steps of a splice have run, and which of them ran in parallel.
#pragma once

#include <sennit/detail/splice/spliced_call.hpp>

#include <cstdint>

namespace sennit::detail {

class splice_log {
 public:
  splice_log() = default;
  splice_log(const splice_log&) = delete;
  splice_log& operator=(const splice_log&) = delete;
  virtual ~splice_log() = default;

  virtual void note(spliced_call& step) = 0;
  virtual void note(std::uint32_t tree, const void* part) = 0;
  // Two strands begin, with these logs. What comes after both strands is noted here.
  struct pair {
    splice_log& left;
    splice_log& right;
  };
  virtual pair fork() = 0;
};

}  // namespace sennit::detail

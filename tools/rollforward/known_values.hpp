// SPDX-License-Identifier: Apache-2.0
// What of a frame is known while a call goes on there.
#pragma once

#include "tools/rollforward/lexer.hpp"

#include <set>
#include <string>
#include <string_view>

namespace rollforward {

// Follows the code behind a call. A copy of the frame can run that code while the call goes on, if it only computes, from registers that
// calls keep and from words of the frame. Results of the call are not there yet; what is computed from them is as good as they
// are. Registers that calls do not keep are not known until they are written, although the code may rely on what the function that it
// calls leaves unchanged.
class known_values {
 public:
  // `frame_pointer`: whether %rbp points into the frame; otherwise what it points to is no word of it.
  explicit known_values(bool frame_pointer);

  // Whether the instruction computes from what is known, into a register or a word of the frame, and cannot fail. Then its result is known
  // from there on.
  bool follow(const statement& instruction);

 private:
  bool knows(std::string_view operand) const;
  bool knows_address(std::string_view operand) const;
  bool is_word_of_frame(std::string_view operand) const;
  bool can_write(std::string_view operand) const;
  bool write(std::string_view operand);

  const bool frame_pointer_;
  std::set<std::string, std::less<>> registers_;
  bool flags_ = false;
};

}  // namespace rollforward

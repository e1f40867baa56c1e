// SPDX-License-Identifier: Apache-2.0
// What the .cfi_ directives say about the frame at a place in a procedure.
#pragma once

#include "tools/rollforward/lexer.hpp"

#include <vector>

namespace rollforward {

class frame_state {
 public:
  // Whether the canonical frame address is relative to %rsp, so that changes of %rsp need directives.
  bool follows_stack_pointer() const noexcept { return base_.stack_pointer; }

  // Whether it is relative to %rbp. Only then is %rbp certain to point into the frame: elsewhere compilers use it as they use %rbx.
  bool has_frame_pointer() const noexcept { return base_.frame_pointer; }

  // Follows any .cfi_ directive. Call it in the order of the text.
  void follow(const statement& s);

 private:
  struct base {
    bool stack_pointer = true;
    bool frame_pointer = false;
  };

  base base_;
  std::vector<base> remembered_;
};

}  // namespace rollforward

// What the .cfi_ directives say about the frame at a place in a procedure.
#pragma once

#include "tools/rollforward/lexer.hpp"

#include <vector>

namespace rollforward {

class frame_state {
 public:
  // Whether the canonical frame address is relative to %rsp, so that changes of %rsp need directives.
  bool follows_stack_pointer() const noexcept { return stack_pointer_; }

  // Follows any .cfi_ directive. Call it in the order of the text.
  void follow(const statement& s);

 private:
  bool stack_pointer_ = true;
  std::vector<bool> remembered_;
};

}  // namespace rollforward

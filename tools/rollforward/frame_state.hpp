// What the .cfi_ directives say about the frame at a place of a procedure.
#pragma once

#include "tools/rollforward/lexer.hpp"

#include <vector>

namespace rollforward {

class frame_state {
 public:
  // Is the canonical frame address counted from %rsp, so that moving it has to be told?
  bool follows_stack_pointer() const noexcept { return stack_pointer_; }

  // Any .cfi_ directive, in the order of the text.
  void follow(const statement& s);

 private:
  bool stack_pointer_ = true;
  std::vector<bool> remembered_;
};

}  // namespace rollforward

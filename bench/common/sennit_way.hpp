#pragma once

#include "common/sennit.hpp"

#include <sennit/join.hpp>

namespace bench {

class sennit_way {
 public:
  explicit sennit_way(program& program) : runtime_(program) {}

  template <class F>
  void enter(F&& f) {
    runtime_.run(f);
  }
  template <class F, class G>
  static void both(F&& f, G&& g) {
    sennit::join(f, g);
  }

 private:
  sennit_runtime runtime_;
};

}  // namespace bench

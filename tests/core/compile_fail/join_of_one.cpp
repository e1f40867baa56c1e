// A join of one branch is a call.
#include <sennit/sennit.hpp>

void called() {
  sennit::join([] {});
}

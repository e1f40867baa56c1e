// A join has branches.
#include <sennit/sennit.hpp>

void called() { sennit::join(); }

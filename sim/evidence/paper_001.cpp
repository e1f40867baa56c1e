#include "evidence/evidence.hpp"

namespace sennit::sim::evidence {

std::vector<figure> figures_of_001() { return {}; }

}  // namespace sennit::sim::evidence

#include "evidence/evidence.hpp"

namespace sennit::sim::evidence {

std::vector<figure> figures_of_003() { return {}; }

}  // namespace sennit::sim::evidence

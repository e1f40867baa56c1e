#include "system/failure.hpp"

#include <sennit/refine.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace sennit {

refinement::refinement(schedule start, refinement_options options)
    : current_(std::move(start)),
      options_(options),
      rule_({options.tolerance, options.vain_rounds, options.most_rounds}) {
  if (!(options_.tolerance >= 0 && options_.tolerance <= 1)) {
    detail::fail<std::invalid_argument>("sennit::refinement: a tolerance of " +
                                        std::to_string(options_.tolerance) +
                                        "; it is a share, from 0 to 1, as in 0.02");
  }
  if (!(options_.prune >= 0 && options_.prune <= 100)) {
    detail::fail<std::invalid_argument>("sennit::refinement: prune = " + std::to_string(options_.prune) +
                                        "; it is a percentage, from 0 to 100");
  }
}

schedule refinement::followed() const {
  return options_.prune > 0 ? current_.prune(options_.prune) : current_;
}

void refinement::note(schedule next) {
  double busy = 0;
  double idle = 0;
  for (const worker_share& share : next.shares()) {
    busy += static_cast<double>(share.busy.count());
    idle += static_cast<double>(share.idle.count());
  }
  rule_.note(busy, idle);
  current_ = std::move(next);
}

}  // namespace sennit

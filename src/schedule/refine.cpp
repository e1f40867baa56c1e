#include "core/failure.hpp"

#include <sennit/refine.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace sennit {

refinement::refinement(schedule start, refinement_options options)
    : current_(std::move(start)), options_(options) {
  if (!(options_.tolerance >= 0)) {
    detail::fail<std::invalid_argument>("sennit::refinement: a tolerance of " +
                                        std::to_string(options_.tolerance) + "; it is a share, as in 0.02");
  }
  if (!(options_.prune >= 0 && options_.prune <= 100)) {
    detail::fail<std::invalid_argument>("sennit::refinement: prune = " + std::to_string(options_.prune) +
                                        "; it is a percentage, from 0 to 100");
  }
  if (options_.most_rounds == 0) converged_ = true;
}

schedule refinement::followed() const {
  return options_.prune > 0 ? current_.prune(options_.prune) : current_;
}

void refinement::note(schedule next) {
  std::int64_t busy = 0;
  for (const worker_share& share : next.shares()) busy += share.busy.count();
  const std::int64_t idle = next.idle().count();
  const auto noticeable = static_cast<std::int64_t>(options_.tolerance * static_cast<double>(busy + idle));
  const bool better = rounds_ == 0 || idle + noticeable < idle_ || busy + noticeable < busy_;
  vain_ = better ? 0 : vain_ + 1;
  idle_ = rounds_ == 0 ? idle : std::min(idle_, idle);
  busy_ = rounds_ == 0 ? busy : std::min(busy_, busy);
  ++rounds_;
  converged_ = vain_ >= options_.vain_rounds || rounds_ >= options_.most_rounds;
  current_ = std::move(next);
}

}  // namespace sennit

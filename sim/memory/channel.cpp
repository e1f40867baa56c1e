#include "memory/channel.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace sennit::sim {

bytes_per_microsecond channel::share(picoseconds now) {
  if (bandwidth_ == 0) return std::numeric_limits<bytes_per_microsecond>::max();
  while (!users_.empty() && users_.front().until <= now) {
    used_ -= users_.front().rate;
    std::pop_heap(users_.begin(), users_.end(), std::greater<>());
    users_.pop_back();
  }
  const bytes_per_microsecond left = bandwidth_ > used_ ? bandwidth_ - used_ : 0;
  const bytes_per_microsecond even = bandwidth_ / (users_.size() + 1);
  return std::max({left, even, bytes_per_microsecond{1}});
}

void channel::use(picoseconds until, bytes_per_microsecond rate) {
  if (bandwidth_ == 0) return;
  users_.push_back({until, rate});
  std::push_heap(users_.begin(), users_.end(), std::greater<>());
  used_ += rate;
}

}  // namespace sennit::sim

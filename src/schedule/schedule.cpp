// SPDX-License-Identifier: Apache-2.0
#include "schedule/file.hpp"
#include "schedule/steal_tree.hpp"
#include "schedule/text.hpp"
#include "schedule/timeline.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/schedule.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sennit {
namespace {

const detail::steal_tree all_on_one;

std::chrono::nanoseconds nanoseconds(std::uint64_t count) {
  return std::chrono::nanoseconds(static_cast<std::chrono::nanoseconds::rep>(count));
}

// Adds two times that are not negative. The sum is at most the largest value, because a file may contain any
// times.
void add(std::chrono::nanoseconds& sum, std::chrono::nanoseconds time) {
  sum += std::min(time, std::chrono::nanoseconds::max() - sum);
}

}  // namespace

bool schedule::operator==(const schedule& other) const {
  return tree_ == other.tree_ || tree() == other.tree();
}

std::size_t schedule::steals() const { return detail::steals(tree()); }
unsigned schedule::workers() const { return tree().roles; }
std::size_t schedule::depth() const { return detail::depth(tree()); }
std::size_t schedule::bytes() const { return to_bytes().size(); }
std::chrono::nanoseconds schedule::length() const { return nanoseconds(tree().length); }

std::chrono::nanoseconds schedule::idle() const {
  std::chrono::nanoseconds sum{0};
  for (const worker_share& share : shares()) add(sum, share.idle);
  return sum;
}

std::vector<worker_share> schedule::shares() const {
  std::vector<worker_share> shares(tree().roles);
  detail::walk(tree().root, [&](const detail::visit& at) {
    if (at.node.taken) ++shares.at(at.node.begun.role).steals;
  });
  for (const detail::strand& strand : detail::strands(tree())) {
    for (const detail::stretch& part : strand.stretches) {
      add(shares.at(part.by.role).busy, nanoseconds(part.when.end - part.when.begin));
    }
  }
  for (worker_share& share : shares) share.idle = std::max(length() - share.busy, nanoseconds(0));
  return shares;
}

std::string schedule::text() const { return detail::text(tree()); }

schedule schedule::prune(double percent) const {
  if (!(percent >= 0 && percent <= 100)) {
    detail::fail<std::invalid_argument>("sennit: schedule::prune(" + std::to_string(percent) +
                                        "): give a percentage from 0 to 100");
  }
  const std::size_t all = steals();
  const auto kept = static_cast<std::size_t>(std::floor(static_cast<double>(all) * (100 - percent) / 100));
  if (kept >= all) return *this;
  return schedule(detail::hold(detail::prune(tree(), kept)));
}

schedule schedule::without_times() const {
  return detail::has_times(tree()) ? schedule(detail::hold(detail::without_times(tree()))) : *this;
}

void schedule::save(const std::string& path) const { detail::write_file(path, to_bytes()); }

schedule schedule::load(const std::string& path) { return from_bytes(detail::read_file(path), path); }

std::vector<std::byte> schedule::to_bytes() const { return detail::encode(tree()); }

schedule schedule::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  return schedule(detail::decode(bytes, name));
}

const detail::steal_tree& schedule::tree() const { return tree_ ? *tree_ : all_on_one; }

std::shared_ptr<const detail::steal_tree> detail::schedule_access::tree(const schedule& s) {
  if (s.tree_) return s.tree_;
  return {std::shared_ptr<void>(), &all_on_one};
}

}  // namespace sennit

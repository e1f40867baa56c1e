// SPDX-License-Identifier: Apache-2.0
// What a strand does in a run with a bound for its values. docs/protocols/graphs.md, "A bound for values".
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/alive.hpp>
#include <sennit/detail/graph/node.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sennit::detail {

// Strand: a run_strand, which has this as its base.
template <class Strand>
class strand_room {
 public:
  // When nothing is left here: goes on with a node that has waited for room, if one can begin, or if no other strand has
  // anything to do.
  SENNIT_COLD bool takes_waiting() {
    using item = typename Strand::item;
    if (self().whole_.pool_.stopped()) return false;
    self().whole_.values_.leave(self().values_.held);
    std::vector<item> now_ready;
    self().whole_.bound_.freed(self().values_.held.take_freed(),
                               [&](const item& i) { now_ready.push_back(i); });
    self().add_reversed(now_ready);
    if (!now_ready.empty()) return true;
    const std::optional<item> first =
        self().whole_.bound_.take(self().whole_.pool_.is_alone(), [&](std::span<const node_number> read) {
          return self().whole_.values_.frees(read);
        });
    if (first) self().own_.todo.add(*first);
    return first.has_value();
  }

 protected:
  strand_room() = default;
  ~strand_room() = default;

  // The place of what a node made in the order of the run.
  void plan_made(node_number n, std::size_t made) {
    const alive_plan& maker = self().whole_.values_.plan(n);
    self().whole_.bound_.note_kept(maker.kept);
    for (std::size_t i = 0; i < made; ++i) {
      alive_plan& plan = self().whole_.values_.plan(self().values_.named[i]);
      plan.follow(maker, i, made, plan.kept);
    }
  }
  // Returns true if the node waits until there is room for its value.
  template <class Item>
  bool waits_for_room(const Item& i) {
    const node_number n = i.step().node();
    self().find_read(n);
    self().values_.read.sort();
    const std::span<const node_number> read = self().values_.read.all();
    const alive_amount frees = self().whole_.values_.frees(read);
    alive_plan& plan = self().whole_.values_.plan(n);
    if constexpr (Strand::homed) {
      // A schedule says where and when nodes begin.
      self().whole_.bound_.begin_anyway(plan, !read.empty(), frees);
      return false;
    }
    return !self().whole_.bound_.begin(i, plan, read, frees);
  }
  void note_computed(node_number n, const alive_amount& made) {
    using item = typename Strand::item;
    std::vector<item> now_ready;
    self().whole_.bound_.end(self().whole_.values_.plan(n), made, self().values_.held.take_freed(),
                             [&](const item& i) { now_ready.push_back(i); });
    self().add_reversed(now_ready);
  }

 private:
  Strand& self() noexcept { return static_cast<Strand&>(*this); }
};

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// Which memory the steps of a splice touch, as it is kept in a schedule.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/splice/order.hpp>
#include <sennit/effects.hpp>
#include <sennit/splice_schedule.hpp>

#include <vector>

namespace sennit::detail {

// Collects the memory of each block of each call. Thread-safety: none.
class SENNIT_EXPORT step_memory {
 public:
  void begin_call();
  // The next block of the call. If it is not known which bytes a region has, nothing is known of any block.
  void add(const effects& of_block);
  // Moves what has been collected.
  void put(splice_notes& to);

 private:
  std::vector<memory_runs> memory_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint64_t> first_blocks_;
  bool is_known_ = true;
};

// Puts the memory of all blocks of these trees. Nothing if an effects_of() throws: it will throw again where its step is
// looked for.
template <class Tree>
void put_memory_of(const std::vector<Tree>& trees, splice_notes& to) {
  const auto collect = [&] {
    step_memory all;
    for (const Tree& t : trees) {
      all.begin_call();
      tree_shape<decltype(t.all)>{t.all, t.block}.for_each(
          [&](const auto& part) { all.add(t.effects_of(part)); });
    }
    all.put(to);
  };
#if SENNIT_EXCEPTIONS
  try {
    collect();
  } catch (...) {
    to.memory_ends.clear();
  }
#else
  collect();
#endif
}

// Of the runtime that a construct here uses.
SENNIT_EXPORT splice_caches caches_of_splices();

}  // namespace sennit::detail

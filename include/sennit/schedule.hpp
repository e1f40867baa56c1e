// SPDX-License-Identifier: Apache-2.0
// schedule: which worker runs what of a parallel program, as a value.
#pragma once

#include <sennit/detail/config.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sennit {
namespace detail {
struct schedule_access;
struct steal_tree;
}  // namespace detail

// What one worker did.
struct worker_share {
  std::uint64_t steals = 0;          // branches and children that the worker took
  std::chrono::nanoseconds busy{0};  // time in those branches and children, or in the region itself
  std::chrono::nanoseconds idle{0};  // the rest of the region's time
};

// Which worker runs what of a region, as a tree. The tree has one node for each branch or child that ran on
// another worker than in the serial program, and for each wait after which the worker took other work. A
// loop consists of the branches that halve it. The size of the tree is the number of steals, whatever the
// size of the program. Workers are numbered from 0, which is the worker that begins the region. Which thread
// has which number is decided anew in each run.
//
// A schedule may have the times of the run in which it was recorded. Comparisons ignore them.
//
// Thread-safety: several threads may read one schedule. Cost: copies share the tree, and cost as much as
// copies of a std::shared_ptr.
//
// Example:
//   #include <cstdio>
//   #include <string>
//
//   void keep_the_outermost_tenth(const std::string& from, const std::string& to) {
//     const sennit::schedule recorded = sennit::schedule::load(from);
//     const sennit::schedule coarse = recorded.prune(90);
//     std::printf("%zu of %zu steals, %zu bytes\n", coarse.steals(), recorded.steals(), coarse.bytes());
//     coarse.save(to);
//     for (const sennit::worker_share& share : recorded.shares())
//       std::printf("busy for %lld ns\n", static_cast<long long>(share.busy.count()));
//   }
class SENNIT_EXPORT schedule {
 public:
  // The schedule in which worker 0 runs everything.
  schedule() = default;

  // Whether the same workers take the same things in the same order. Cost of this and of the other members:
  // some tens of nanoseconds a steal.
  bool operator==(const schedule& other) const;

  std::size_t steals() const;
  // The number of workers during the recording, or of those named in the schedule: at least 1.
  unsigned workers() const;
  // The deepest nesting of constructs at which there is a node; 0 if there is no node.
  std::size_t depth() const;
  // The size of the file that save() writes.
  std::size_t bytes() const;

  // The time from the region's beginning to its end; 0 if the times are not known.
  std::chrono::nanoseconds length() const;
  // The idle time of all workers together. This and the times in shares() are 0 if not known.
  std::chrono::nanoseconds idle() const;
  // One share for each worker.
  std::vector<worker_share> shares() const;

  // The tree as indented lines, for people to read.
  std::string text() const;

  // The schedule without this percentage of its steals, rounded up. The innermost steals are removed first;
  // of steals at the same depth, the last ones. Any worker may run what a removed steal gave to its thief.
  // It is pruneTree() of Lifflander, Krishnamoorthy and Kalé, "Optimizing data locality for fork/join
  // programs using constrained work stealing" (2014). Throws std::invalid_argument unless 0 <= percent <=
  // 100.
  schedule prune(double percent) const;
  // The schedule without its times; its file is smaller.
  schedule without_times() const;

  // save() writes a file, and load() reads it. docs/design/schedules.md describes the format. save()
  // replaces a file as a whole; if save() fails, the old file is unchanged. Both throw std::runtime_error,
  // which names the file, the problem and the remedy. load() rejects a file that is damaged, truncated or of
  // another kind.
  void save(const std::string& path) const;
  static schedule load(const std::string& path);

  // The same, in memory. Errors call the bytes by `name`.
  std::vector<std::byte> to_bytes() const;
  static schedule from_bytes(std::span<const std::byte> bytes, const std::string& name = "bytes in memory");

 private:
  friend struct detail::schedule_access;
  explicit schedule(std::shared_ptr<const detail::steal_tree> tree) : tree_(std::move(tree)) {}
  const detail::steal_tree& tree() const;

  std::shared_ptr<const detail::steal_tree> tree_;  // null: a schedule made by the default constructor
};

namespace detail {

// Access for the other parts of the library and for the tools, which know steal_tree.
struct SENNIT_EXPORT schedule_access {
  static schedule make(std::shared_ptr<const steal_tree> tree) { return schedule(std::move(tree)); }
  // Never null. The tree is valid as long as the pointer, the schedule or a copy of the schedule exists.
  static std::shared_ptr<const steal_tree> tree(const schedule& s);
};

}  // namespace detail
}  // namespace sennit

// schedule: who runs what of a parallel program, as a value.
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

// What one worker of a schedule did.
struct worker_share {
  std::uint64_t steals = 0;          // branches and children that it took
  std::chrono::nanoseconds busy{0};  // ran them, or the region itself
  std::chrono::nanoseconds idle{0};  // the rest of the region's time
};

// Which worker runs what of a region: a tree with one node for each branch or child that ran elsewhere than
// the serial program would have run it, and for each wait that gave its worker back. A loop is made of the
// branches that halve it. The tree is as large as the number of steals, whatever the size of the program.
// Workers are numbered from 0, which is the one that begins the region; which threads they are is settled
// anew at each run.
//
// Times of the run that it was recorded from may come with it. They count in no comparison.
//
// Copies share the tree and cost as little as those of a std::shared_ptr. Several threads may read one
// schedule.
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
//   }
class SENNIT_EXPORT schedule {
 public:
  // Worker 0 runs everything.
  schedule() = default;

  // Whether the same workers take the same things in the same order.
  // Cost of this and of the others: some tens of nanoseconds a steal.
  bool operator==(const schedule& other) const;

  std::size_t steals() const;
  // Workers that were there when it was recorded, or are named in it: at least 1.
  unsigned workers() const;
  // Levels of constructs within constructs that there is a node at; 0 if there is none.
  std::size_t depth() const;
  // Of the file that save() writes.
  std::size_t bytes() const;

  // From the region's beginning to its end; 0 if the times are not known.
  std::chrono::nanoseconds length() const;
  // Of all workers together. For this and shares(): 0 where the times are not known.
  std::chrono::nanoseconds idle() const;
  // One for each worker.
  std::vector<worker_share> shares() const;

  // The tree in lines, indented, for people to read.
  std::string text() const;

  // Without that percentage of its steals, rounded up: those at the innermost levels go, and of as deep ones
  // the last. What loses its thief is left to whoever comes to it. As pruneTree() of Lifflander,
  // Krishnamoorthy and Kalé, "Optimizing data locality for fork/join programs using constrained work
  // stealing" (2014). Throws std::invalid_argument unless 0 <= percent <= 100.
  schedule prune(double percent) const;
  // The same without times: its file is the smaller for it.
  schedule without_times() const;

  // Writes the file form, of which docs/design/schedules.md tells, and reads it. A file is replaced as a
  // whole or, if that fails, stays as it was. Both throw std::runtime_error that names the file, what is
  // wrong and the remedy: nothing that is damaged, cut short or foreign is loaded.
  void save(const std::string& path) const;
  static schedule load(const std::string& path);

  // The same in memory. `name` is what errors call the bytes.
  std::vector<std::byte> to_bytes() const;
  static schedule from_bytes(std::span<const std::byte> bytes, const std::string& name = "bytes in memory");

 private:
  friend struct detail::schedule_access;
  explicit schedule(std::shared_ptr<const detail::steal_tree> tree) : tree_(std::move(tree)) {}
  const detail::steal_tree& tree() const;

  std::shared_ptr<const detail::steal_tree> tree_;  // nullptr: as made by default
};

namespace detail {

// For the library's own parts and tools, which know what a steal_tree is.
struct SENNIT_EXPORT schedule_access {
  static schedule make(std::shared_ptr<const steal_tree> tree) { return schedule(std::move(tree)); }
  // Never null; as long as the schedule or a copy of it lasts, or the pointer.
  static std::shared_ptr<const steal_tree> tree(const schedule& s);
};

}  // namespace detail
}  // namespace sennit

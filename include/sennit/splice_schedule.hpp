// splice_schedule: in which order the steps of a splice are run, and which of them beside one another, as a
// value.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sennit {
namespace detail {

struct splice_schedule_access;

// A step, or where strands part and meet. In the order in which one worker runs them.
struct splice_item {
  // In the place of a call: two strands begin, the second of them does, both are over.
  static constexpr std::uint32_t fork = UINT32_MAX;
  static constexpr std::uint32_t second = UINT32_MAX - 1;
  static constexpr std::uint32_t both_over = UINT32_MAX - 2;
  static constexpr std::uint32_t most_calls = both_over;

  std::uint32_t call = fork;
  std::uint32_t block = 0;

  bool is_step() const noexcept { return call < most_calls; }
  friend bool operator==(const splice_item&, const splice_item&) = default;
};

// A step's number in the order of one worker who runs the first of two strands first, and of one who runs the
// second first: what has the smaller numbers in both comes before, and two steps of which neither does run
// beside one another.
struct splice_place {
  std::uint32_t first_first;
  std::uint32_t second_first;
};

}  // namespace detail

// The order in which a memoized_splice runs its steps: those of all calls (time steps, say), each call in
// blocks, which are numbered as the plain loop comes to them. It says nothing of what is computed: the same
// schedule fits whatever has as many calls of as many blocks, and may be run in that order.
//
// Several threads may read one.
//
// Example:
//   #include <cstdio>
//   #include <string>
//
//   void describe(const std::string& file) {
//     const auto s = sennit::splice_schedule::load(file);
//     std::printf("%zu steps of %zu calls, as long as %llu\n", s.size(), s.blocks().size(),
//                 static_cast<unsigned long long>(s.length()));
//   }
class SENNIT_EXPORT splice_schedule {
 public:
  struct step {
    std::uint32_t call;
    std::uint32_t block;
    // Strands that run beside one another have different numbers, from 0; one that is over may pass its
    // number on.
    std::uint32_t strand;
    // Steps in the longest chain before it, if there are as many workers as strands.
    std::uint64_t turn;
    bool operator==(const step&) const = default;
  };

  // Of no steps.
  splice_schedule() = default;

  // Whether the same steps are run in the same order, on the same strands.
  bool operator==(const splice_schedule& other) const noexcept {
    return blocks_ == other.blocks_ && items_ == other.items_;
  }

  // Of the runtime for which the order was found.
  unsigned workers() const noexcept { return workers_; }
  // How many blocks each call has.
  const std::vector<std::uint32_t>& blocks() const noexcept { return blocks_; }
  // The number of steps.
  std::size_t size() const noexcept;
  // The most that run beside one another; at least 1.
  std::uint32_t strands() const;
  // The number of steps in the longest chain.
  std::uint64_t length() const;
  // In the order of one worker. Cost of this and of the two before: some nanoseconds a step.
  std::vector<step> steps() const;

  // Writes the file form, of which docs/design/splice-schedules.md tells, and reads it. A file is replaced as
  // a whole or, if that fails, stays as it was. Both throw std::runtime_error that names the file, what is
  // wrong and the remedy: nothing that is damaged, cut short or foreign is loaded, and nothing that does not
  // run each block of each call once.
  void save(const std::string& path) const;
  static splice_schedule load(const std::string& path);
  // Whether the file begins as those do that save() writes; false if it cannot be read.
  static bool is_saved_in(const std::string& path);

  // The same in memory. `name` is what errors call the bytes.
  std::vector<std::byte> to_bytes() const;
  static splice_schedule from_bytes(std::span<const std::byte> bytes,
                                    const std::string& name = "bytes in memory");

 private:
  friend struct detail::splice_schedule_access;

  unsigned workers_ = 1;
  std::vector<std::uint32_t> blocks_;
  std::vector<std::int64_t> sizes_;  // of blocks at most; empty: not known
  std::vector<detail::splice_item> items_;
};

namespace detail {

// For the library's own parts.
struct SENNIT_EXPORT splice_schedule_access {
  static splice_schedule make(unsigned workers, std::vector<std::uint32_t> blocks,
                              std::vector<splice_item> items, std::vector<std::int64_t> sizes = {});
  // Up to which a part is a block, for each call; maybe empty.
  static const std::vector<std::int64_t>& sizes(const splice_schedule& s) noexcept { return s.sizes_; }
  static const std::vector<splice_item>& items(const splice_schedule& s) noexcept { return s.items_; }
  // Of each block of each call.
  static std::vector<std::vector<splice_place>> places(const splice_schedule& s);
};

// There is no order. Throws std::logic_error.
SENNIT_EXPORT [[noreturn]] void refuse_no_order();
// The schedule of that name is for another number of calls, or of blocks of one call (which has the
// schedule's number, if it has more), or for other effects. Throw std::runtime_error.
SENNIT_EXPORT [[noreturn]] void refuse_calls(const std::string& name, const splice_schedule& s,
                                             std::size_t calls);
SENNIT_EXPORT [[noreturn]] void refuse_blocks(const std::string& name, const splice_schedule& s,
                                              std::uint32_t call, std::size_t blocks);
SENNIT_EXPORT [[noreturn]] void refuse_order(const std::string& name, splice_item before, splice_item after);

}  // namespace detail
}  // namespace sennit

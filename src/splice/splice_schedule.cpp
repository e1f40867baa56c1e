// SPDX-License-Identifier: Apache-2.0
#include "schedule/bytes.hpp"
#include "schedule/file.hpp"
#include "splice/notes_file.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/splice_schedule.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace sennit {
namespace detail {
namespace {

constexpr number_file form{
    {"schedule of a splice", "sennit splice\r\n"}, 2, "splice_schedule::save()", "save it again", 1};

// The heads of items in a file: one of these, or head_step plus the distance of the call from that of the
// step before.
enum head : std::uint64_t { head_fork, head_second, head_both_over, head_step };

// Ten levels of nested strands are enough for as many workers as a runtime may have. A run that follows the
// schedule recurses for each level.
constexpr std::size_t most_levels = 64;

bool is_regular(const std::string& path) {
  struct stat there{};
  return stat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode);
}

// What the writer and the reader expect of a step: the next block of the same call.
class expected_steps {
 public:
  explicit expected_steps(std::size_t calls) : next_(calls) {}
  std::uint32_t call() const { return call_; }
  std::uint32_t block(std::uint32_t call) const { return next_[call]; }
  void comes(const splice_item& step) {
    call_ = step.call;
    next_[step.call] = step.block + 1;
  }

 private:
  std::uint32_t call_ = 0;
  std::vector<std::uint32_t> next_;
};

// The strands that have forked and not joined, and whether the second of each pair has begun.
class open_strands {
 public:
  // What is wrong with such an item here; null if nothing is.
  const char* comes(const splice_item& item) {
    switch (item.call) {
      case splice_item::fork:
        open_.push_back(false);
        return open_.size() > most_levels ? "has strands in strands deeper than any runtime makes them"
                                          : nullptr;
      case splice_item::second:
        if (open_.empty() || open_.back()) return "has the second of two strands without the first";
        open_.back() = true;
        return nullptr;
      case splice_item::both_over:
        if (open_.empty() || !open_.back()) return "has strands that end before they begin";
        open_.pop_back();
        return nullptr;
      default: return nullptr;
    }
  }
  bool any() const { return !open_.empty(); }

 private:
  std::vector<bool> open_;
};

std::string counted(std::size_t n, const char* of_what) {
  return std::to_string(n) + of_what + (n == 1 ? "" : "s");
}

std::string shape_of(const std::vector<std::uint32_t>& blocks) {
  const std::string calls = counted(blocks.size(), " call");
  if (blocks.empty()) return calls;
  const auto [least, most] = std::minmax_element(blocks.begin(), blocks.end());
  if (*least == *most) return calls + " of " + counted(*most, " block");
  return calls + " of " + std::to_string(*least) + " to " + std::to_string(*most) + " blocks";
}

[[noreturn]] void refuse_shape(const std::string& name, const std::string& why) {
  fail<std::runtime_error>("sennit: cannot follow the schedule of a splice '" + name + "': " + why +
                           "; run the splice that it was saved from, or save it again from this one");
}

}  // namespace

splice_schedule splice_schedule_access::make(unsigned workers, std::vector<std::uint32_t> blocks,
                                             std::vector<splice_item> items, std::vector<std::int64_t> sizes,
                                             splice_notes notes) {
  splice_schedule s;
  s.workers_ = workers;
  s.blocks_ = std::move(blocks);
  s.items_ = std::move(items);
  s.sizes_ = std::move(sizes);
  s.notes_ = std::move(notes);
  return s;
}

std::vector<std::vector<splice_place>> splice_schedule_access::places(const splice_schedule& s) {
  // The number of steps in the second strand of each fork, in the order in which these strands end.
  struct pair {
    std::uint32_t steps;  // steps of the second strand
    std::uint32_t after;  // steps of both, by the second numbers
    std::uint32_t begin;
  };
  std::vector<pair> pairs;
  std::vector<std::size_t> open;
  std::uint32_t steps = 0;
  for (const splice_item& item : s.items_) {
    switch (item.call) {
      case splice_item::fork:
        open.push_back(pairs.size());
        pairs.push_back({0, 0, 0});
        break;
      case splice_item::second: pairs[open.back()].steps = steps; break;
      case splice_item::both_over:
        pairs[open.back()].steps = steps - pairs[open.back()].steps;
        open.pop_back();
        break;
      default: ++steps; break;
    }
  }

  std::vector<std::vector<splice_place>> places;
  places.reserve(s.blocks_.size());
  for (const std::uint32_t blocks : s.blocks_) places.emplace_back(blocks);
  std::uint32_t first_first = 0;
  std::uint32_t second_first = 0;
  std::size_t next_pair = 0;
  for (const splice_item& item : s.items_) {
    switch (item.call) {
      case splice_item::fork: {
        pair& p = pairs[next_pair];
        open.push_back(next_pair++);
        p.begin = second_first;
        second_first += p.steps;
        break;
      }
      case splice_item::second:
        pairs[open.back()].after = second_first;
        second_first = pairs[open.back()].begin;
        break;
      case splice_item::both_over:
        second_first = pairs[open.back()].after;
        open.pop_back();
        break;
      default: places[item.call][item.block] = {first_first++, second_first++}; break;
    }
  }
  return places;
}

void refuse_no_order() {
  fail<std::logic_error>("sennit: memoized_splice::schedule(): there is no order: call run() first; a run() "
                         "that throws while it "
                         "looks for an order leaves none");
}

void refuse_calls(const std::string& name, const splice_schedule& s, std::size_t calls) {
  refuse_shape(name,
               "it is for " + shape_of(s.blocks()) + ", and this splice has " + counted(calls, " call"));
}

void refuse_blocks(const std::string& name, const splice_schedule& s, std::uint32_t call,
                   std::size_t blocks) {
  const std::size_t its = s.blocks()[call];
  refuse_shape(name, "it is for " + shape_of(s.blocks()) + ", and call " + std::to_string(call) +
                         " of this splice has " +
                         (blocks < its ? counted(blocks, " block") : "more than " + counted(its, " block")));
}

void refuse_order(const std::string& name, splice_item before, splice_item after) {
  const auto step = [](const splice_item& s) {
    return "block " + std::to_string(s.block) + " of call " + std::to_string(s.call);
  };
  refuse_shape(name, "it is for other effects, as it does not run " + step(before) + " before " +
                         step(after) + ", which interferes with it");
}

}  // namespace detail

using detail::splice_item;

std::size_t splice_schedule::size() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(items_.begin(), items_.end(), [](const splice_item& i) { return i.is_step(); }));
}

std::vector<splice_schedule::step> splice_schedule::steps() const {
  struct pair {
    std::uint64_t begin;
    std::uint64_t first_end;
    std::uint32_t strand;  // the strand that forks
    std::uint32_t used;    // number of strands so far
  };
  std::vector<step> all;
  std::vector<pair> open;
  std::uint64_t turn = 0;
  std::uint32_t strand = 0;
  std::uint32_t used = 1;  // strands in what began with this one
  for (const splice_item& item : items_) {
    switch (item.call) {
      case splice_item::fork:
        open.push_back({turn, 0, strand, used});
        used = strand + 1;
        break;
      case splice_item::second:
        open.back().first_end = std::exchange(turn, open.back().begin);
        strand = used++;
        break;
      case splice_item::both_over:
        turn = std::max(turn, open.back().first_end);
        strand = open.back().strand;
        used = std::max(used, open.back().used);
        open.pop_back();
        break;
      default: all.push_back({item.call, item.block, strand, turn++}); break;
    }
  }
  return all;
}

std::uint32_t splice_schedule::strands() const {
  std::uint32_t most = 1;
  for (const step& s : steps()) most = std::max(most, s.strand + 1);
  return most;
}

std::uint64_t splice_schedule::length() const {
  std::uint64_t most = 0;
  for (const step& s : steps()) most = std::max(most, s.turn + 1);
  return most;
}

std::vector<std::byte> splice_schedule::to_bytes() const {
  detail::number_writer to(detail::form);
  to.number(workers_);
  to.number(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    to.number(blocks_[i]);
    to.number(i < sizes_.size() ? static_cast<std::uint64_t>(sizes_[i]) : 0);
  }
  detail::write_notes(to, notes_, blocks_);
  detail::expected_steps expected(blocks_.size());
  for (const splice_item& item : items_) {
    switch (item.call) {
      case splice_item::fork: to.number(detail::head_fork); break;
      case splice_item::second: to.number(detail::head_second); break;
      case splice_item::both_over: to.number(detail::head_both_over); break;
      default:
        to.number(detail::head_step + detail::zigzag(std::uint64_t{item.call} - expected.call()));
        to.number(detail::zigzag(std::uint64_t{item.block} - expected.block(item.call)));
        expected.comes(item);
        break;
    }
  }
  return to.finish();
}

splice_schedule splice_schedule::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  detail::number_reader from(detail::form, bytes, name);
  splice_schedule s;
  s.workers_ = from.small_number();
  const std::uint64_t calls = from.number();
  // A call and a step take at least two bytes, so the counts cannot exceed half the size of the file.
  if (calls > from.left() / 2 || calls > splice_item::most_calls)
    from.refuse("promises more calls than it holds");
  std::uint64_t steps = 0;
  for (std::uint64_t i = 0; i < calls; ++i) {
    steps += s.blocks_.emplace_back(from.small_number());
    const std::uint64_t size = from.number();
    if (size > INT64_MAX) from.refuse("has a block that is too large");
    s.sizes_.push_back(static_cast<std::int64_t>(size));
  }
  if (steps > from.left() / 2) from.refuse("promises more steps than it holds");
  if (from.version() > 1) s.notes_ = detail::read_notes(from, s.blocks_);
  s.items_.reserve(steps);
  std::vector<std::vector<bool>> seen;
  seen.reserve(calls);
  for (const std::uint32_t blocks : s.blocks_) seen.emplace_back(blocks);

  detail::expected_steps expected(calls);
  detail::open_strands open;
  while (from.left() > 0) {
    const std::uint64_t head = from.number();
    splice_item item;
    switch (head) {
      case detail::head_fork: break;
      case detail::head_second: item.call = splice_item::second; break;
      case detail::head_both_over: item.call = splice_item::both_over; break;
      default: {
        const std::uint64_t call = expected.call() + detail::unzigzag(head - detail::head_step);
        if (call >= calls) from.refuse("names a call that is not there");
        item.call = static_cast<std::uint32_t>(call);
        const std::uint64_t block = expected.block(item.call) + detail::unzigzag(from.number());
        if (block >= s.blocks_[call]) from.refuse("names a block that is not there");
        item.block = static_cast<std::uint32_t>(block);
        if (seen[call][block]) from.refuse("runs a block twice");
        seen[call][block] = true;
        expected.comes(item);
        --steps;
        break;
      }
    }
    if (const char* const wrong = open.comes(item)) from.refuse(wrong);
    s.items_.push_back(item);
  }
  if (steps > 0) from.refuse("leaves out a block");
  if (open.any()) from.refuse("has strands that do not end");
  return s;
}

void splice_schedule::save(const std::string& path) const {
  detail::write_file(path, to_bytes(), detail::form.kind);
}

splice_schedule splice_schedule::load(const std::string& path) {
  return from_bytes(detail::read_file(path, detail::form.kind), path);
}

bool splice_schedule::is_saved_in(const std::string& path) {
  // A pipe cannot be read twice.
  if (!detail::is_regular(path)) return false;
  std::string begin(detail::form.kind.begin.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) &&
         begin == detail::form.kind.begin;
}

}  // namespace sennit

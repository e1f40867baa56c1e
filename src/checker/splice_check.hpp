// SPDX-License-Identifier: Apache-2.0
// A splice that is being checked: its calls in the order of the loop, and what each call may touch.
#pragma once

#include "checker/report.hpp"

#include <sennit/detail/splice/log.hpp>
#include <sennit/detail/splice/spliced_call.hpp>
#include <sennit/splice.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace sennit::checker {

// Allocated blocks of memory, by their first byte.
class blocks {
 public:
  void add(std::uintptr_t first, std::size_t bytes) { last_of_[first] = first + bytes; }
  void remove(std::uintptr_t first) { last_of_.erase(first); }
  void clear() { last_of_.clear(); }
  void take(blocks& others) { last_of_.merge(others.last_of_); }
  bool have(std::uintptr_t address, std::size_t bytes) const noexcept {
    auto next = last_of_.upper_bound(address);
    return next != last_of_.begin() && address + bytes <= (--next)->second;
  }

 private:
  std::map<std::uintptr_t, std::uintptr_t> last_of_;
};

// Bytes at any addresses.
class intervals {
 public:
  void add(std::uintptr_t first, std::uintptr_t last) {
    auto next = last_of_.upper_bound(first);
    if (next != last_of_.begin() && std::prev(next)->second >= first) {
      --next;
      first = next->first;
      last = std::max(last, next->second);
    }
    while (next != last_of_.end() && next->first <= last) {
      last = std::max(last, next->second);
      next = last_of_.erase(next);
    }
    last_of_.emplace_hint(next, first, last);
  }
  bool overlap(std::uintptr_t first, std::uintptr_t last) const noexcept {
    const auto next = last_of_.lower_bound(last);
    return next != last_of_.begin() && std::prev(next)->second > first;
  }

 private:
  std::map<std::uintptr_t, std::uintptr_t> last_of_;
};

struct checked_call : detail::spliced_call {
  checked_call* around = nullptr;
  std::vector<std::unique_ptr<checked_call>> parts;
  std::optional<effects> follows;  // what the call may do after a sequence
  blocks own;                      // allocated outside its steps
};

class splice_check {
 public:
  splice_check();
  splice_check(const splice_check&) = delete;
  splice_check& operator=(const splice_check&) = delete;
  ~splice_check();

  // The same interface as detail::calls_runner.
  void run(std::uint32_t first, std::uint32_t count,
           void (*begin)(const void*, std::uint32_t, detail::spliced_call&), const void* object,
           detail::splice_log* log, splice_report& report);

  // The check whose step the caller runs, at `frame` on its stack; null if the caller runs none.
  static splice_check* of_step(std::uintptr_t frame) noexcept;
  // The check whose call the calling thread runs, on the call's own stack.
  static splice_check* of_call() noexcept;

  void in_step(std::uintptr_t address, std::size_t bytes, bool written, const void* after);
  void in_call(std::uintptr_t address, std::size_t bytes, bool written, const void* after);
  void allocated_in_step(std::uintptr_t block, std::size_t bytes);
  void allocated_in_call(std::uintptr_t block, std::size_t bytes) { call_->own.add(block, bytes); }
  void released(std::uintptr_t block);

 private:
  struct bytes_of {
    std::uintptr_t first;
    std::uintptr_t last;
    bool none() const noexcept { return first >= last; }
  };
  struct limit {
    rule what;
    unsigned calls_out;
    const effects* allowed;
  };
  // A read outside steps, before it is known what other calls write.
  struct early_read {
    bytes_of where;
    const void* after;
    const checked_call* by;
  };

  template <class F>
  auto outside(checked_call& c, F&& f);
  void walk(checked_call& c);
  void walk_parts(checked_call& c);
  bool next_part(checked_call& whole, checked_call& part);
  void run_step(checked_call& c);
  void set_limits();
  bool is_own(std::uintptr_t address, std::size_t bytes) const noexcept;
  bool others_write(const checked_call& reader, bytes_of where) const;
  void add_fault(rule broken, unsigned calls_out, const effects* has, bool written, bytes_of missing,
                 std::size_t bytes, const void* after);
  void report_faults();

  static bytes_of missing_in(const effects& allowed, bytes_of where, bool written, bytes_of* accepted,
                             bool* by_hull);
  static bool is_written(const effects& by, bytes_of where);

  std::size_t slot_;             // among the running splices
  splice_check* around_;         // the splice that has this one in a step
  std::uintptr_t stack_bottom_;  // of the stack of the strand
  std::uintptr_t stack_top_;
  std::uintptr_t step_frame_ = 0;  // what is below it on that stack belongs to the step; 0: no step
  checked_call* call_ = nullptr;   // the running call
  std::vector<std::unique_ptr<checked_call>> roots_;
  bool all_begun_ = false;
  std::vector<early_read> early_;
  std::vector<limit> limits_;  // of the step, from inner to outer
  blocks step_own_;
  intervals written_by_hull_;  // so far, by regions without contains_address()
  bytes_of accepted_[2] = {};  // the latest accepted bytes, read and written
  std::vector<fault> faults_;
  detail::splice_log* log_ = nullptr;
  std::uint64_t steps_ = 0;
};

}  // namespace sennit::checker

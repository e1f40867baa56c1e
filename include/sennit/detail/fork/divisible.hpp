// SPDX-License-Identifier: Apache-2.0
// Work that stays in its slot while thieves take parts of it.
#pragma once

#include <sennit/detail/fork/frame.hpp>

#include <cstdint>

namespace sennit::detail {

class divisible;

// How a part is taken.
enum class parting : std::uint8_t {
  // The owner takes it, and can have the part back while nobody has begun with it.
  half_if_worth,  // unless there is too little to be worth a steal
  half,
  all,
  // A thief takes it.
  half_of_waiting,  // the owner is kept from claiming
  half_of_running,  // the owner may claim meanwhile
};

constexpr bool is_by_owner(parting how) noexcept {
  return how != parting::half_of_waiting && how != parting::half_of_running;
}

enum class remains : std::uint8_t {
  nothing,
  something,  // also where no part could be taken, as there was no memory or the owner was faster
  too_little  // and no part was taken
};

// What was taken. Null: no part.
struct taken_part {
  frame_with_state* part = nullptr;
  remains left = remains::nothing;
};

// What the parts belong to.
class divided_work {
 public:
  // Under the lock of the deque that has the slot.
  struct entries {
    taken_part (*take_part)(divisible&, parting) noexcept;
    bool (*exhausted)(const divisible&) noexcept;
  };
  divided_work(const divided_work&) = delete;
  divided_work& operator=(const divided_work&) = delete;

 protected:
  explicit divided_work(const entries& of) noexcept : entries_(of) {}
  ~divided_work() = default;

  // One word in each loop's frame, whatever the number of entries.
  const entries& entries_;

 private:
  friend class divisible;
};

class divisible {
 public:
  divisible(const divisible&) = delete;
  divisible& operator=(const divisible&) = delete;

  // The low bits of a slot that holds such work.
  static constexpr std::uintptr_t tag = 1;

  taken_part take_part(parting how) noexcept { return whole_.entries_.take_part(*this, how); }
  // Whether nobody can take a part any more.
  bool exhausted() const noexcept { return whole_.entries_.exhausted(*this); }

 protected:
  explicit divisible(divided_work& whole) noexcept : whole_(whole) {}
  ~divisible() = default;

  divided_work& whole_;
};

}  // namespace sennit::detail

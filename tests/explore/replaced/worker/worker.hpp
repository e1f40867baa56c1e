// SPDX-License-Identifier: Apache-2.0
// In place of the library's header: what an explored program has of a worker. Its deque, its place among the sleepers and
// its parker are the library's; it does not search, and a strand that waits stays on it.
#pragma once

#include "deque/mailbox.hpp"
#include "deque/worker_frames.hpp"
#include "sleep/sleepers.hpp"
#include "stack/fiber.hpp"
#include "system/parker.hpp"
#include "system/reserve.hpp"
#include "worker/runtime_core.hpp"

#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <cstdint>

namespace sennit::detail {

void leave_outside_slots() noexcept;

class worker {
 public:
  // `slots`: room in the deque.
  explicit worker(runtime_core& core, std::size_t slots = 8);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  // That of the thread of the program.
  static worker* current() noexcept;
  // From here on the thread of that number is this worker. Before the program runs.
  void stand_for(unsigned thread);
  // It runs a strand of the region, or will run what it claims on its deque. Before the program runs.
  void begin(region_state* region);

  static bool wait(completion& done, std::intptr_t branches) noexcept;
  void promote_all() noexcept { (void)frames_.promote_all(at_hand_); }
  void relocate() noexcept;
  void hand_over_strand() noexcept {}
  bool leaving() const noexcept { return false; }
  void take_in(frame& donated) noexcept;
  bool donate_newest(worker& to, std::uint64_t number) noexcept;
  bool donate_strand(worker&, std::uint64_t) noexcept { return false; }
  void pass_on(frame& handed) noexcept;
  unsigned find_idle(worker** found, unsigned room, color_set colors = all_colors) const noexcept;
  bool post(frame& posted) noexcept;
  static bool claim_idle() noexcept { return false; }
  static void take_own_only_until(std::uint64_t) noexcept {}
  // Hints, of where to look first.
  unsigned index() const noexcept { return 0; }
  unsigned source() const noexcept { return 0; }
  void announce_work() noexcept { core_.call_for_work(nullptr); }

  // What a thief does with what it has claimed.
  void run(frame& claimed) noexcept;
  void leave() noexcept;
  // As in worker/search.cpp, of one worker that nobody watches: sleeps until there may be work.
  void sleep() noexcept;
  // The second half of that.
  void sleep_until_told() noexcept;
  void found_work() noexcept;

  worker_frames& frames() noexcept { return frames_; }
  fiber& running() noexcept { return strand_; }
  runtime_core& core() const noexcept { return core_; }
  parker& parking() noexcept { return sleep_place_.call; }
  sleeping& sleep_place() noexcept { return sleep_place_; }
  bool is_guest() const noexcept { return guest; }
  reserve& at_hand() noexcept { return at_hand_; }
  worker_tls& tls() noexcept { return tls_; }

  bool guest = false;      // among the last of the runtime's workers
  worker* idle = nullptr;  // to whom what is handed over is posted
  mailbox mail;

 private:
  runtime_core& core_;
  worker_tls tls_{};
  worker_frames frames_;
  bool attached_ = false;
  bool owns_wake_ = false;
  fiber strand_;
  scope whole_{};
  sleeping sleep_place_;
  reserve at_hand_;
};

}  // namespace sennit::detail

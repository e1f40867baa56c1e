// SPDX-License-Identifier: Apache-2.0
// What the explored sources need of the rest of the library.
#include "explorer.hpp"
#include "fork/views.hpp"
#include "observe/trace_cursor.hpp"
#include "process/fork_child.hpp"
#include "stack/fiber.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/graph/growing.hpp>
#include <sennit/detail/graph/zeros.hpp>
#include <sennit/detail/telling.hpp>
#include <sennit/region.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

extern "C" void __tsan_write_range(void* at, std::size_t size);

namespace sennit {

const char* cancelled::what() const noexcept { return "cancelled"; }

runtime& runtime::default_runtime() { std::abort(); }
unsigned runtime::workers() const noexcept { std::abort(); }

}  // namespace sennit

namespace sennit::detail {

namespace {

std::array<worker*, 8> standing{};

}  // namespace

worker_tls& current_tls() noexcept { return worker::current()->tls(); }
void leave_outside_slots() noexcept { std::abort(); }
unsigned fork_generation() noexcept { return 0; }
void end_orphan() noexcept { std::abort(); }
bool trace_cursor::grow() noexcept { return false; }
void append_views(view*) noexcept {}
// Written, so that who uses them without knowing of them is in a data race. GCC does not tell of memset().
void* reserve_zeros(std::size_t bytes) {
  void* const memory = std::memset(::operator new(bytes, std::align_val_t{64}), 0, bytes);
  __tsan_write_range(memory, bytes);
  return memory;
}
void return_zeros(void* memory, std::size_t) noexcept { ::operator delete(memory, std::align_val_t{64}); }
std::uint64_t told_now_ns() noexcept { return 0; }
std::uint32_t numbering::take_block() {
  return block * static_cast<std::uint32_t>(blocks_.fetch_add(1, std::memory_order_relaxed));
}
void enter_region(region_state&, action) { std::abort(); }
void run_region(runtime*, action) { std::abort(); }
bool in_strand() noexcept { return worker::current() != nullptr; }

worker::worker(runtime_core& core, std::size_t slots)
    : core_(core), frames_(slots, core.barriers(), core.barrier() == steal_barrier::fence, 0, 0) {
  tls_.waiting = &core.waiting;
  core.add(*this);
}

worker* worker::current() noexcept { return standing[explore::here()]; }
void worker::stand_for(unsigned thread) { standing[thread] = this; }

void worker::begin(region_state* region) {
  attached_ = true;
  frames_.attach(tls_);
  if (region == nullptr) return;
  whole_ = {region, frames_.bottom(), nullptr, &strand_, 0};
  strand_.innermost = &whole_;
  (void)frames_.enter(&whole_);
}

// A strand is on the thread's own stack here.
stack::~stack() = default;
fiber::fiber() noexcept = default;
fiber::~fiber() = default;

bool worker::wait(completion& done, std::intptr_t branches) noexcept {
  if (done.done(branches)) return false;
  worker& w = *current();
  const bool left = !w.frames_.empty();
  if (left) w.promote_all();
  explore::wait_until([&] { return done.done(branches); });
  if (left) w.relocate();
  return false;
}

void worker::relocate() noexcept {
  move_scopes(strand_.innermost, frames_.bottom());
  (void)frames_.enter(strand_.innermost);
}

bool worker::donate_newest(worker& to, std::uint64_t number) noexcept {
  const worker_frames::split_off split_off = frames_.split_off_newest(at_hand_);
  if (split_off.newest == nullptr) return false;
  split_off.newest->stolen().number = number;
  if (split_off.listed) announce_work();
  to.take_in(*split_off.newest);
  return true;
}

void worker::take_in(frame& donated) noexcept {
  if (frames_.listed().donate(donated)) announce_work();
  parking().unpark();
}

unsigned worker::find_idle(worker** found, unsigned room, color_set) const noexcept {
  if (room == 0 || idle == nullptr || !idle->mail.awaits()) return 0;
  *found = idle;
  return 1;
}

bool worker::post(frame& posted) noexcept {
  posted.stolen().box = &mail;
  if (mail.post(posted)) return true;
  posted.stolen().box = nullptr;
  return false;
}

void worker::pass_on(frame& handed) noexcept {
  const color_set colors = handed.stolen().colors;
  worker* to = nullptr;
  while (find_idle(&to, 1, colors) != 0) {
    if (to->post(handed)) {
      frames_.handed_on();
      return;
    }
  }
  frames_.listed().add(handed);
  frames_.handed_on();
  announce_work();
}

void worker::found_work() noexcept {
  if (std::exchange(owns_wake_, false)) core_.wake_more();
}

void worker::sleep() noexcept {
  if (std::exchange(owns_wake_, false)) core_.asleep().landed();
  core_.falls_asleep(*this);
  const bool saw_work = core_.arm_gates(frames_.wish().now()) || frames_.listed().has_donation(*this);
  if (!saw_work) (void)parking().park();
  if (core_.wakes_up(*this, saw_work)) owns_wake_ = true;
}

void worker::sleep_until_told() noexcept {
  (void)parking().park();
  owns_wake_ = core_.wakes_up(*this, false);
}

void worker::run(frame& claimed) noexcept {
  if (attached_) {
    whole_ = {claimed.stolen().region, frames_.bottom(), nullptr, &strand_, 0};
    strand_.innermost = &whole_;
    (void)frames_.enter(&whole_);
  }
  if (claimed.run() != nullptr) explore::check(false, "somebody waits who has not said so");
}

// As in worker.cpp: the worker leaves the branch's region before the branch says that it has ended.
void leave_branch(frame& branch) noexcept {
  if (!branch.stolen().in_place) worker::current()->leave();
}
void worker::leave() noexcept {
  if (attached_) frames_.leave();
}

}  // namespace sennit::detail

// The sources are instrumented for ThreadSanitizer, but linked with the explorer.
extern "C" const char sennit_built_with_fsanitize_thread_needs_library_sennit_tsan = 0;

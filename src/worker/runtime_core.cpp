// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime_core.hpp"

#include "policy/deal.hpp"
#include "process/fork_child.hpp"
#include "process/library_thread.hpp"
#include "process/no_cancellation.hpp"
#include "process/signal_stack.hpp"
#include "system/barrier.hpp"

#include <sennit/detail/failure.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

extern "C" {

// The newest runtime of those alive. It changes under no_fork. No container: it would end before static
// objects that still use a runtime, or, never ended, be lost with each shared object that is unloaded.
// Debuggers find it by its name: see diagnosis/inspection.cpp.
extern constinit sennit::detail::runtime_core* sennit_newest_runtime;
constinit sennit::detail::runtime_core* sennit_newest_runtime = nullptr;
}

namespace sennit::detail {

namespace {

// A region that has no work. While no thread uses a guest's seat, the seat is restricted to this region.
constinit region_state nobodys;

}  // namespace

runtime_core::runtime_core(const settings& chosen)
    : settings_(chosen),
      machine_(topology::machine::detect(settings_.topology, settings_.pin)),
      generation_(fork_generation()),
      fibers_(settings_.stack_bytes, 16 + 4 * settings_.workers) {
  {
    const no_fork guard;
    older_core_ = std::exchange(sennit_newest_runtime, this);
  }
  // Where memory or threads give out, the runtime works with those it has.
  attempt<std::exception>([this] {
    for (unsigned i = 1; i < settings_.workers; ++i) {
      worker& seat = add_worker();
      // From now on there is somebody who waits, or will.
      waiting_.fetch_add(1, std::memory_order_relaxed);
      const bool started = add_thread("sennit", i, [this, &seat] {
        machine_.bind_current_thread(seat.index(), settings_.workers);
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        serve_as_worker(seat);
      });
      if (!started) {
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        break;
      }
    }
  });
  thread_seats_.store(worker_count(), std::memory_order_relaxed);
}

runtime_core::~runtime_core() {
  stop();
  {
    const no_fork guard;
    runtime_core** at = &sennit_newest_runtime;
    while (*at != this) at = &(*at)->older_core_;
    *at = older_core_;
    while (listeners_ != nullptr) {
      worker_listener& left = *listeners_;
      remove_listener(left);
      left.runtime_ends();
    }
  }
  for (unsigned i = 0; i < worker_count(); ++i) delete workers_[i].load(std::memory_order_relaxed);
}

worker& runtime_core::add_worker() {
  const std::lock_guard guard(membership_);
  return add_worker_locked();
}

worker& runtime_core::add_worker_locked() {
  const unsigned index = worker_count_.load(std::memory_order_relaxed);
  if (index == most_seats) {
    fail<std::runtime_error>("sennit: more than " + std::to_string(most_seats) +
                             " threads use one runtime at once");
  }
  auto* const added = new worker(*this, index);
  workers_[index].store(added, std::memory_order_relaxed);
  // ORD[D10] release: the worker and its seat in the array; pairs with the acquire in worker_count().
  worker_count_.store(index + 1, std::memory_order_release);
  return *added;
}

unsigned runtime_core::worker_count() const noexcept {
  // ORD[D10] acquire: pairs with the release in add_worker().
  return worker_count_.load(std::memory_order_acquire);
}

worker& runtime_core::worker_at(unsigned index) const noexcept {
  return *workers_[index].load(std::memory_order_relaxed);
}

bool runtime_core::add_thread(const char* name, unsigned number, std::function<void()> body) noexcept {
  if (!attempt<std::bad_alloc>([this] { threads_.emplace_back(); })) return false;
  if (start_thread(threads_.back(), name, number, std::move(body))) return true;
  threads_.pop_back();
  return false;
}

void runtime_core::stop() noexcept {
  // ORD[D12] seq_cst: before the calls below; a spare looks at it after it was called. See serve_as_spare().
  stopping_.store(true, std::memory_order_seq_cst);
  for (unsigned i = 0; i < worker_count(); ++i) worker_at(i).go_home();
  for (const auto& s : spares_) s->call.unpark();
  const no_cancellation whole;
  for (std::thread& t : threads_) t.join();
  threads_.clear();
}

worker& runtime_core::admit_guest() {
  ensure_signal_stack();
  const std::lock_guard guard(membership_);
  worker& guest = guest_seat_locked();
  seat_locked(guest);
  regions_.fetch_add(1, std::memory_order_relaxed);
  return guest;
}

worker& runtime_core::add_returnable_locked() {
  free_guests_.reserve(worker_count() + 1);  // so that giving it back needs no memory
  worker& added = add_worker_locked();
  added.frames().wish().restrict_to(&nobodys);
  return added;
}

// The lowest free seat, so that a guest that is alone has number 0, whatever guests were here before.
worker& runtime_core::guest_seat_locked() {
  if (free_guests_.empty()) return add_returnable_locked();
  std::ranges::pop_heap(free_guests_, std::greater<>(), &worker::index);
  worker& seat = *free_guests_.back();
  free_guests_.pop_back();
  return seat;
}

void runtime_core::return_seat_locked(worker& seat) noexcept {
  free_guests_.push_back(&seat);
  std::ranges::push_heap(free_guests_, std::greater<>(), &worker::index);
}

void runtime_core::dismiss_guest(worker& guest) noexcept {
  if (outlived_by_fork()) return;  // no other thread will enter, and one that is gone may hold the lock
  // Before the thread enters anything else: a region at the same address must not be taken for this one.
  guest.frames().wish().restrict_to(&nobodys);
  {
    const std::lock_guard guard(membership_);
    unseat_locked(guest);
    return_seat_locked(guest);
  }
  have_tidied();
  // ORD[D14] release: the guest's last access to the runtime; pairs with the acquire in in_use().
  regions_.fetch_sub(1, std::memory_order_release);
}

std::size_t runtime_core::deque_slots() const noexcept {
  // A join's frame takes at least this much of the stack, so that the deque of a strand of joins is never
  // full.
  constexpr std::size_t least_stack_of_a_join = 48;
  return settings_.stack_bytes / least_stack_of_a_join;
}

unsigned runtime_core::loop_sharing() const noexcept { return policy::loop_sharing(settings_.workers); }

void runtime_core::begin_blocking() noexcept {
  // ORD[D12] seq_cst: the count before the call, and in serve_as_spare() the call before the count: a spare
  // that is called sees why.
  const unsigned rank = blocked_.fetch_add(1, std::memory_order_seq_cst);
  if (rank >= most_spares) return;
  const std::lock_guard guard(membership_);
  while (spares_.size() <= rank) {
    // Without memory or a thread for it, the runtime merely has one worker fewer for a while.
    if (!add_spare()) return;
  }
  spares_[rank]->call.unpark();
}

void runtime_core::end_blocking() noexcept {
  // ORD[D12] seq_cst: the count before the spare is sent home; see serve_as_spare().
  const unsigned rank = blocked_.fetch_sub(1, std::memory_order_seq_cst) - 1;
  if (rank >= most_spares) return;
  const std::lock_guard guard(membership_);
  if (rank < spares_.size()) spares_[rank]->seat.go_home();
}

bool runtime_core::add_spare() noexcept {
  const auto rank = static_cast<unsigned>(spares_.size());
  attempt<std::exception>([&] {
    spares_.reserve(rank + 1);
    // Never a guest's seat: a spare keeps its seat, and the first guest's seat must come back.
    worker& seat = add_returnable_locked();
    auto added = std::unique_ptr<spare>(new (std::nothrow) spare{.seat = seat, .call = {}});
    spare* const self = added.get();
    if (self != nullptr) {
      seat.frames().wish().restrict_to(nullptr);
      spares_.push_back(std::move(added));
    }
    if (self == nullptr ||
        !add_thread("sennit+", rank, [this, self, rank] { serve_as_spare(*self, rank); })) {
      if (self != nullptr) spares_.pop_back();
      seat.frames().wish().restrict_to(&nobodys);
      return_seat_locked(seat);
    }
  });
  return spares_.size() > rank;
}

void runtime_core::serve_as_worker(worker& seat) noexcept {
  {
    const std::lock_guard guard(membership_);
    seat_locked(seat);
  }
  constexpr auto until_there_may_be_memory = std::chrono::milliseconds(50);
  while (!attempt<std::bad_alloc>([&seat] { seat.serve(nullptr); }) &&
         !stopping_.load(std::memory_order_relaxed)) {
    seat.parking().park(until_there_may_be_memory);
  }
  const std::lock_guard guard(membership_);
  unseat_locked(seat);
}

void runtime_core::serve_as_spare(spare& self, unsigned rank) noexcept {
  machine_.bind_current_thread(self.seat.index(), settings_.workers);
  // ORD[D12] seq_cst: looked at after the call; see stop().
  while (!stopping_.load(std::memory_order_seq_cst)) {
    self.seat.stay();
    // ORD[D12] seq_cst: leave is cleared before the count is read, and end_blocking() lowers the count before
    // it sets leave: either the lower count is seen here, or leave stays set and serve() returns.
    if (blocked_.load(std::memory_order_seq_cst) > rank && !stopping_.load(std::memory_order_seq_cst)) {
      serve_as_worker(self.seat);
      fibers_.take_surplus(self.seat.pool(), 0);
      have_tidied();
    } else {
      self.call.park();
    }
  }
}

void runtime_core::note_cancellation() noexcept {
  const no_fork guard;
  for (const runtime_core* core = sennit_newest_runtime; core != nullptr; core = core->older_core_) {
    if (core->outlived_by_fork()) continue;  // its locks may be held by threads that are gone
    for (unsigned i = 0; i < core->worker_count(); ++i) core->worker_at(i).frames().region_cancelled();
  }
}

void runtime_core::hold_for_fork() noexcept {
  for (runtime_core* core = sennit_newest_runtime; core != nullptr; core = core->older_core_) {
    if (core->outlived_by_fork()) continue;
    // Others may be added meanwhile.
    core->held_for_fork_ = core->worker_count();
    for (unsigned i = 0; i < core->held_for_fork_; ++i) core->worker_at(i).frames().lock().lock();
    core->coloring_.lock().lock();
    core->asleep_.hold_for_fork();
  }
  barriers::hold_for_fork();
}

void runtime_core::let_go_after_fork() noexcept {
  barriers::let_go_after_fork();
  for (runtime_core* core = sennit_newest_runtime; core != nullptr; core = core->older_core_) {
    if (core->outlived_by_fork()) continue;
    core->asleep_.let_go_after_fork();
    core->coloring_.lock().unlock();
    for (unsigned i = core->held_for_fork_; i-- > 0;) core->worker_at(i).frames().lock().unlock();
  }
}

namespace {

[[maybe_unused]] const held_over_forks locks(held_over_forks::of_workers, &runtime_core::hold_for_fork,
                                             &runtime_core::let_go_after_fork);

}  // namespace

sennit::statistics runtime_core::statistics() const noexcept {
  sennit::statistics sum;
  for (unsigned i = 0; i < worker_count(); ++i) {
    const worker::counters& c = worker_at(i).counts;
    sum.steals += c.steals.load(std::memory_order_relaxed);
    sum.promotions += worker_at(i).frames().promotions().count();
    sum.suspensions += c.suspensions.load(std::memory_order_relaxed);
    sum.vain_wakes += c.vain_wakes.load(std::memory_order_relaxed);
  }
  sum.wakes = asleep_.wakes();
  sum.barriers = barriers_.issued();
  sum.interrupts = barriers_.interrupts();
  sum.fibers = fibers_.made();
  sum.stacks = static_cast<std::uint64_t>(fibers_.stacks());
  return sum;
}

std::uint64_t runtime_core::progress() const noexcept {
  const sennit::statistics sum = statistics();
  return sum.steals + sum.suspensions + sum.wakes + sum.promotions;
}

bool runtime_core::outlived_by_fork() const noexcept { return generation_ != fork_generation(); }

void runtime_core::insist_on_threads() const noexcept {
  if (outlived_by_fork()) [[unlikely]] {
    end_orphan();
  }
}

namespace {

// Which of these numbers colors of that kind go by.
unsigned number_for(color_kind kind, unsigned of_worker, unsigned of_cache, unsigned of_node) noexcept {
  switch (kind) {
    case color_kind::workers: return of_worker;
    case color_kind::caches: return of_cache;
    case color_kind::nodes: break;
  }
  return of_node;
}

}  // namespace

unsigned runtime_core::color_count(color_kind kind) const noexcept {
  return number_for(kind, numbered_workers(), machine_.cache_count(), machine_.node_count());
}

unsigned runtime_core::color_of(unsigned number, color_kind kind) const noexcept {
  const topology::place at = machine_.place_of(number, numbered_workers());
  return number_for(kind, number, at.cache, at.node);
}

unsigned runtime_core::color_of(const worker& w, color_kind kind) const noexcept {
  return color_of(number_of(w) % numbered_workers(), kind);
}

color_set runtime_core::bits_of_neighbors(const worker& w, color_kind kind) const noexcept {
  const unsigned own = color_of(w, kind);
  const unsigned count = numbered_workers();
  color_set bits = 0;
  for (unsigned number = 0; number < count; ++number) {
    if (color_of(number, kind) == own) bits |= bit_of(number);
  }
  return bits;
}

void runtime_core::add_idle_colors(const worker& w) noexcept {
  for (const color_kind of : {color_kind::workers, color_kind::caches, color_kind::nodes}) {
    const unsigned color = color_of(w, of);
    if (color < most_colors) coloring_.add_idle(of, color_bit(color));
  }
}

void runtime_core::begin_colored(posted_work& run) noexcept {
  coloring_.add(run);
  // A worker that begins to wait after this point adds its own colors.
  const unsigned count = worker_count();
  for (unsigned i = 0; i < count; ++i) {
    const worker& w = worker_at(i);
    if (w.is_idle()) add_idle_colors(w);
  }
}

}  // namespace sennit::detail

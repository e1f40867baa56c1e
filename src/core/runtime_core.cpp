#include "core/runtime_core.hpp"

#include "core/barrier.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace sennit::detail {

runtime_core::runtime_core(const runtime_options& options) : settings_(resolve(options)), generation_(fork_generation()) {
  for (unsigned i = 1; i < settings_.workers; ++i) {
    if (!start_thread(add_worker(), i)) break;  // the system refuses more: work with those there are
  }
}

runtime_core::~runtime_core() {
  stop();
  for (unsigned i = 0; i < worker_count(); ++i) delete workers_[i].load(std::memory_order_relaxed);
}

worker& runtime_core::add_worker() {
  const std::lock_guard guard(membership_);
  const unsigned index = worker_count_.load(std::memory_order_relaxed);
  if (index == most_workers) {
    throw std::runtime_error("sennit: more than " + std::to_string(most_workers) + " threads use one runtime at once");
  }
  auto* const added = new worker(*this, index);
  workers_[index].store(added, std::memory_order_relaxed);
  // ORD[D10] release: the worker and its place in the array; pairs with the acquire in worker_count().
  worker_count_.store(index + 1, std::memory_order_release);
  return *added;
}

unsigned runtime_core::worker_count() const noexcept {
  // ORD[D10] acquire: pairs with the release in add_worker().
  return worker_count_.load(std::memory_order_acquire);
}

worker& runtime_core::worker_at(unsigned index) const noexcept { return *workers_[index].load(std::memory_order_relaxed); }

bool runtime_core::start_thread(worker& place, unsigned number) noexcept {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // The program's signals are for the program's threads; the new thread inherits the mask.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    threads_.emplace_back([&place, number] {
      char name[16];
      std::snprintf(name, sizeof name, "sennit/%u", number);
      pthread_setname_np(pthread_self(), name);
      place.serve(nullptr);
    });
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void runtime_core::stop() noexcept {
  stopping_.store(true, std::memory_order_relaxed);
  const bool threads_exist = !outlived_by_fork();
  for (unsigned i = 0; threads_exist && i < worker_count(); ++i) worker_at(i).go_home();
  for (std::thread& t : threads_) {
    if (!t.joinable()) continue;
    if (threads_exist && t.get_id() != std::this_thread::get_id()) {
      t.join();
    } else {
      t.detach();
    }
  }
  threads_.clear();
}

worker& runtime_core::admit_guest() {
  {
    const std::lock_guard guard(membership_);
    if (!free_guests_.empty()) {
      worker& guest = *free_guests_.back();
      free_guests_.pop_back();
      return guest;
    }
    free_guests_.reserve(worker_count() + 1);  // so that dismissing needs no memory
  }
  return add_worker();
}

void runtime_core::dismiss_guest(worker& guest) noexcept {
  const std::lock_guard guard(membership_);
  free_guests_.push_back(&guest);
}

bool runtime_core::arm_gates() noexcept {
  const unsigned count = worker_count();
  for (unsigned i = 0; i < count; ++i) worker_at(i).frames().shut_push_gate();
  // ORD[D5] After the barrier an owner either sees its gate shut at its next push, or its latest push is visible here.
  // Model: models/sleep.pml.
  if (barrier() == steal_barrier::membarrier) membarrier_all();
  return work_in_sight();
}

bool runtime_core::work_in_sight() noexcept {
  const unsigned count = worker_count();
  for (unsigned i = 0; i < count; ++i) {
    if (worker_at(i).frames().has_work()) return true;
  }
  return false;
}

fiber* runtime_core::make_fiber(void (*entry)() noexcept) noexcept {
  auto* made = new (std::nothrow) fiber(settings_.stack_bytes, entry);
  if (made != nullptr && !made->usable()) {
    delete made;
    made = nullptr;
  }
  if (made != nullptr) fibers_.fetch_add(1, std::memory_order_relaxed);
  return made;
}

std::size_t runtime_core::deque_slots() const noexcept {
  // A join's frame takes at least this much of the stack, so that the deque of a strand of joins is never full.
  constexpr std::size_t least_stack_of_a_join = 48;
  return settings_.stack_bytes / least_stack_of_a_join;
}

void runtime_core::begin_blocking() noexcept {}
void runtime_core::end_blocking() noexcept {}

void runtime_core::cancel_in_all(const region_state&) noexcept {
  for (unsigned i = 0; i < worker_count(); ++i) worker_at(i).frames().region_cancelled();
}

sennit::statistics runtime_core::statistics() const noexcept {
  sennit::statistics sum;
  for (unsigned i = 0; i < worker_count(); ++i) {
    const worker::counters& c = worker_at(i).counts;
    sum.steals += c.steals.load(std::memory_order_relaxed);
    sum.suspensions += c.suspensions.load(std::memory_order_relaxed);
    sum.wakes += c.wakes.load(std::memory_order_relaxed);
  }
  sum.fibers = fibers_.load(std::memory_order_relaxed);
  return sum;
}

bool runtime_core::outlived_by_fork() const noexcept { return generation_ != fork_generation(); }

}  // namespace sennit::detail

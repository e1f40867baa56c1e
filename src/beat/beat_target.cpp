// SPDX-License-Identifier: Apache-2.0
#include "beat/beat_target.hpp"

#include "beat/roll_forward.hpp"
#include "beat/thread_timer.hpp"
#include "process/settings.hpp"
#include "system/thread_id.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

namespace sennit {

namespace {

// A ticket: 1 bit that marks a retry, 11 bits for the place in the pool, 19 bits for the number of times
// that the place has been taken.
constexpr std::size_t most_targets = detail::beat_target_pool::most;
constexpr unsigned generations = 1U << 19;
constexpr int retry_bit = 1;

std::array<ext::beat_target, most_targets> pool;
std::atomic<std::size_t> ever_taken{0};  // places at or above this number have not been used

// How often at most, and how soon, a beat that came at an unsuitable moment is repeated.
constexpr unsigned most_attempts = 3;
constexpr int sooner = 8;

// The kernel merges signals below SIGRTMIN, so such a signal may never arrive. After this number of pings
// the signal is sent again.
constexpr unsigned most_unanswered = 16;

void add(std::atomic<std::uint64_t>& sum, std::uint64_t n) noexcept {
  sum.store(sum.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

// What a beat does unless the program chooses something else. A program that polls learns of the beat
// anyway.
bool to_promotion_point(void* ucontext) noexcept {
  return ucontext == nullptr || !detail::any_marked_code() || detail::roll_forward(ucontext);
}

}  // namespace

namespace ext {

int beat_target::ticket() const noexcept { return ticket_.load(std::memory_order_relaxed); }

bool beat_target::ping() noexcept {
  if (under_way_.load(std::memory_order_relaxed) && ++unanswered_ < most_unanswered) {
    missed_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  unanswered_ = 0;
  under_way_.store(true, std::memory_order_relaxed);
  siginfo_t info{};
  info.si_code = SI_QUEUE;
  info.si_pid = process_;
  info.si_uid = getuid();
  info.si_value.sival_int = ticket();
  if (syscall(SYS_rt_tgsigqueueinfo, process_, thread_, detail::beat_signal(), &info) == 0) return true;
  under_way_.store(false, std::memory_order_relaxed);
  missed_.fetch_add(1, std::memory_order_relaxed);
  return errno == EAGAIN;  // the queue is full at present
}

void beat_target::arrive(void* ucontext, std::uint64_t missed) noexcept {
  under_way_.store(false, std::memory_order_relaxed);
  add(delivered_, 1);
  if (missed != 0) missed_.fetch_add(missed, std::memory_order_relaxed);
  attempts_.store(0, std::memory_order_relaxed);
  // What is left of the share after the beat itself is for repetitions.
  const std::int64_t saved = budget_ns_.load(std::memory_order_relaxed) + income_ns_ - cost_ns_;
  budget_ns_.store(std::min(saved, std::int64_t{most_attempts} * cost_ns_), std::memory_order_relaxed);
  call(ucontext);
}

void beat_target::retry(void* ucontext) noexcept {
  if (attempts_.load(std::memory_order_relaxed) == 0)
    return;  // the next beat has come in between, at a better moment
  add(retries_, 1);
  call(ucontext);
}

void beat_target::call(void* ucontext) noexcept {
  const bool taken = (beat_ != nullptr ? beat_ : to_promotion_point)(ucontext);
  const unsigned attempts = attempts_.load(std::memory_order_relaxed);
  const unsigned patience = patience_.load(std::memory_order_relaxed);
  const bool again = !taken && attempts < patience;
  // A thread that is at unsuitable places most of the time, in an unwinder, gets fewer repetitions.
  if (!again)
    patience_.store(taken ? std::min(patience + 1, most_attempts) : std::max(patience, 2U) - 1,
                    std::memory_order_relaxed);
  attempts_.store(again ? attempts + 1 : 0, std::memory_order_relaxed);
  if (again && ucontext != nullptr) call_again_soon();
}

void beat_target::call_again_soon() noexcept {
  const std::int64_t left = budget_ns_.load(std::memory_order_relaxed) - cost_ns_;
  if (!can_retry_ || left < 0) return;
  budget_ns_.store(left, std::memory_order_relaxed);
  const itimerspec once{{}, detail::as_timespec(static_cast<std::uint64_t>(period_.count() / sooner))};
  timer_settime(retry_timer_, 0, &once, nullptr);
}

}  // namespace ext

namespace detail {

using ext::beat_target;

beat_target* beat_target_pool::take(pid_t thread, const beat_terms& terms,
                                    ext::beat_source& source) noexcept {
  for (std::size_t i = 0; i < most_targets; ++i) {
    beat_target& b = pool[i];
    // A thread marks a free place as its own with a value that no signal has as its ticket.
    int free = 0;
    // ORD[D44] acquire: what its last owner did to it; pairs with the release in put().
    if (!b.ticket_.compare_exchange_strong(free, -1, std::memory_order_acquire, std::memory_order_relaxed))
      continue;
    std::size_t seen = ever_taken.load(std::memory_order_relaxed);
    while (seen <= i && !ever_taken.compare_exchange_weak(seen, i + 1, std::memory_order_relaxed)) {
    }
    b.generation_ = b.generation_ % (generations - 1) + 1;
    b.process_ = getpid();
    b.thread_ = thread;
    b.period_ = terms.period;
    b.beat_ = terms.beat;
    b.cost_ns_ = terms.allowance.cost_ns;
    b.income_ns_ =
        static_cast<std::int64_t>(terms.allowance.share * static_cast<double>(terms.period.count()));
    b.budget_ns_.store(std::int64_t{most_attempts} * b.cost_ns_, std::memory_order_relaxed);
    b.source_ = &source;
    b.unanswered_ = 0;
    b.attempts_.store(0, std::memory_order_relaxed);
    b.patience_.store(most_attempts, std::memory_order_relaxed);
    b.kept = {};
    b.under_way_.store(false, std::memory_order_relaxed);
    for (auto* sum : {&b.delivered_, &b.missed_, &b.retries_}) sum->store(0, std::memory_order_relaxed);
    const auto ticket = static_cast<int>((b.generation_ << (place_bits + 1)) | (i << 1));
    // Without the timer, a beat that comes at an unsuitable moment waits for the next beat.
    b.can_retry_ = create_timer(thread, ticket | retry_bit, b.retry_timer_);
    // ORD[D44] release: all of the above; pairs with the load in on_signal().
    b.ticket_.store(ticket, std::memory_order_release);
    return &b;
  }
  return nullptr;
}

void beat_target_pool::put(beat_target& ended, beat_count& into) noexcept {
  ext::beat_source& source = *ended.source_;
  // ORD[D44] seq_cst: before the handlers inside are counted; a handler counts itself before it reads the
  // ticket. So either it finds the ticket gone, or it is waited for here.
  ended.ticket_.store(-1, std::memory_order_seq_cst);
  // ORD[D44] seq_cst, and acquire: what that handler did; pairs with the release at its end.
  while (ended.inside_.load(std::memory_order_seq_cst) != 0) sched_yield();
  source.stop(ended);
  count(ended, into);
  forget(ended);
}

void beat_target_pool::forget(beat_target& parents) noexcept {
  if (parents.can_retry_ && parents.process_ == getpid()) timer_delete(parents.retry_timer_);
  parents.descriptor.store(-1, std::memory_order_relaxed);
  // ORD[D44] release: all accesses to it; pairs with the acquire in take().
  parents.ticket_.store(0, std::memory_order_release);
}

void beat_target_pool::count(const beat_target& b, beat_count& into) noexcept {
  into.delivered += b.delivered_.load(std::memory_order_relaxed);
  into.missed += b.missed_.load(std::memory_order_relaxed);
  into.retries += b.retries_.load(std::memory_order_relaxed);
}

// Async-signal-safe: it uses atomics, timer_settime(2), and the source's arrived().
void beat_target_pool::on_signal(int, siginfo_t* info, void* ucontext) noexcept {
  const int kept_errno = errno;
  const bool by_descriptor = info->si_code > 0;
  int ticket = 0;
  if (info->si_code == SI_TIMER || info->si_code == SI_QUEUE) {
    ticket = info->si_value.sival_int;
  } else if (by_descriptor) {
    const std::size_t count = ever_taken.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < count && ticket == 0; ++i) {
      if (pool[i].descriptor.load(std::memory_order_relaxed) == info->si_fd)
        ticket = pool[i].ticket_.load(std::memory_order_relaxed);
    }
  }
  const bool again = (ticket & retry_bit) != 0;
  ticket &= ~retry_bit;
  if (ticket > 0) {
    beat_target& b = pool[(static_cast<unsigned>(ticket) >> 1) % most_targets];
    // ORD[D44] seq_cst: counted before the ticket is read; see put().
    b.inside_.fetch_add(1, std::memory_order_seq_cst);
    // ORD[D44] seq_cst, and acquire: what take() wrote.
    bool expected = b.ticket_.load(std::memory_order_seq_cst) == ticket;
    // Descriptors are used again. So a late signal may have found the record of another thread, or a record
    // that was put back and taken again.
    if (expected && by_descriptor) {
      // ORD[D44] acquire: what its source kept before.
      expected = b.descriptor.load(std::memory_order_acquire) == info->si_fd && b.thread_ == thread_id();
    }
    if (expected) {
      if (again) {
        b.retry(ucontext);
      } else {
        b.arrive(ucontext, b.source_->arrived(b, *info));
      }
    }
    // ORD[D44] release: all that the handler did; pairs with the acquire in put().
    b.inside_.fetch_sub(1, std::memory_order_release);
  }
  errno = kept_errno;
}

}  // namespace detail

}  // namespace sennit

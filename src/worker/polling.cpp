// SPDX-License-Identifier: Apache-2.0
#include "worker/polling.hpp"

#include "policy/polling.hpp"
#include "process/fork_child.hpp"
#include "process/library_thread.hpp"
#include "system/parker.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/poller.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace sennit {

namespace {
// Hints for workers. Who waits for an event has its poller know of the event first, and comes to poll later.
// Besides the count there is a bit for the thread: it has to be called. Both change in one word, so a thread that rests is called
// for whatever is awaited from then on.
constexpr unsigned thread_rests = 1U << 31;
constinit std::atomic<unsigned> awaited_count{0};
constinit std::atomic<bool> watched{false};
}  // namespace

// Declared where pollers can make it a friend.
struct polling {
  static polling& of_process() noexcept;

  void add(poller& begun);
  void remove(poller& ended) noexcept;
  unsigned poll() noexcept;
  std::string awaited_by_all();

  detail::parker call;  // of the thread for busy times

 private:
  void serve() noexcept;
  // Whether a parent has polled. A child of fork(2) has not got the thread, the locks may be held by threads that it has not got
  // either, and what is awaited is the parent's.
  bool is_copy() const noexcept {
    const unsigned begun_in = generation_.load(std::memory_order_relaxed);
    return begun_in != none && begun_in != detail::fork_generation();
  }

  static constexpr unsigned none = ~0U;
  std::mutex membership_;  // held by who adds or removes: the thread below belongs to all pollers
  std::mutex lock_;        // held while pollers are polled
  poller* first_ = nullptr;
  std::atomic<unsigned> polls_{0};  // a hint that somebody polls
  std::atomic<bool> stops_{false};
  std::atomic<unsigned> generation_{none};  // of forks, in which the thread was started
  std::thread thread_;
};

polling& polling::of_process() noexcept {
  // It has no destructor that could come before a static poller's.
  static polling& all = *new polling;
  return all;
}

void polling::add(poller& begun) {
  if (is_copy()) {
    detail::fail<std::runtime_error>(
        "sennit: a parent of this process has polled for events before it called fork(2), so this "
        "process cannot; begin to poll after fork(2), or call exec in the child");
  }
  const std::lock_guard members(membership_);
  if (!thread_.joinable()) {
    stops_.store(false, std::memory_order_relaxed);
    if (!detail::start_thread(thread_, "sennit-poll", 0, [this] { serve(); }))
      detail::fail<std::runtime_error>("sennit: the system gives no thread that polls for events while all "
                                       "workers are busy; allow one more thread");
    generation_.store(detail::fork_generation(), std::memory_order_relaxed);
  }
  const std::lock_guard guard(lock_);
  begun.next_ = first_;
  first_ = &begun;
}

void polling::remove(poller& ended) noexcept {
  if (is_copy()) return;
  const std::lock_guard members(membership_);
  bool last = false;
  {
    const std::lock_guard guard(lock_);
    for (poller** at = &first_; *at != nullptr; at = &(*at)->next_) {
      if (*at != &ended) continue;
      *at = ended.next_;
      break;
    }
    last = first_ == nullptr;
  }
  if (!last || !thread_.joinable()) return;
  stops_.store(true, std::memory_order_relaxed);
  call.unpark();
  thread_.join();
  thread_ = std::thread();
  generation_.store(none, std::memory_order_relaxed);
}

unsigned polling::poll() noexcept {
  if (is_copy()) return 0;
  const std::unique_lock guard(lock_, std::try_to_lock);
  if (!guard.owns_lock()) return 0;
  polls_.fetch_add(1, std::memory_order_relaxed);
  unsigned come = 0;
  for (poller* at = first_; at != nullptr; at = at->next_) come += at->poll();
  return come;
}

std::string polling::awaited_by_all() {
  if (is_copy()) return {};
  const std::lock_guard guard(lock_);
  std::string text;
  for (poller* at = first_; at != nullptr; at = at->next_) text += at->awaited_lines();
  return text;
}

void polling::serve() noexcept {
  unsigned before = polls_.load(std::memory_order_relaxed);
  unsigned in_vain = 0;
  while (!stops_.load(std::memory_order_relaxed)) {
    unsigned awaited = awaited_count.load(std::memory_order_relaxed);
    in_vain = awaited == 0 ? in_vain + 1 : 0;
    if (in_vain >= policy::polling::periods_before_rest &&
        awaited_count.compare_exchange_strong(awaited, thread_rests, std::memory_order_relaxed)) {
      call.park();
      awaited_count.fetch_and(~thread_rests, std::memory_order_relaxed);
      in_vain = 0;
      continue;
    }
    call.park(std::chrono::nanoseconds(policy::polling::busy_period_ns));
    const unsigned now = polls_.load(std::memory_order_relaxed);
    if (now == before && detail::events_awaited()) poll();
    before = polls_.load(std::memory_order_relaxed);
  }
}

void poller::begin() { polling::of_process().add(*this); }
void poller::end() noexcept { polling::of_process().remove(*this); }

void poller::await_more(unsigned events) noexcept {
  if (awaited_count.fetch_add(events, std::memory_order_relaxed) == thread_rests)
    polling::of_process().call.unpark();
}
void poller::await_fewer(unsigned events) noexcept {
  awaited_count.fetch_sub(events, std::memory_order_relaxed);
}
unsigned poller::poll_now() noexcept { return polling::of_process().poll(); }

namespace detail {

bool events_awaited() noexcept {
  return (awaited_count.load(std::memory_order_relaxed) & ~thread_rests) != 0;
}
unsigned poll_events() noexcept { return polling::of_process().poll(); }
bool begin_event_watch() noexcept {
  return events_awaited() && !watched.exchange(true, std::memory_order_relaxed);
}
void end_event_watch() noexcept { watched.store(false, std::memory_order_relaxed); }
std::string awaited_events() { return polling::of_process().awaited_by_all(); }

}  // namespace detail
}  // namespace sennit

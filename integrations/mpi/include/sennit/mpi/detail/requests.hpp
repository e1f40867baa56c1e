// SPDX-License-Identifier: Apache-2.0
// The requests and probes that strands wait for, and the one place that looks whether something has come.
#pragma once

#include <sennit/detail/messages_in_trace.hpp>
#include <sennit/event.hpp>
#include <sennit/mpi/detail/awaited.hpp>
#include <sennit/mpi/error.hpp>
#include <sennit/poller.hpp>

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sennit::mpi::detail {

// MPI's own progress is made by whoever tests; so strands that wait, idle workers and the library's thread all come here.
class requests final : public poller {
 public:
  // Throws mpi::error if MPI is not in use, or allows only one thread to call it.
  static requests& of_process() {
    static requests all;
    all.begin_once();
    return all;
  }

  // f calls MPI. If MPI allows one thread at a time only, f is alone.
  template <class F>
  decltype(auto) call(F&& f) {
    if (!one_at_a_time_) return std::forward<F>(f)();
    const std::lock_guard guard(calls_);
    return std::forward<F>(f)();
  }

  // Returns when the request has completed or been cancelled, and not before, as MPI may write to the caller's memory until then:
  // so it throws nothing.
  void wait(request_awaited& a) {
    if (call([&] { return tested(a); })) return;
    if (!enlist(a)) {
      // There is no memory. The worker is blocked, but nothing is lost.
      while (!call([&] { return tested(a); })) std::this_thread::yield();
      return;
    }
    await_more();
    wait_for(a);
  }
  // Returns when the message has come, and is nobody else's, or after the cancellation.
  void wait(message_awaited& a) {
    if (call([&] { return probed(a); })) return;
    {
      const std::lock_guard guard(calls_);
      probes_.push_back(&a);
    }
    await_more();
    wait_for(a);
  }

 private:
  requests() = default;
  ~requests() { stop(); }

  void begin_once() {
    // ORD[D75] acquire: the thread level, as it was noted; pairs with the release below.
    if (begun_.load(std::memory_order_acquire)) return;
    const std::lock_guard guard(calls_);
    if (begun_.load(std::memory_order_relaxed)) return;
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized == 0 || finalized != 0) {
      throw error(
          "sennit::mpi: MPI is not in use; make a sennit::mpi::session first, or call MPI_Init_thread",
          MPI_ERR_OTHER);
    }
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_SERIALIZED) {
      throw error(
          "sennit::mpi: MPI was initialized for calls of one thread, and strands call it from any; ask "
          "MPI_Init_thread for MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or make a sennit::mpi::session",
          MPI_ERR_OTHER);
    }
    one_at_a_time_ = level == MPI_THREAD_SERIALIZED;
    begin();
    // MPI_Finalize deletes the attributes of MPI_COMM_SELF first.
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &as_mpi_ends, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, this);
    MPI_Comm_free_keyval(&key);
    // ORD[D75] release: the thread level; pairs with the acquire above.
    begun_.store(true, std::memory_order_release);
  }

  static int as_mpi_ends(MPI_Comm, int, void* self, void*) {
    static_cast<requests*>(self)->stop();
    return MPI_SUCCESS;
  }

  void stop() noexcept {
    if (begun_.exchange(false, std::memory_order_relaxed)) end();
  }

  // False: there is no memory.
  bool enlist(request_awaited& a) {
    const std::lock_guard guard(calls_);
#if SENNIT_EXCEPTIONS
    try {
#endif
      make_room();
      handles_.push_back(a.request_);
      of_handles_.push_back(&a);
#if SENNIT_EXCEPTIONS
    } catch (const std::bad_alloc&) {
      return false;
    }
#endif
    return true;
  }

  // For one more request, and for what poll_requests() has to note of it. of_handles_ comes last: with it, the others have room.
  void make_room() {
    if (of_handles_.size() < of_handles_.capacity()) return;
    const std::size_t room = 2 * of_handles_.size() + 16;
    handles_.reserve(room);
    done_.reserve(room);
    statuses_.reserve(room);
    of_handles_.reserve(room);
  }

  // The list of what is awaited refers to the caller's stack, so the caller stays until the event has come. A thread that runs no
  // strand may find no runtime to wait in.
  static void wait_for(awaited& a) {
    event& come = a.come_;
    const std::uint64_t since = sennit::detail::may_be_traced() ? sennit::detail::time_in_trace() : 0;
#if SENNIT_EXCEPTIONS
    try {
      come.wait();
    } catch (...) {
      while (!come.is_set()) std::this_thread::yield();
    }
#else
    come.wait();
#endif
    if (since != 0) [[unlikely]]
      a.trace_wait(since);
  }

  bool tested(request_awaited& a) noexcept {
    int done = 0;
    a.code = MPI_Test(&a.request_, &done, &a.status);
    return done != 0 || a.code != MPI_SUCCESS;
  }

  bool probed(message_awaited& a) noexcept {
    int found = 0;
    a.code = MPI_Improbe(a.from_, a.tag_, a.comm_, &found, &a.message, &a.status);
    return found != 0 || a.code != MPI_SUCCESS;
  }

  unsigned poll() noexcept override {
    const std::unique_lock guard(calls_, std::try_to_lock);
    if (!guard.owns_lock()) return 0;
    return poll_requests() + poll_probes();
  }

  unsigned poll_requests() noexcept {
    if (handles_.empty()) return 0;
    ask_for_cancellations();
    done_.resize(handles_.size());
    statuses_.resize(handles_.size());
    int count = 0;
    const int code = MPI_Testsome(static_cast<int>(handles_.size()), handles_.data(), &count, done_.data(),
                                  statuses_.data());
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
      // Nobody knows whose error that is. The requests that have not completed are awaited on: MPI may still write to their memory.
      return poll_one_by_one();
    }
    if (count == MPI_UNDEFINED) {
      // All are null or inactive by now: somebody else has waited for them. They count as completed.
      count = static_cast<int>(handles_.size());
      for (int i = 0; i < count; ++i) {
        done_[static_cast<std::size_t>(i)] = i;
        statuses_[static_cast<std::size_t>(i)].MPI_ERROR = MPI_SUCCESS;
      }
    }
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(done_[static_cast<std::size_t>(i)]);
      request_awaited& a = *of_handles_[at];
      a.request_ = handles_[at];
      a.status = statuses_[static_cast<std::size_t>(i)];
      note_cancellation(a);
      of_handles_[at] = nullptr;
      let_go_on(a, code == MPI_SUCCESS ? MPI_SUCCESS : a.status.MPI_ERROR);
    }
    drop_done();
    return static_cast<unsigned>(count);
  }

  unsigned poll_one_by_one() noexcept {
    unsigned come = 0;
    for (std::size_t i = 0; i < of_handles_.size(); ++i) {
      int done = 0;
      request_awaited& a = *of_handles_[i];
      const int code = MPI_Test(&handles_[i], &done, &a.status);
      if (done == 0 && code == MPI_SUCCESS) continue;
      a.request_ = handles_[i];
      note_cancellation(a);
      of_handles_[i] = nullptr;
      let_go_on(a, code);
      ++come;
    }
    drop_done();
    return come;
  }

  static void note_cancellation(request_awaited& a) noexcept {
    int cancelled = 0;
    if (a.cancel_asked_) MPI_Test_cancelled(&a.status, &cancelled);
    a.cancelled = cancelled != 0;
  }

  // The places of those that are done go to those that are not.
  void drop_done() noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < of_handles_.size(); ++i) {
      if (of_handles_[i] == nullptr) continue;
      of_handles_[kept] = of_handles_[i];
      handles_[kept++] = handles_[i];
    }
    of_handles_.resize(kept);
    handles_.resize(kept);
  }

  // Receives end early that way. MPI completes other requests.
  void ask_for_cancellations() noexcept {
    for (std::size_t i = 0; i < of_handles_.size(); ++i) {
      request_awaited& a = *of_handles_[i];
      if (a.cancel_asked_ || !a.ends_early_ || !a.to_be_cancelled()) continue;
      a.cancel_asked_ = true;
      MPI_Cancel(&handles_[i]);
    }
  }

  unsigned poll_probes() noexcept {
    return static_cast<unsigned>(std::erase_if(probes_, [this](message_awaited* const a) {
      if (!probed(*a)) {
        if (!a->ends_early_ || !a->to_be_cancelled()) return false;
        a->cancelled = true;
      }
      let_go_on(*a, a->code);
      return true;
    }));
  }

  static void let_go_on(awaited& a, int code) noexcept {
    a.code = code;
    await_fewer();
    a.come_.set();
  }

  std::string awaited_lines() override {
    const std::lock_guard guard(calls_);
    std::string text;
    for (const request_awaited* const a : of_handles_) text += a->line();
    for (const message_awaited* const a : probes_) text += a->line();
    return text;
  }

  std::atomic<bool> begun_{false};
  bool one_at_a_time_ = false;
  std::mutex calls_;  // of all below, and of MPI where one thread at a time may call it
  std::vector<MPI_Request> handles_;
  std::vector<request_awaited*> of_handles_;
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
  std::vector<message_awaited*> probes_;
};

// Begins a request by a call of MPI, and returns when it has completed.
template <class Begin>
MPI_Status complete(const purpose& what, Begin&& begin, bool ends_early = false) {
  requests& all = requests::of_process();
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = all.call([&] { return begin(&request); });
  if (code != MPI_SUCCESS) fail(code, what.call, what.where);
  request_awaited a(request, what, ends_early);
  all.wait(a);
  a.check();
  return a.status;
}

}  // namespace sennit::mpi::detail

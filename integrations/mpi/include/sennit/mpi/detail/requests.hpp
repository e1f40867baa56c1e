// SPDX-License-Identifier: Apache-2.0
// What strands wait for, and the one place that looks whether it has come.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/messages_in_trace.hpp>
#include <sennit/event.hpp>
#include <sennit/mpi/error.hpp>
#include <sennit/poller.hpp>
#include <sennit/region.hpp>

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <new>
#include <source_location>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sennit::mpi::detail {

// A call that waits, for people.
struct purpose {
  const char* call;
  std::source_location where;
  bool of_message = false;  // whether it has a peer and a tag
  int peer = MPI_PROC_NULL;
  int tag = MPI_ANY_TAG;
};

// What a strand waits for: on its stack.
class awaited {
 public:
  explicit awaited(const purpose& what) noexcept
      : what_(what),
        strand_(sennit::detail::strand_in_reports()),
        region_(sennit::detail::innermost_region()) {}
  awaited(const awaited&) = delete;
  awaited& operator=(const awaited&) = delete;

  MPI_Status status{};
  int code = MPI_SUCCESS;
  bool cancelled = false;

  // Once it has come or was cancelled.
  void check() const {
#if SENNIT_EXCEPTIONS
    if (cancelled) throw sennit::cancelled();
#endif
    if (code != MPI_SUCCESS) [[unlikely]]
      fail(code, text(), what_.where);
  }

 private:
  friend class requests;

  std::string text() const {
    std::ostringstream text;
    text << what_.call;
    if (what_.of_message) {
      text << (what_.peer == MPI_ANY_SOURCE ? std::string(" any rank")
                                            : " rank " + std::to_string(what_.peer));
      text << (what_.tag == MPI_ANY_TAG ? std::string(", any tag") : ", tag " + std::to_string(what_.tag));
    }
    return text.str();
  }
  std::string line() const {
    std::ostringstream line;
    line << "    ";
    if (strand_ != nullptr) line << "strand " << strand_ << ", ";
    line << text() << ", at " << text_of(what_.where) << "\n";
    return line.str();
  }
  // Without memory of its own.
  void trace_wait(std::uint64_t since) const noexcept {
    char name[80];
    if (what_.of_message && what_.peer >= 0)
      std::snprintf(name, sizeof name, "%s rank %d", what_.call, what_.peer);
    else
      std::snprintf(name, sizeof name, "%s%s", what_.call, what_.of_message ? " any rank" : "");
    sennit::detail::trace_outside_wait(name, since);
  }
  bool to_be_cancelled() const noexcept { return region_ != nullptr && region_->stopped(); }

  const purpose what_;
  const void* const strand_;
  const sennit::detail::region_state* const region_;
  bool cancel_asked_ = false;
  event come_;
};

class request_awaited : public awaited {
 public:
  // `ends_early`: a receive, which MPI can cancel.
  request_awaited(MPI_Request& of, const purpose& what, bool ends_early) noexcept
      : awaited(what), request_(of), ends_early_(ends_early) {}

 private:
  friend class requests;
  MPI_Request& request_;
  const bool ends_early_;
};

// A message that is to be received once its size is known.
class message_awaited : public awaited {
 public:
  // `ends_early`: by the cancellation of the region.
  message_awaited(int from, int tag, MPI_Comm comm, const std::source_location& where,
                  bool ends_early = true) noexcept
      : awaited({.call = "probe for a message from",
                 .where = where,
                 .of_message = true,
                 .peer = from,
                 .tag = tag}),
        from_(from),
        tag_(tag),
        comm_(comm),
        ends_early_(ends_early) {}
  MPI_Message message = MPI_MESSAGE_NULL;

 private:
  friend class requests;
  const int from_;
  const int tag_;
  const MPI_Comm comm_;
  const bool ends_early_;
};

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

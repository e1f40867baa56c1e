// The requests that strands wait for, and the one place that looks whether they have completed.
#pragma once

#include <sennit/event.hpp>
#include <sennit/mpi/error.hpp>
#include <sennit/poller.hpp>
#include <sennit/region.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace sennit::mpi::detail {

// What a request is for, for people.
struct purpose {
  const char* call = "wait";
  int peer = MPI_PROC_NULL;
  int tag = MPI_ANY_TAG;
  bool of_message = false;  // whether it has a peer and a tag
};

// On the stack of who waits.
struct awaited_request {
  MPI_Request* request;
  purpose what;
  std::source_location where;
  const sennit::detail::region_state* region = nullptr;
  MPI_Status status{};
  int code = MPI_SUCCESS;
  bool cancel_asked = false;
  event completed{};
};

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

  // Returns when the request has completed. Its status and its code are in `a` then.
  void wait(awaited_request& a) {
    if (test(a)) return;
    {
      const std::lock_guard guard(calls_);
      handles_.reserve(handles_.size() + 1);
      awaited_.push_back(&a);
      handles_.push_back(*a.request);
    }
    await_more();
    a.completed.wait();
  }

 private:
  requests() = default;
  ~requests() { stop(); }

  void begin_once() {
    if (begun_.load(std::memory_order_acquire)) return;  // ORD[D75] acquire: the thread level, as begin_once() noted it
    const std::lock_guard guard(calls_);
    if (begun_.load(std::memory_order_relaxed)) return;
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized == 0 || finalized != 0)
      throw error("sennit::mpi: MPI is not in use; make a sennit::mpi::session first, or call MPI_Init_thread", MPI_ERR_OTHER);
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_SERIALIZED)
      throw error("sennit::mpi: MPI was initialized for one thread, and strands call it from any; ask MPI_Init_thread for "
                  "MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or make a sennit::mpi::session",
                  MPI_ERR_OTHER);
    one_at_a_time_ = level == MPI_THREAD_SERIALIZED;
    begin();
    // MPI_Finalize deletes the attributes of MPI_COMM_SELF first.
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &as_mpi_ends, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, this);
    MPI_Comm_free_keyval(&key);
    begun_.store(true, std::memory_order_release);  // ORD[D75] release: pairs with the acquire above
  }

  static int as_mpi_ends(MPI_Comm, int, void* self, void*) {
    static_cast<requests*>(self)->stop();
    return MPI_SUCCESS;
  }

  void stop() noexcept {
    if (begun_.exchange(false, std::memory_order_relaxed)) end();
  }

  bool test(awaited_request& a) {
    return call([&] {
      int done = 0;
      a.code = MPI_Test(a.request, &done, &a.status);
      return done != 0 || a.code != MPI_SUCCESS;
    });
  }

  unsigned poll() noexcept override {
    const std::unique_lock guard(calls_, std::try_to_lock);
    if (!guard.owns_lock() || awaited_.empty()) return 0;
    cancel_where_regions_are();
    done_.resize(awaited_.size());
    statuses_.resize(awaited_.size());
    int count = 0;
    const int code =
        MPI_Testsome(static_cast<int>(handles_.size()), handles_.data(), &count, done_.data(), statuses_.data());
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
      // It is not known whose error that is.
      count = static_cast<int>(awaited_.size());
      for (int i = 0; i < count; ++i) done_[static_cast<std::size_t>(i)] = i;
      for (MPI_Status& s : statuses_) s.MPI_ERROR = code;
    } else if (count == MPI_UNDEFINED) {
      count = 0;
    }
    // From the last on, so that those that take the places of others keep theirs.
    std::sort(done_.begin(), done_.begin() + count, std::greater<>());
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(done_[static_cast<std::size_t>(i)]);
      awaited_request& a = *awaited_[at];
      *a.request = handles_[at];
      a.status = statuses_[static_cast<std::size_t>(i)];
      a.code = code == MPI_SUCCESS ? MPI_SUCCESS : a.status.MPI_ERROR;
      awaited_[at] = awaited_.back();
      handles_[at] = handles_.back();
      awaited_.pop_back();
      handles_.pop_back();
      await_fewer();
      a.completed.come();
    }
    return static_cast<unsigned>(count);
  }
  void cancel_where_regions_are() noexcept {}

  std::string awaited() override {
    const std::lock_guard guard(calls_);
    std::string text;
    for (const awaited_request* const a : awaited_) {
      text += "    " + std::string(a->what.call);
      if (a->what.of_message)
        text += " rank " + std::to_string(a->what.peer) + ", tag " + std::to_string(a->what.tag);
      text += ", at " + text_of(a->where) + "\n";
    }
    return text;
  }

  std::atomic<bool> begun_{false};
  bool one_at_a_time_ = false;
  std::mutex calls_;
  std::vector<awaited_request*> awaited_;
  std::vector<MPI_Request> handles_;
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace sennit::mpi::detail

// SPDX-License-Identifier: Apache-2.0
#include "beat/sources.hpp"
#include "process/no_cancellation.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/detail/failure.hpp>

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace sennit::detail {

namespace {

using clock = std::chrono::steady_clock;

// One thread that sleeps, and then sends a signal to each of the other threads in turn. If all of them rest,
// it rests, too.
class ping_thread : public ext::beat_source {
 public:
  explicit ping_thread(std::chrono::nanoseconds period) : period_(period) {}
  ~ping_thread() override {
    {
      const std::lock_guard guard(lock_);
      ended_ = true;
    }
    changed_.notify_one();
    const no_cancellation whole;
    if (thread_.joinable()) thread_.join();
  }

  const char* name() const noexcept override { return "ping_thread"; }

  std::string refusal() override {
    if (thread_.joinable()) return {};
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = attempt<std::exception>([this] { thread_ = std::thread([this] { serve(); }); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (started) return {};
    return refused("thread creation", EAGAIN,
                   "raise the limit of threads (ulimit -u, or the cgroup's pids.max)");
  }

  bool start(ext::beat_target& who) noexcept override {
    const bool added = attempt<std::exception>([&] {
      const std::lock_guard guard(lock_);
      targets_.push_back({&who, clock::now(), true});
    });
    changed_.notify_one();
    return added;
  }

  void stop(ext::beat_target& who) noexcept override {
    const std::lock_guard guard(lock_);
    std::erase_if(targets_, [&](const target& t) { return t.who == &who; });
  }

  void rest(ext::beat_target& who) noexcept override { set_awake(who, false); }
  void wake(ext::beat_target& who) noexcept override { set_awake(who, true); }

 private:
  struct target {
    ext::beat_target* who;
    clock::time_point since;  // when the thread woke up
    bool awake;
  };

  void set_awake(const ext::beat_target& who, bool awake) noexcept {
    {
      const std::lock_guard guard(lock_);
      for (target& t : targets_) {
        if (t.who == &who) t = {t.who, clock::now(), awake};
      }
    }
    if (awake) changed_.notify_one();
  }

  void serve() noexcept {
    pthread_setname_np(pthread_self(), "sennit/beats");
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);  // otherwise the kernel lets it sleep 50 us longer
    std::unique_lock guard(lock_);
    const auto somebody_awake = [this] {
      return std::ranges::any_of(targets_, [](const target& t) { return t.awake; });
    };
    while (!ended_) {
      changed_.wait(guard, [&] { return ended_ || somebody_awake(); });
      for (auto next = clock::now() + period_; !ended_ && somebody_awake(); next += period_) {
        // If the thread slept too long, it skips the beats of that time.
        const auto now = clock::now();
        if (now > next) next += (now - next) / period_ * period_;
        if (changed_.wait_until(guard, next, [this] { return ended_; })) return;
        for (const target& t : targets_) {
          // A thread gets no beat within its first period.
          if (t.awake && next - t.since >= period_) t.who->ping();
        }
      }
    }
  }

  const std::chrono::nanoseconds period_;
  std::mutex lock_;  // protects all members below
  std::condition_variable changed_;
  std::vector<target> targets_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ext::beat_source> make_ping_thread(std::chrono::nanoseconds period) {
  return std::make_unique<ping_thread>(period);
}

}  // namespace sennit::detail

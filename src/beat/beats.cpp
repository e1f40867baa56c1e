// SPDX-License-Identifier: Apache-2.0
#include "beat/beat_cost.hpp"
#include "beat/beat_target.hpp"
#include "beat/report.hpp"
#include "beat/settings.hpp"
#include "beat/sources.hpp"
#include "process/fork_child.hpp"
#include "process/no_cancellation.hpp"
#include "runtime/runtime.hpp"
#include "system/nanoseconds.hpp"
#include "system/thread_id.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker_listener.hpp"

#include <sennit/beats.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/runtime.hpp>

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace sennit {

using detail::attempt;
using detail::beat_target_pool;

std::string detail::refused(const char* what, int error, const char* remedy) {
  return std::string(what) + ": " + std::generic_category().message(error) + "; " + remedy;
}

namespace {

std::unique_ptr<ext::beat_source> make(beat_source_kind kind, std::chrono::nanoseconds period) {
  switch (kind) {
    case beat_source_kind::ping_thread: return detail::make_ping_thread(period);
    case beat_source_kind::perf_events: return detail::make_perf_events();
    case beat_source_kind::polled: return detail::make_polled();
    case beat_source_kind::automatic:
    case beat_source_kind::posix_timers: break;
  }
  return detail::make_posix_timers();
}

// A source that works here. Throws std::runtime_error with the reasons of all sources that do not.
std::unique_ptr<ext::beat_source> choose(beat_source_kind asked, std::chrono::nanoseconds period) {
  using enum beat_source_kind;
  constexpr beat_source_kind in_turn[] = {posix_timers, perf_events, ping_thread};
  std::string reasons;
  for (const beat_source_kind kind : in_turn) {
    auto source = make(asked == automatic ? kind : asked, period);
    const std::string reason = source->refusal();
    if (reason.empty()) return source;
    reasons += std::string(reasons.empty() ? "" : "; ") + source->name() + ": " + reason;
    if (asked != automatic) break;
  }
  detail::fail<std::runtime_error>("sennit: no beats: " + reasons);
}

}  // namespace

// Order of locks: no_fork, then the runtime's lock of members, then `lock_`.
class beats::group final : public detail::worker_listener {
 public:
  explicit group(const beats_options& options)
      : settings_(detail::resolve(options)),
        period_(settings_.period),
        beat_(options.on_beat),
        generation_(detail::fork_generation()) {
    // The cost of a beat is measured on another thread, and the default runtime may be started.
    const detail::no_cancellation whole;
    if (const std::string reason = detail::install_beat_handler(); !reason.empty())
      detail::fail<std::runtime_error>("sennit: no beats: " + reason);
    if (settings_.source != beat_source_kind::polled) {
      const double share = settings_.most_share;
      period_ = detail::affordable_period(settings_.period, share);
      allowance_ = {share, share < 1 ? detail::cost_of_beat().count() : 0};
    }
    if (options.extension != nullptr) {
      source_ = options.extension;
      if (const std::string reason = source_->refusal(); !reason.empty())
        detail::fail<std::runtime_error>(std::string("sennit: no beats: ") + source_->name() + ": " + reason);
    } else {
      own_source_ = choose(settings_.source, period_);
      source_ = own_source_.get();
    }
    if (const std::size_t least = detail::lacking_signal_stack(); options.calling_thread && least != 0) {
      detail::fail<std::runtime_error>(
          "sennit: no beats: the calling thread's alternate signal stack (sigaltstack) is too small for the "
          "handler; give it " +
          std::to_string(least) + " bytes or more");
    }
    detail::runtime_core* const core = options.workers ? &detail::core_of(options.in) : nullptr;
    const detail::no_fork guard;
    if (options.calling_thread) {
      caller_ = detail::thread_id();
      comes(caller_);
      if (const member* const m = find(caller_); m == nullptr || m->who == nullptr) {
        detail::fail<std::runtime_error>(
            std::string("sennit: no beats: ") + source_->name() +
            ": the calling thread gets none; raise the limits of pending signals and of open files "
            "(ulimit -i, ulimit -n), or let fewer threads have beats: " +
            std::to_string(beat_target_pool::most) + " at once are possible");
      }
    }
    next_ = std::exchange(newest_, this);
    if (core != nullptr) {
      core->add_listener(*this);
      core_ = core;
    }
  }

  ~group() {
    stop();
    const detail::no_fork guard;
    group** at = &newest_;
    while (*at != this) at = &(*at)->next_;
    *at = next_;
  }

  void stop() noexcept {
    const detail::no_cancellation whole;  // sources close files
    const detail::no_fork guard;
    const bool here = generation_ == detail::fork_generation();
    if (core_ != nullptr && here) core_->remove_listener(*this);
    core_ = nullptr;
    if (!here) {
      // For a child of fork(2): a thread that does not exist in the child may hold the lock.
      for (const member& m : members_) {
        if (m.who != nullptr) beat_target_pool::forget(*m.who);
      }
      members_.clear();
      (void)own_source_.release();  // it may have threads of the parent
      return;
    }
    const std::lock_guard locked(lock_);
    for (member& m : members_) end(m);
    stopped_ = true;
  }

  // --- worker_listener
  void comes(pid_t thread) noexcept override {
    if (thread == detail::thread_id()) {
      // A guest's own stack: its work goes on without beats.
      if (detail::lacking_signal_stack() != 0) return;
      watch_thread_end();
    }
    const std::lock_guard guard(lock_);
    if (stopped_) return;
    member* m = find(thread);
    if (m == nullptr && !attempt<std::bad_alloc>([&] { m = &members_.emplace_back(member{thread}); })) return;
    if (m->who != nullptr) {
      if (m->since_ns != 0) return;
      m->since_ns = detail::now_ns();
      source_->wake(*m->who);
      return;
    }
    m->who = beat_target_pool::take(thread, {period_, allowance_, beat_}, *source_);
    if (m->who == nullptr) return;
    m->since_ns = detail::now_ns();
    if (source_->start(*m->who)) return;
    beat_target_pool::forget(*std::exchange(m->who, nullptr));
    m->since_ns = 0;
  }

  void rests(pid_t thread) noexcept override {
    if (thread == detail::thread_id()) watch_thread_end();
    const std::lock_guard guard(lock_);
    member* const m = find(thread);
    if (m == nullptr || m->who == nullptr || m->since_ns == 0 || thread == caller_) return;
    source_->rest(*m->who);
    pause(*m);
  }

  void runtime_ends() noexcept override { core_ = nullptr; }

  static void thread_ends(pid_t thread) noexcept {
    const detail::no_fork guard;
    for (group* g = newest_; g != nullptr; g = g->next_) {
      if (g->generation_ != detail::fork_generation()) continue;
      const std::lock_guard guard(g->lock_);
      if (member* const m = g->find(thread)) {
        g->end(*m);
        m->thread = 0;  // a later thread with this number is another thread
      }
      if (g->caller_ == thread) g->caller_ = 0;
    }
  }

  std::chrono::nanoseconds period() const noexcept { return period_; }
  const char* source() const noexcept { return source_->name(); }

  std::vector<beat_count> statistics() const {
    if (generation_ != detail::fork_generation()) return {};
    const std::lock_guard guard(lock_);
    std::vector<beat_count> counts;
    for (const member& m : members_) {
      beat_count sum = m.ended;
      if (m.who != nullptr) beat_target_pool::count(*m.who, sum);
      const std::uint64_t now = m.since_ns != 0 ? detail::now_ns() - m.since_ns : 0;
      sum.asked = (m.active_ns + now) / static_cast<std::uint64_t>(period_.count());
      sum.period = period_;
      counts.push_back(sum);
    }
    return counts;
  }

 private:
  struct member {
    explicit member(pid_t of) : thread(of) { ended.thread = of; }

    pid_t thread;  // 0: the thread has ended
    ext::beat_target* who = nullptr;
    std::uint64_t since_ns = 0;   // when the thread began to work; 0: it rests
    std::uint64_t active_ns = 0;  // before since_ns
    beat_count ended;             // counts that *who has no more
  };

  member* find(pid_t thread) noexcept {
    const auto found = std::ranges::find(members_, thread, &member::thread);
    return found != members_.end() ? &*found : nullptr;
  }

  static void pause(member& m) noexcept {
    if (m.since_ns != 0) m.active_ns += detail::now_ns() - std::exchange(m.since_ns, 0);
  }

  static void end(member& m) noexcept {
    pause(m);
    if (m.who == nullptr) return;
    beat_target_pool::put(*m.who, m.ended);
    m.who = nullptr;
  }

  // The calling thread gets beats, and reports its end. It uses a pthread key rather than a thread_local
  // with a destructor, which would prevent unloading a shared object that contains this library.
  static void watch_thread_end() noexcept {
    struct end_key {
      end_key() noexcept {
        valid = pthread_key_create(&key, [](void*) { thread_ends(detail::thread_id()); }) == 0;
      }
      // Threads that exist longer than the library must not run the library's code at their end.
      ~end_key() {
        if (valid) pthread_key_delete(key);
      }
      pthread_key_t key{};
      bool valid;
    };
    static const end_key last;
    if (last.valid) pthread_setspecific(last.key, &newest_);  // any value but null
  }

  const detail::beat_settings settings_;
  std::chrono::nanoseconds period_;  // after the limit of most_share
  detail::beat_allowance allowance_;
  const ext::beat_target::function beat_;
  const unsigned generation_;
  ext::beat_source* source_ = nullptr;
  std::unique_ptr<ext::beat_source> own_source_;
  detail::runtime_core* core_ = nullptr;  // under no_fork
  mutable std::mutex lock_;               // protects all members below
  std::vector<member> members_;
  pid_t caller_ = 0;
  bool stopped_ = false;

  inline static constinit group* newest_ = nullptr;  // under no_fork
  group* next_ = nullptr;
};

beats::beats(const beats_options& options) : group_(std::make_unique<group>(options)) {}
beats::~beats() = default;

void beats::stop() noexcept { group_->stop(); }
std::chrono::nanoseconds beats::period() const noexcept { return group_->period(); }
const char* beats::source() const noexcept { return group_->source(); }
std::vector<beat_count> beats::statistics() const { return group_->statistics(); }

std::string beats::report() const {
  std::uint64_t delivered = 0;
  for (const beat_count& c : statistics()) delivered += c.delivered;
  return detail::report_points(delivered);
}

}  // namespace sennit

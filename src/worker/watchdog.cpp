#include "worker/watchdog.hpp"

#include "process/settings.hpp"
#include "system/nanoseconds.hpp"
#include "worker/inspection.hpp"
#include "worker/runtime_core.hpp"

#include <execinfo.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace sennit::detail {

namespace {

constexpr int most_calls = 40;
constexpr int calls_shown = 12;

constinit std::atomic<int> chosen_signal{0};

// What the handler fills in, for one thread at a time. A handler that comes late finds another question, or
// none.
constinit std::atomic<pid_t> asked{0};
constinit void* calls[most_calls];
constinit int count = 0;
sem_t answered;

void answer(int) {
  auto self = static_cast<pid_t>(syscall(SYS_gettid));
  if (!asked.compare_exchange_strong(self, 0, std::memory_order_relaxed)) return;
  count = backtrace(calls, most_calls);
  sem_post(&answered);
}

bool is_answered_in_time() noexcept {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  while (sem_timedwait(&answered, &until) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

std::string text_of(const std::string& path) {
  std::string text;
  std::getline(std::ifstream(path), text);
  return text;
}

std::string as_seconds(std::uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", static_cast<double>(ns) / 1e9);
  return text;
}

}  // namespace

int watchdog_signal() noexcept { return chosen_signal.load(std::memory_order_relaxed); }

void prepare_to_ask_threads() noexcept {
  if (watchdog_signal() != 0) return;
  sem_init(&answered, 0, 0);
  void* first[1];
  backtrace(first, 1);  // loads what it needs, which a handler must not
  for (int number = SIGRTMAX - 2; number > SIGRTMIN; --number) {
    struct sigaction now{};
    if (number == beat_signal() || sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL)
      continue;
    now.sa_handler = &answer;
    now.sa_flags = SA_RESTART | SA_ONSTACK;
    sigfillset(&now.sa_mask);
    sigaction(number, &now, nullptr);
    chosen_signal.store(number, std::memory_order_relaxed);
    return;
  }
}

std::string calls_of_thread(pid_t thread) {
  asked.store(thread, std::memory_order_relaxed);
  const bool sent = watchdog_signal() != 0 && syscall(SYS_tgkill, getpid(), thread, watchdog_signal()) == 0;
  if (!sent || !is_answered_in_time()) {
    // The question is taken back; if the handler has it already, it answers soon.
    pid_t its = thread;
    if (asked.compare_exchange_strong(its, 0, std::memory_order_relaxed))
      return "      (the thread does not answer a signal)\n";
    while (sem_wait(&answered) != 0) {
    }
  }
  std::string lines;
  int shown = 0;
  // The handler, and what the kernel put below it.
  for (int i = 2; i < count && shown < calls_shown; ++i, ++shown) {
    lines += "      " + name_of_place(calls[i]) + "\n";
  }
  return lines;
}

void watchdog::stop() noexcept {
  stopping_.store(true, std::memory_order_relaxed);
  call_.unpark();
}

void watchdog::serve() noexcept {
  std::uint64_t since = now_ns();
  std::vector<deque::sign> before;
  std::uint64_t progress_before = 0;
  while (!stopping_.load(std::memory_order_relaxed)) {
    call_.park(std::chrono::nanoseconds(period_ns_ / 4));
    std::vector<deque::sign> signs;
    for (unsigned i = 0; i < core_.worker_count(); ++i) {
      signs.push_back(core_.worker_at(i).frames().ask_for_sign());
    }
    const std::uint64_t progress = core_.progress();
    const std::uint64_t now = now_ns();
    if (!core_.in_use() || signs != before || progress != progress_before) {
      since = now;
      before = std::move(signs);
      progress_before = progress;
    } else if (now - since >= period_ns_) {
      const std::string report = "sennit: watchdog: no strand has made progress for " +
                                 as_seconds(now - since) +
                                 "; SENNIT_WATCHDOG asked for this report, which comes once\n" +
                                 core_.strands_as_text() + "sennit: watchdog: end of the report\n";
      std::fputs(report.c_str(), stderr);
      return;
    }
  }
}

namespace {

using numbered_strand = std::pair<const fiber*, unsigned>;

std::string runs_where(const fiber* strand, const std::vector<numbered_strand>& running) {
  for (const auto& [fiber, number] : running) {
    if (fiber == strand) return "on worker " + std::to_string(number);
  }
  return "suspended";
}

std::string line_of(const fiber* strand, const strand_facts& facts,
                    const std::vector<numbered_strand>& running) {
  char address[32];
  std::snprintf(address, sizeof address, "%p", static_cast<const void*>(strand));
  std::string line = std::string("strand ") + address + ", " + runs_where(strand, running);
  if (facts.awaited > 0)
    line += ", waits for " + std::to_string(facts.awaited) + (facts.awaited == 1 ? " branch" : " branches");
  if (!facts.line.empty()) line += ", in " + facts.line;
  return line + "\n";
}

// The strand, and those whose ends wait for it, outwards.
void add_chain(std::string& text, const fiber* strand, const std::vector<numbered_strand>& running,
               std::set<const fiber*>& told) {
  std::string indent = "    ";
  for (int depth = 0; strand != nullptr && depth < 64; ++depth, indent += "  ") {
    strand_facts facts;
    if (!look_at(*strand, facts)) return;
    text += indent + line_of(strand, facts, running);
    if (facts.code != nullptr && facts.opener != nullptr) {
      text += indent + "  runs a branch, " + name_of_place(facts.code) + ", that was opened by\n";
    } else if (facts.code != nullptr) {
      text += indent + "  is the first of its region\n";
    }
    if (!told.insert(strand).second) {
      text += indent + "  (see above)\n";
      return;
    }
    strand = facts.opener;
  }
}

// What is known of a worker with a thread.
struct seat {
  worker& place;
  unsigned number;
  pid_t thread;
  deque::holding holds{};
};

std::string state_of(const seat& s) {
  const std::string task = "/proc/self/task/" + std::to_string(s.thread);
  const std::string wchan = text_of(task + "/wchan");
  std::string state = "  worker " + std::to_string(s.number) + " (thread " + std::to_string(s.thread) +
                      " \"" + text_of(task + "/comm") +
                      "\"): " + (s.holds.strand != nullptr ? "runs a strand" : "has no strand");
  if (!wchan.empty() && wchan != "0") state += ", blocked in the kernel (" + wchan + ")";
  return state + "\n";
}

// What lies in its deque, and who waits for whom from there on.
std::string waiting_at(const seat& s, const std::vector<numbered_strand>& running,
                       std::set<const fiber*>& told) {
  std::string text;
  if (s.holds.latent != 0)
    text += "    " + std::to_string(s.holds.latent) + " latent in its deque, opened by that strand\n";
  if (s.holds.listed != 0) text += "    " + std::to_string(s.holds.listed) + " listed for whoever comes\n";
  if (s.holds.strand != nullptr) add_chain(text, s.holds.strand, running, told);
  if (s.holds.oldest_listed != nullptr && !told.contains(s.holds.oldest_listed)) {
    text += "    the oldest listed was opened by\n";
    add_chain(text, s.holds.oldest_listed, running, told);
  }
  return text;
}

}  // namespace

std::string runtime_core::strands_as_text() {
  std::vector<seat> seats;
  {
    const std::lock_guard guard(membership_);
    for (unsigned i = 0; i < worker_count(); ++i) {
      worker& w = worker_at(i);
      if (w.thread != 0) seats.push_back({.place = w, .number = number_of(w), .thread = w.thread});
    }
  }
  std::vector<numbered_strand> running;
  for (seat& s : seats) {
    s.holds = s.place.frames().look();
    if (s.holds.strand != nullptr) running.emplace_back(s.holds.strand, s.number);
  }
  std::string text = "  " + std::to_string(settings_.workers) + " workers, " + std::to_string(seats.size()) +
                     " threads, " + std::to_string(regions_.load(std::memory_order_relaxed)) + " regions\n";
  std::vector<std::string> states;
  std::vector<std::string> waiting;
  std::set<const fiber*> told;
  for (const seat& s : seats) {
    states.push_back(state_of(s));
    waiting.push_back(waiting_at(s, running, told));
  }
  // A signal may end the call that a thread is blocked in. So the threads are asked when all else is known.
  for (std::size_t i = 0; i < seats.size(); ++i) {
    text += states[i];
    if (seats[i].holds.strand != nullptr) text += calls_of_thread(seats[i].thread);
    text += waiting[i];
  }
  return text;
}

}  // namespace sennit::detail

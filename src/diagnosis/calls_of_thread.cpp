// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/calls_of_thread.hpp"

#include "diagnosis/inspection.hpp"
#include "process/library_thread.hpp"
#include "process/settings.hpp"

#include <execinfo.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace sennit::detail {

namespace {

constexpr int most_calls = 40;
constexpr int calls_shown = 12;

constinit std::atomic<int> question_signal{0};  // 0: none has been chosen

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

}  // namespace

void prepare_to_ask_threads() noexcept {
  if (question_signal.load(std::memory_order_relaxed) != 0) return;
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
    question_signal.store(number, std::memory_order_relaxed);
    let_threads_take(number);
    return;
  }
}

std::string calls_of_thread(pid_t thread) {
  asked.store(thread, std::memory_order_relaxed);
  const int signal = question_signal.load(std::memory_order_relaxed);
  const bool sent = signal != 0 && syscall(SYS_tgkill, getpid(), thread, signal) == 0;
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

}  // namespace sennit::detail

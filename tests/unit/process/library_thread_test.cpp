// SPDX-License-Identifier: Apache-2.0
// Threads of the library's own.
#include "process/library_thread.hpp"
#include "process/settings.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <string>
#include <thread>

namespace {

using sennit::detail::let_threads_take;
using sennit::detail::start_thread;

struct seen {
  sigset_t blocked;
  std::string name;
  bool has_signal_stack;
};

seen look_from_thread() {
  seen found{};
  std::thread started;
  EXPECT_TRUE(start_thread(started, "looker", 7, [&found] {
    pthread_sigmask(SIG_SETMASK, nullptr, &found.blocked);
    char name[16];
    pthread_getname_np(pthread_self(), name, sizeof name);
    found.name = name;
    stack_t stack{};
    sigaltstack(nullptr, &stack);
    found.has_signal_stack = (stack.ss_flags & SS_DISABLE) == 0;
  }));
  started.join();
  return found;
}

// Catches a thread that takes the program's signals, or blocks those that are meant for it; and one that a stack
// overflow ends without a word.
TEST(library_thread, takes_no_signal_of_the_program) {
  const int beat = sennit::detail::choose_beat_signal();
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  const seen found = look_from_thread();
  EXPECT_EQ(found.name, "looker/7");
  EXPECT_TRUE(found.has_signal_stack);
  EXPECT_TRUE(sigismember(&found.blocked, SIGINT));
  EXPECT_TRUE(sigismember(&found.blocked, SIGUSR1));
  EXPECT_FALSE(sigismember(&found.blocked, SIGSEGV));
  EXPECT_FALSE(sigismember(&found.blocked, beat));
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
}

// Catches a watchdog whose question no thread hears.
TEST(library_thread, takes_the_signal_that_it_is_told_of) {
  const seen before = look_from_thread();
  EXPECT_TRUE(sigismember(&before.blocked, SIGUSR2));
  let_threads_take(SIGUSR2);
  const seen after = look_from_thread();
  EXPECT_FALSE(sigismember(&after.blocked, SIGUSR2));
}

}  // namespace

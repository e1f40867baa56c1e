// SPDX-License-Identifier: Apache-2.0
// Beats and the life of a process: refusals of the kernel, fork, exec, exit.
#include "support.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <thread>

namespace beats_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// From now on that system call fails in this process, as it does in many containers.
void forbid(long number, int error) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(program), program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) std::abort();
}

constexpr beats_options for_caller(beat_source_kind kind) {
  return {.period = 1ms, .source = kind, .workers = false, .calling_thread = true, .on_beat = &count_beat};
}

TEST(Refusal, TellsItsReasonAndARemedy) {
  // Catches: "not supported" that leaves the user to find out what, and by whom.
  EXPECT_THAT(apart([] {
                forbid(SYS_perf_event_open, EACCES);
                EXPECT_THAT(reason_against(for_caller(beat_source_kind::perf_events)),
                            AllOf(HasSubstr("perf_event_open"), HasSubstr("Permission denied"),
                                  HasSubstr("kernel.perf_event_paranoid")));
              }),
              ExitedWith(0));
  EXPECT_THAT(apart([] {
                forbid(SYS_timer_create, EPERM);
                EXPECT_THAT(reason_against(for_caller(beat_source_kind::posix_timers)),
                            AllOf(HasSubstr("timer_create"), HasSubstr("Operation not permitted"),
                                  HasSubstr("seccomp")));
              }),
              ExitedWith(0));
}

TEST(Refusal, OfAnAlternateStackThatIsTooSmall) {
  // Catches: a handler that writes below the stack that the program has given it.
  EXPECT_THAT(apart([] {
                static char memory[1 << 16];
                const auto give = [](std::size_t bytes) {
                  const stack_t small{memory, 0, bytes};
                  ASSERT_EQ(sigaltstack(&small, nullptr), 0);
                };
                give(static_cast<std::size_t>(sysconf(_SC_MINSIGSTKSZ)) + 1024);
                EXPECT_THAT(reason_against(for_caller(beat_source_kind::automatic)),
                            AllOf(HasSubstr("sigaltstack"), HasSubstr("bytes or more")));
                const stack_t none{nullptr, SS_DISABLE, 0};
                sigaltstack(&none, nullptr);
                give(sizeof memory);
                EXPECT_EQ(reason_against(for_caller(beat_source_kind::automatic)), "");
              }),
              ExitedWith(0));
}

TEST(Refusal, OfTimersHasAutomaticTakeAnother) {
  // Catches: an automatic choice that gives up at the first refusal, or tells only one of several reasons.
  EXPECT_THAT(apart([] {
                forbid(SYS_timer_create, EPERM);
                forbid(SYS_perf_event_open, EACCES);
                const beats beating(for_caller(beat_source_kind::automatic));
                EXPECT_STREQ(beating.source(), "ping_thread");
                EXPECT_TRUE(work_until([] { return beats_here >= 3; }));
              }),
              ExitedWith(0));
}

TEST(Refusal, ForALimitOfSignals) {
  // Catches: EAGAIN shown as something that might pass; a limit that one timer is within, so that there are no beats
  // and no error.
  for (const rlim_t timers : {0, 1, 2}) {
    EXPECT_THAT(apart([=] {
                  const rlimit few{timers, timers};
                  setrlimit(RLIMIT_SIGPENDING, &few);
                  EXPECT_THAT(reason_against(for_caller(beat_source_kind::posix_timers)),
                              AllOf(HasSubstr("timer_create"), HasSubstr("ulimit -i")));
                }),
                ExitedWith(0));
  }
}

TEST(Refusal, OfASignalThatIsInUse) {
  // Catches: a handler of the program's that is replaced without a word.
  EXPECT_THAT(apart([] {
                setenv("SENNIT_BEAT_SIGNAL", "40", 1);
                signal(40, [](int) {});
                EXPECT_THAT(reason_against(for_caller(beat_source_kind::automatic)),
                            AllOf(HasSubstr("signal 40"), HasSubstr("SENNIT_BEAT_SIGNAL")));
              }),
              ExitedWith(0));
  EXPECT_THAT(apart([] {
                setenv("SENNIT_BEAT_SIGNAL", "40", 1);
                const beats beating(for_caller(beat_source_kind::automatic));
                EXPECT_EQ(sennit::ext::beat_signal(), 40);
                EXPECT_TRUE(work_until([] { return beats_here >= 1; }));
              }),
              ExitedWith(0));
}

TEST(Fork, LeavesTheChildAlone) {
  // Catches: a child that gets beats by half, or whose destructors wait for threads, or delete timers, of the parent.
  if (process::with_asan && process::with_gcc) GTEST_SKIP() << "another thread may hold a lock of the tool";
  if (process::with_tsan && process::with_gcc)
    GTEST_SKIP() << "the tool takes the child's threads for the parent's";
  for (const beat_source_kind kind : {beat_source_kind::posix_timers, beat_source_kind::perf_events,
                                      beat_source_kind::ping_thread, beat_source_kind::polled}) {
    if (!works(kind)) continue;
    EXPECT_THAT(apart([=] {
                  sennit::runtime two({.workers = 2});
                  beats workers({.period = 1ms, .source = kind, .in = &two});
                  two.run(process::migrate);
                  beats beating(for_caller(kind));
                  const pid_t child = process::fork_again();
                  if (child == 0) {
                    const std::uint64_t then = beats_here;
                    for (int i = 0; i < 100; ++i) work_a_little();
                    EXPECT_EQ(beats_here, then);
                    EXPECT_FALSE(sennit::beat_due());
                    EXPECT_TRUE(beating.statistics().empty());
                    // One of its own works.
                    {
                      const beats own(for_caller(kind));
                      EXPECT_TRUE(work_until([&] { return sennit::beat_due() || beats_here > then; }));
                      two.run(process::migrate);
                    }
                    beating.stop();
                    return;
                  }
                  int status = -1;
                  while (waitpid(child, &status, 0) == -1 && errno == EINTR) {
                  }
                  EXPECT_EQ(status, 0);
                  const std::uint64_t then = beats_here;
                  EXPECT_TRUE(work_until([&] { return sennit::beat_due() || beats_here > then; }));
                }),
                ExitedWith(0))
        << name(kind);
  }
}

TEST(Fork, IsPossibleAtAnyTime) {
  // Catches: a lock of the beats that the child finds taken.
  if (process::with_tsan || process::with_asan) GTEST_SKIP() << "the tools have locks of their own";
  EXPECT_THAT(apart([] {
                std::atomic<bool> end{false};
                std::thread busy([&] {
                  while (!end) {
                    beats brief({.period = 50us,
                                 .source = beat_source_kind::ping_thread,
                                 .workers = false,
                                 .calling_thread = true});
                    sennit::beat_due();
                  }
                });
                for (int i = 0; i < 50; ++i) {
                  const pid_t child = process::fork_again();
                  if (child == 0) {
                    {
                      const beats own(for_caller(beat_source_kind::posix_timers));
                    }
                    _exit(0);
                  }
                  int status = -1;
                  waitpid(child, &status, 0);
                  EXPECT_EQ(status, 0);
                }
                end = true;
                busy.join();
              }),
              ExitedWith(0));
}

// Each beat sends its thread a signal, and then has it at once, or when the beat is over.
bool beat_that_sends_alarm(void*) noexcept {
  beats_here = beats_here + 1;
  raise(SIGALRM);
  return true;
}

TEST(OtherHandlers, MayJumpOutOfWhatABeatInterrupts) {
  // Catches: a handler that leaves while a beat is below it, so that the beat never ends, and stop() waits for it.
  EXPECT_THAT(apart([] {
                static sigjmp_buf out;
                static volatile int jumps = 0;
                signal(SIGALRM, [](int) {
                  jumps = jumps + 1;
                  siglongjmp(out, 1);
                });
                const beats beating({.period = 1ms,
                                     .source = beat_source_kind::posix_timers,
                                     .workers = false,
                                     .calling_thread = true,
                                     .on_beat = &beat_that_sends_alarm});
                if (sigsetjmp(out, 1) == 0 || jumps < 5) {
                  for (;;) work_a_little();
                }
                signal(SIGALRM, SIG_IGN);
              }),
              ExitedWith(0));
}

std::atomic<bool> is_in_a_beat{false};
std::atomic<bool> is_cancelled{false};

bool beat_that_waits_for_cancellation(void*) noexcept {
  is_in_a_beat = true;
  while (!is_cancelled) {
  }
  return true;
}

TEST(Cancellation, WaitsForTheEndOfABeat) {
  // Catches: a thread that is cancelled while a beat interrupts its sleep, and that leaves the beat without an end.
  if (process::sanitized) GTEST_SKIP() << "the tools keep signals back";
  EXPECT_THAT(apart([] {
                pthread_t thread{};
                const auto sleep_with_beats = [](void*) -> void* {
                  const beats beating({.period = 1ms,
                                       .source = beat_source_kind::posix_timers,
                                       .workers = false,
                                       .calling_thread = true,
                                       .on_beat = &beat_that_waits_for_cancellation});
                  for (;;) usleep(1'000'000);
                };
                pthread_create(&thread, nullptr, sleep_with_beats, nullptr);
                while (!is_in_a_beat) usleep(100);
                pthread_cancel(thread);
                usleep(1000);
                is_cancelled = true;
                void* result = nullptr;
                pthread_join(thread, &result);
                EXPECT_EQ(result, PTHREAD_CANCELED);
              }),
              ExitedWith(0));
}

TEST(Cancellation, WaitsUntilBeatsHaveBegunAndEnded) {
  // Catches: std::terminate() where the library waits for a thread of its own, as nothing may be thrown there.
  if (process::sanitized) GTEST_SKIP() << "the tools do not unwind a cancelled thread";
  EXPECT_THAT(
      apart([] {
        pthread_t thread{};
        const auto begin_and_end = [](void*) -> void* {
          pthread_cancel(pthread_self());
          {
            sennit::runtime two({.workers = 2});
            const beats beating(
                {.period = 1ms, .source = beat_source_kind::ping_thread, .in = &two, .calling_thread = true});
          }
          pthread_testcancel();
          return nullptr;
        };
        pthread_create(&thread, nullptr, begin_and_end, nullptr);
        void* result = nullptr;
        pthread_join(thread, &result);
        EXPECT_EQ(result, PTHREAD_CANCELED);
      }),
      ExitedWith(0));
}

TEST(Exec, EndsTheBeatsOfTimers) {
  // Catches: a signal that is still on its way, for which the new program has no handler.
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(apart([] {
                  static const beats beating({.period = 20us,
                                              .source = beat_source_kind::posix_timers,
                                              .workers = false,
                                              .calling_thread = true,
                                              .on_beat = &count_beat});
                  work_until([] { return beats_here >= 3; });
                  execlp("true", "true", nullptr);
                }),
                ExitedWith(0));
  }
}

TEST(Exec, IsSafeWithAnySourceAtSigurg) {
  // Catches: a setting that does not do what its page says.
  for (const beat_source_kind kind : with_signals) {
    EXPECT_THAT(apart([=] {
                  setenv("SENNIT_BEAT_SIGNAL", "URG", 1);
                  if (!works(kind)) std::exit(0);
                  static const beats beating({.period = 20us,
                                              .source = kind,
                                              .workers = false,
                                              .calling_thread = true,
                                              .on_beat = &count_beat});
                  EXPECT_EQ(sennit::ext::beat_signal(), SIGURG);
                  EXPECT_TRUE(work_until([] { return beats_here >= 3; }));
                  execlp("true", "true", nullptr);
                }),
                ExitedWith(0))
        << name(kind);
  }
}

TEST(Exit, WhileThreadsAreBeaten) {
  // Catches: a beat that meets a library which has been taken down, or the default action of its signal.
  for (const beat_source_kind kind : with_signals) {
    if (!works(kind)) continue;
    EXPECT_THAT(apart([=] {
                  static const beats of_default({.period = 20us, .source = kind});
                  static beats* const lost = new beats(for_caller(kind));  // never ended
                  process::fib(15);
                  EXPECT_GE(lost->statistics().size(), 1U);
                }),
                ExitedWith(0))
        << name(kind);
  }
}

}  // namespace
}  // namespace beats_test

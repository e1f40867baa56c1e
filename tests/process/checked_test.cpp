// SPDX-License-Identifier: Apache-2.0
// What the checked variant says, with the construct's line, of programs that would crash or hang.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <setjmp.h>
#include <signal.h>

#include <condition_variable>
#include <functional>
#include <future>
#include <initializer_list>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <shared_mutex>
#include <source_location>
#include <thread>
#include <vector>

namespace process {
namespace {

// The line below the one that calls this.
std::string next_line(std::source_location here = std::source_location::current()) {
  return "checked_test.cpp:" + std::to_string(here.line() + 1) + ": ";
}

auto misused(const std::string& line, const char* text) {
  return AllOf(WasKilledBy(SIGABRT), Printed("sennit: "), Printed(line), Printed(text));
}

TEST(Checked, NamesTheLineOfAJoinThatHoldsALock) {
  // Catches: a message that says what is wrong, and not where.
  std::string line;
  const ending run = apart([] {
    sennit::runtime one({.workers = 1});
    one.run([] {
      std::mutex m;
      const std::lock_guard guard(m);
      std::puts(next_line().c_str());
      sennit::join([] {}, [] {});
    });
  });
  EXPECT_THAT(run, misused("in join: a mutex", "held across a construct"));
  // Printed twice: by the program, and in the message.
  const auto end = run.output.find('\n');
  EXPECT_THAT(run.output.substr(end), testing::HasSubstr(run.output.substr(0, end)));
}

TEST(Checked, NamesTheLineOfEachAlgorithm) {
  // Catches: a message about a construct that an algorithm is made of, or about the one around it.
  struct algorithm {
    const char* name;
    void (*call)(std::vector<long>&);
  };
  for (const algorithm& a : std::initializer_list<algorithm>{
           {"parallel_reduce",
            [](std::vector<long>& v) {
              std::puts(next_line().c_str());
              (void)sennit::parallel_reduce(v, 0L);
            }},
           {"parallel_reduce",
            [](std::vector<long>& v) {
              std::puts(next_line().c_str());
              (void)sennit::parallel_reduce(v, 0.5, [](long x) { return 0.5 * static_cast<double>(x); });
            }},
           {"parallel_fold",
            [](std::vector<long>& v) {
              std::puts(next_line().c_str());
              (void)sennit::parallel_fold(v, 0L, [](long s, long x) { return s + x; }, std::plus<>());
            }},
           {"parallel_scan",
            [](std::vector<long>& v) {
              std::puts(next_line().c_str());
              sennit::parallel_scan(v, v);
            }},
           {"parallel_exclusive_scan",
            [](std::vector<long>& v) {
              std::puts(next_line().c_str());
              (void)sennit::parallel_exclusive_scan(v, v, 0L);
            }},
           {"parallel_sort",
            [](std::vector<long>& v) {
              std::puts(next_line().c_str());
              sennit::parallel_sort(v);
            }},
           {"parallel_stable_sort",
            [](std::vector<long>& v) {
              std::puts(next_line().c_str());
              sennit::parallel_stable_sort(v.begin(), v.end());
            }},
           {"parallel_transform",
            [](std::vector<long>& v) {
              std::puts(next_line().c_str());
              sennit::parallel_transform(v, v, [](long x) { return x + 1; });
            }},
           {"parallel_fill",
            [](std::vector<long>& v) {
              std::puts(next_line().c_str());
              sennit::parallel_fill(v, 1L);
            }},
           {"parallel_for_nest",
            [](std::vector<long>& v) {
              std::puts(next_line().c_str());
              sennit::parallel_for_nest({4, 4},
                                        [&](auto i, auto j) { v[static_cast<std::size_t>(4 * i + j)] = 1; });
            }},
       }) {
    const ending run = apart([&] {
      sennit::runtime one({.workers = 1});
      one.run([&] {
        std::vector<long> v(1000, 1);
        std::mutex m;
        const std::lock_guard guard(m);
        a.call(v);
      });
    });
    EXPECT_THAT(run, misused(std::string("in ") + a.name + ": a mutex", "held across a construct"));
    const auto end = run.output.find('\n');
    EXPECT_THAT(run.output.substr(end), testing::HasSubstr(run.output.substr(0, end))) << a.name;
  }
}

TEST(Checked, FindsARecursiveMutexHeldOverANestedLoop) {
  // Catches: the hang of a loop whose workers wait for the mutex that their sibling holds.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    std::recursive_mutex m;
    two.run([&] {
      sennit::parallel_for(0, 100, [&](int) {
        const std::lock_guard guard(m);
        sennit::parallel_for(0, 100, [&](int) { const std::lock_guard again(m); });
      });
    });
  });
  EXPECT_THAT(run, misused("in parallel_for: a mutex", "if that is recursive"));
}

TEST(Checked, FindsASharedMutex) {
  // Catches: locks that are no pthread mutexes.
  const ending run = apart([] {
    std::shared_mutex m;
    const std::shared_lock guard(m);
    fib(5);
  });
  EXPECT_THAT(run, misused("", "a shared mutex"));
}

void fork_in_handler(int) {
  sennit::join([] {}, [] {});
}

TEST(Checked, FindsAJoinInASignalHandler) {
  // Catches: the frame of the interrupted fork that the handler's overwrites.
  const ending inside = apart([] {
    struct sigaction now{};
    now.sa_handler = &fork_in_handler;
    sigaction(SIGUSR1, &now, nullptr);
    sennit::join([] { raise(SIGUSR1); }, [] {});
  });
  EXPECT_THAT(inside, misused("in join", "signal handler"));
  const ending outside = apart([] {
    signal(SIGUSR1, &fork_in_handler);
    raise(SIGUSR1);
  });
  EXPECT_THAT(outside, misused("in join", "signal handler"));
}

sigjmp_buf before_handler;

TEST(Checked, IsSilentAfterSignalHandlers) {
  // Catches: a handler that returned, or was left by a jump, and still counts; a program that does not get back what it set.
  const ending run = apart([] {
    const auto returns = [](int) {};
    signal(SIGUSR1, returns);
    EXPECT_EQ(signal(SIGUSR1, returns), +returns);
    raise(SIGUSR1);
    EXPECT_EQ(fib(10), 55);
    signal(SIGUSR2, [](int) { siglongjmp(before_handler, 1); });
    if (sigsetjmp(before_handler, 1) == 0) raise(SIGUSR2);
    EXPECT_EQ(fib(10), 55);
    struct sigaction now{};
    signal(SIGUSR1, SIG_IGN);
    sigaction(SIGUSR1, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_IGN);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Checked, FindsARuntimeThatIsDestroyedInItsOwnRegion) {
  // Catches: the runtime whose threads are kept for ever, without a word.
  const ending run = apart([] {
    std::optional<sennit::runtime> two;
    two.emplace(sennit::runtime_options{.workers = 2});
    two->run([&] { two.reset(); });
  });
  EXPECT_THAT(run, misused("in runtime::run", "a runtime is destroyed"));
}

template <class Wait, class End>
ending wait_for_sibling(Wait wait, End end) {
  return apart([&] {
    sennit::runtime one({.workers = 1});
    one.run([&] { sennit::join(wait, end); });
  });
}

constexpr auto deadlock = "this is a deadlock";

TEST(Checked, FindsAFutureThatASiblingSets) {
  // Catches: the silent deadlock of a program that has one worker.
  std::promise<int> given;
  EXPECT_THAT(wait_for_sibling([&] { given.get_future().get(); }, [&] { given.set_value(1); }),
              misused("in join: a strand waits", deadlock));
}

TEST(Checked, FindsOtherWaitsForASibling) {
  // Catches: waits that go another way than futures do.
  std::latch latch(1);
  EXPECT_THAT(wait_for_sibling([&] { latch.wait(); }, [&] { latch.count_down(); }),
              misused("in join", deadlock));
  std::mutex m;
  std::condition_variable changed;
  bool ready = false;
  EXPECT_THAT(wait_for_sibling(
                  [&] {
                    std::unique_lock lock(m);
                    changed.wait(lock, [&] { return ready; });
                  },
                  [&] {
                    const std::lock_guard lock(m);
                    ready = true;
                    changed.notify_one();
                  }),
              misused("in join", deadlock));
}

TEST(Checked, OnlyWarnsWhereAnotherThreadMayEndTheWait) {
  // Catches: a program that is slow and right, and is ended.
  const ending run = apart([] {
    std::promise<int> given;
    std::thread other([&] {
      usleep(400'000);
      given.set_value(7);
    });
    sennit::runtime one({.workers = 1});
    one.run([&] { sennit::join([&] { EXPECT_EQ(given.get_future().get(), 7); }, [] {}); });
    other.join();
  });
  EXPECT_THAT(run, AllOf(ExitedWith(0), Printed(deadlock)));
}

TEST(Checked, IsSilentAboutWaitsInBlocking) {
  // Catches: false alarms where the program does as it is told.
  const ending run = apart([] {
    std::promise<int> given;
    sennit::runtime one({.workers = 1});
    one.run([&] {
      sennit::join([&] { sennit::blocking([&] { given.get_future().get(); }); }, [&] { given.set_value(1); });
    });
  });
  EXPECT_THAT(run, AllOf(ExitedWith(0), Not(Printed("sennit:"))));
}

TEST(Checked, NamesTheLineInAProjectThatIsCalledSennit) {
  // Catches: a directory of the program's that is taken for the library's.
  const ending run = apart([] {
    sennit::runtime one({.workers = 1});
    one.run([] {
      std::mutex m;
      const std::lock_guard guard(m);
#line 1 "/home/user/sennit/main.cpp"
      sennit::join([] {}, [] {});
    });
  });
  EXPECT_THAT(run, misused("/home/user/sennit/main.cpp:1: in join: a mutex", "held across a construct"));
}

}  // namespace
}  // namespace process

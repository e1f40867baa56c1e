// SPDX-License-Identifier: Apache-2.0
// SENNIT_WATCHDOG: a program that hangs says who waits for whom; one that goes on says nothing.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace process {
namespace {

constexpr auto report = "no strand has made progress";

[[noreturn]] void hang() {
  for (;;) pause();
}

// Ends the process once the report has been written: the program itself hangs.
template <class Body>
ending watched(Body body) {
  return apart([&] {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    const int output = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    setenv("SENNIT_WATCHDOG", "20ms", 1);
    std::thread end([&] {
      std::string text;
      char block[4096];
      for (ssize_t count; (count = read(ends[0], block, sizeof block)) > 0;) {
        text.append(block, static_cast<std::size_t>(count));
        if (text.find("end of the report") != std::string::npos) break;
      }
      if (write(output, text.data(), text.size()) < 0) std::abort();
      // Past the tools that report threads which nobody has joined: those hang.
      syscall(SYS_exit_group, 0);
    });
    body();
    end.join();
  });
}

TEST(Watchdog, SaysWhoWaitsForWhom) {
  // Catches: a report that knows the threads only, and not that the strand which began it all waits for a stolen branch.
  const ending run = watched([] {
    sennit::runtime two({.workers = 2});
    two.run([] { side_by_side([] {}, [] { hang(); }); });
  });
  EXPECT_THAT(run, AllOf(ExitedWith(0), Printed(report), Printed("waits for 1 branch"),
                         Printed("that was opened by"), Printed("is the first of its region"),
                         Printed("suspended"), Printed("runs a strand")));
}

TEST(Watchdog, CountsWhatIsLatent) {
  // Catches: a lone worker that is blocked, and whose sibling nobody sees.
  const ending run = watched([] {
    sennit::runtime one({.workers = 1});
    one.run([] { sennit::join([] { hang(); }, [] {}); });
  });
  EXPECT_THAT(run, AllOf(ExitedWith(0), Printed(report), Printed("1 latent in its deque")));
}

TEST(Watchdog, IsSilentAboutStrandsThatGoOn) {
  // Catches: a strand that only forks, or only runs a loop, and is taken for one that hangs.
  const ending run = apart([] {
    setenv("SENNIT_WATCHDOG", "200ms", 1);
    sennit::runtime one({.workers = 1});
    const auto long_enough = [begun = clock::now()] { return clock::now() - begun > 500ms; };
    one.run([&] {
      while (!long_enough()) fib(10);
    });
    EXPECT_EQ(fib(10), 55);
  });
  EXPECT_THAT(run, AllOf(ExitedWith(0), Not(Printed(report))));
}

TEST(Watchdog, IsNoThreadUnlessItIsAskedFor) {
  // Catches: a thread, or a signal that is handled, in programs that want none.
  const ending run = apart([] {
    sennit::runtime one({.workers = 1});
    one.run([] {});
    EXPECT_TRUE(is_alone());
  });
  EXPECT_THAT(run, ExitedWith(0));
}

}  // namespace
}  // namespace process

// SPDX-License-Identifier: Apache-2.0
// A stack overflow on a fiber says so. Other faults are none of the library's business.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <sys/mman.h>

namespace process {
namespace {

constexpr auto message = "SENNIT_STACK";

[[gnu::noinline]] long descend(long depth) {
  volatile char room[512];
  room[0] = static_cast<char>(depth);
  if (depth == 0) return 0;
  return descend(depth - 1) + room[0];
}
constexpr long too_deep = 100'000'000;

sennit::runtime_options small() { return {.workers = 2, .stack_bytes = sanitized ? 1 << 20 : 256 << 10}; }

void* const nowhere = reinterpret_cast<void*>(16);

// Of an address that the compiler cannot know to be bad.
[[gnu::noinline]] void write_to(void* address) {
  asm("" : "+r"(address));
  *static_cast<volatile char*>(address) = 1;
}

// The tools report a deadly signal themselves, and then exit.
void expect_death(const ending& run) {
  if (sanitized) {
    EXPECT_FALSE(run.timed_out);
    EXPECT_FALSE(WIFEXITED(run.status) && WEXITSTATUS(run.status) == 0);
  } else {
    EXPECT_THAT(run, WasKilledBy(SIGSEGV));
  }
}

TEST(Overflow, OnTheCallersFiberNamesTheSetting) {
  // Catches: a bare SIGSEGV where the remedy is one variable.
  const ending run = apart([] {
    sennit::runtime two(small());
    two.run([] { return descend(too_deep); });
  });
  expect_death(run);
  EXPECT_THAT(run, AllOf(Printed(message), Printed(sanitized ? "1 MiB" : "256 KiB")));
}

TEST(Overflow, OnAWorkersFiberNamesTheSetting) {
  // Catches: a worker's thread without a stack for its signal handlers.
  const ending run = apart([] {
    sennit::runtime two(small());
    two.run([] { side_by_side([] { pause(); }, [] { descend(too_deep); }); });
  });
  expect_death(run);
  EXPECT_THAT(run, Printed(message));
}

TEST(Overflow, OnASparesFiberNamesTheSetting) {
  // Catches: the same on a thread that stands in for a blocked one.
  const ending run = apart([] {
    sennit::runtime one({.workers = 1, .stack_bytes = small().stack_bytes});
    one.run([] {
      std::atomic<bool> taken{false};
      sennit::join(
          [&] {
            sennit::blocking([&] {
              await([&] { return taken.load(); }, "the spare's turn");
              pause();
            });
          },
          [&] {
            taken = true;
            descend(too_deep);
          });
    });
  });
  expect_death(run);
  EXPECT_THAT(run, Printed(message));
}

TEST(Overflow, OfAMigratedStrandNamesTheSetting) {
  // Catches: a handler that asks the wrong thread's fiber.
  const ending run = apart([] {
    sennit::runtime two(small());
    two.run([] {
      migrate();
      descend(too_deep);
    });
  });
  expect_death(run);
  EXPECT_THAT(run, Printed(message));
}

TEST(Overflow, InNestedJoinsNamesTheSetting) {
  // Catches: a deque that is full before the stack is, and a message that then never comes.
  if (with_tsan) GTEST_SKIP() << "the stack may end inside the tool, which then waits for a lock of its own";
  const ending run = apart([] {
    sennit::runtime two(small());
    struct endless {
      static long joins(long n) {
        auto [a, b] = sennit::join([=] { return joins(n + 1); }, [=] { return n; });
        return a + b;
      }
    };
    two.run([] { return endless::joins(0); });
  });
  expect_death(run);
  EXPECT_THAT(run, Printed(message));
}

TEST(Overflow, OfASplicedFunctionSaysWhereToWork) {
  // Catches: a bare SIGSEGV where a function of a splice does outside a step what it should do in one.
  const ending run = apart([] {
    sennit::runtime two(small());
    two.run([] {
      sennit::splice(2, [](int) {
        const sennit::call_effects fx;
        descend(too_deep);
      });
    });
  });
  expect_death(run);
  EXPECT_THAT(run, AllOf(Printed("outside its steps"), Printed("step()"), Not(Printed(message))));
}

TEST(Overflow, SmallOnesDoNotHappen) {
  // Catches: a stack smaller than what was asked for.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2, .stack_bytes = 64 << 20});
    two.run([] { EXPECT_GE(descend(sanitized ? 20'000 : 100'000), -1'000'000'000); });  // 55 MB of frames
  });
  EXPECT_THAT(run, ExitedWith(0));
}

void handler_of_the_program(int, siginfo_t* info, void*) {
  const char text[] = "the program's handler\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) > 0) _exit(info->si_addr == nowhere ? 41 : 42);
}

void install_handler() {
  struct sigaction action{};
  action.sa_sigaction = &handler_of_the_program;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}

TEST(Overflow, GoesOnToTheProgramsHandler) {
  // Catches: a program whose crash reports end where Sennit begins.
  const ending run = apart([] {
    install_handler();
    sennit::runtime two(small());
    two.run([] { return descend(too_deep); });
  });
  EXPECT_THAT(run, AllOf(ExitedWith(42), Printed(message), Printed("the program's handler")));
}

TEST(Fault, InAStrandGoesToTheProgramsHandler) {
  // Catches: a null pointer reported as a stack overflow, or not reported at all.
  const ending run = apart([] {
    install_handler();
    sennit::join([] { write_to(nowhere); }, [] {});
  });
  EXPECT_THAT(run, AllOf(ExitedWith(41), Not(Printed("sennit: ")), Printed("the program's handler")));
}

TEST(Fault, InAStolenBranchGoesToTheProgramsHandler) {
  // Catches: workers' threads that block the signals of faults, so that the kernel kills without asking a
  // handler.
  const ending run = apart([] {
    install_handler();
    side_by_side([] { pause(); }, [] { write_to(nowhere); });
  });
  EXPECT_THAT(run, AllOf(ExitedWith(41), Not(Printed("sennit: ")), Printed("the program's handler")));
}

TEST(Fault, InTheGuardOfAStackWithRoomIsNoOverflow) {
  // Catches: an array's end that is missed, and walked on from to the guard above it, reported as a stack overflow: the
  // remedy that is named cannot help.
  const ending run = apart([] {
    install_handler();
    sennit::runtime two(small());
    two.run([] {
      // Less than the guard's size from the top of the stack.
      char* const here = static_cast<char*>(__builtin_frame_address(0));
      write_to(here - small().stack_bytes);
    });
  });
  EXPECT_THAT(run, AllOf(ExitedWith(42), Not(Printed("sennit: ")), Printed("the program's handler")));
}

TEST(Fault, OutsideRegionsGoesToTheProgramsHandler) {
  // Catches: a handler that expects a fiber on every thread.
  const ending run = apart([] {
    install_handler();
    fib(10);
    write_to(nowhere);
  });
  EXPECT_THAT(run, AllOf(ExitedWith(41), Not(Printed("sennit: ")), Printed("the program's handler")));
}

TEST(Fault, WithoutAHandlerTakesTheDefaultAction) {
  // Catches: a fault that is swallowed, repeated for ever, or explained wrongly.
  for (const bool inside : {true, false}) {
    const ending run = apart([=] {
      const auto fault = [] { write_to(nowhere); };
      inside ? sennit::join(fault, [] {}) : (fib(10), fault());
    });
    expect_death(run);
    EXPECT_THAT(run, Not(Printed("sennit: ")));
  }
}

TEST(Fault, MayBeMendedByTheProgramsHandler) {
  // Catches: a chain that ends the program although the handler below it has dealt with the fault.
  const ending run = apart([] {
    static void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action{};
    action.sa_handler = [](int) { mprotect(page, 4096, PROT_READ | PROT_WRITE); };
    sigaction(SIGSEGV, &action, nullptr);
    sennit::join([] { write_to(page); }, [] {});
    EXPECT_EQ(*static_cast<char*>(page), 1);
    EXPECT_EQ(fib(15), 610);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Fault, SentByAnotherProcessStillKills) {
  // Catches: a handler that counts on the faulting instruction to run again when there is none.
  const ending run = apart([] {
    fib(10);
    raise(SIGSEGV);
    _exit(0);
  });
  expect_death(run);
}

TEST(Fault, GoesToAHandlerInstalledLater) {
  // Catches: a library that puts its handler back in front at each region.
  const ending run = apart([] {
    fib(10);
    install_handler();  // as many crash reporters do: late, and without chaining
    sennit::join([] { write_to(nowhere); }, [] {});
  });
  EXPECT_THAT(run, AllOf(ExitedWith(41), Not(Printed("sennit: "))));
}

}  // namespace
}  // namespace process

// SPDX-License-Identifier: Apache-2.0
// sennit::blocking: strands that wait for something outside the runtime do not stop the others.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <semaphore>
#include <stdexcept>
#include <thread>

namespace process {
namespace {

// Spawns `count` strands that each block, as blocked() says, and then calls `work`.
template <class Blocked, class Work>
void beside_blocked(int count, Blocked blocked, Work work) {
  sennit::task_group group;
  for (int i = 0; i < count; ++i) group.spawn([=] { sennit::blocking(blocked); });
  sennit::task_group rest;
  rest.spawn(work);
  rest.wait();
  group.wait();
}

TEST(Blocking, AsManyStrandsAsWorkersDoNotStopTheRest) {
  // Catches: a blocked worker that nobody stands in for.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    two.run([] {
      std::binary_semaphore a{0};
      std::binary_semaphore b{0};
      std::atomic<int> waiting{0};
      sennit::join(
          [&] {
            sennit::blocking([&] {
              ++waiting;
              a.acquire();
            });
          },
          [&] {
            sennit::blocking([&] {
              ++waiting;
              b.acquire();
            });
          },
          [&] {
            await([&] { return waiting == 2; }, "both strands block");
            EXPECT_EQ(fib(15), 610);
            a.release();
            b.release();
          });
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Blocking, OnOneWorker) {
  // Catches: a runtime without threads of its own that cannot call a spare.
  const ending run = apart([] {
    sennit::runtime one({.workers = 1});
    one.run([] {
      std::binary_semaphore done{0};
      sennit::join([&] { sennit::blocking([&] { done.acquire(); }); },
                   [&] {
                     EXPECT_EQ(fib(15), 610);
                     done.release();
                   });
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Blocking, InTurns) {
  // Catches: a spare that is sent home while it is needed again, or stays asleep at its second call.
  const ending run = apart([] {
    sennit::runtime one({.workers = 1});
    one.run([] {
      for (int i = 0; i < (sanitized ? 100 : 2000); ++i) {
        std::binary_semaphore there{0};
        std::binary_semaphore back{0};
        sennit::join(
            [&] {
              sennit::blocking([&] { there.acquire(); });
              back.release();
            },
            [&] {
              there.release();
              sennit::blocking([&] { back.acquire(); });
            });
      }
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Blocking, MoreStrandsThanThereAreSpares) {
  // Catches: a limit of spares that stops the program rather than slow it down.
  static constexpr int strands = 300;
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    std::atomic<int> ran{0};
    two.run([&] {
      sennit::task_group group;
      for (int i = 0; i < strands; ++i) {
        group.spawn([&] {
          sennit::blocking([] { usleep(50'000); });
          ++ran;
        });
      }
      group.wait();
      EXPECT_EQ(fib(15), 610);
    });
    EXPECT_EQ(ran, strands);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Blocking, ManyAtOnceAllBlock) {
  // Catches: spares that come only one after another, so that strands which wait for one another never all
  // wait.
  static constexpr int strands = 100;
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    two.run([&] {
      std::atomic<int> waiting{0};
      sennit::task_group group;
      for (int i = 0; i < strands; ++i) {
        group.spawn([&] {
          sennit::blocking([&] {
            ++waiting;
            await([&] { return waiting == strands; }, "all strands block at once");
          });
        });
      }
      group.wait();
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Blocking, Nests) {
  // Catches: a count of blocked strands that the inner call's end takes down to where the outer one's spare
  // goes home.
  const ending run = apart([] {
    sennit::runtime one({.workers = 1});
    one.run([] {
      std::binary_semaphore done{0};
      sennit::join(
          [&] {
            sennit::blocking([&] {
              sennit::blocking([] { usleep(1000); });
              done.acquire();
            });
          },
          [&] {
            usleep(20'000);
            EXPECT_EQ(fib(15), 610);
            done.release();
          });
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Blocking, ReturnsWhatItsFunctionReturns) {
  // Catches: a result that is copied or decays; a call outside the runtime that needs one.
  const ending run = apart([] {
    int value = 1;
    static_assert(std::is_same_v<decltype(sennit::blocking([&]() -> int& { return value; })), int&>);
    EXPECT_EQ(&sennit::blocking([&]() -> int& { return value; }), &value);
    EXPECT_TRUE(is_alone());
    sennit::runtime two({.workers = 2});
    two.run([&] { EXPECT_EQ(&sennit::blocking([&]() -> int& { return value; }), &value); });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

#if SENNIT_EXCEPTIONS
TEST(Blocking, LetsExceptionsThrough) {
  // Catches: a spare that stays called after an exception, which leaves one thread too many at work.
  const ending run = apart([] {
    sennit::runtime one({.workers = 1});
    one.run([] {
      for (int i = 0; i < 100; ++i) {
        EXPECT_THROW(sennit::blocking([] { throw std::runtime_error("from f"); }), std::runtime_error);
      }
      std::binary_semaphore done{0};
      sennit::join([&] { sennit::blocking([&] { done.acquire(); }); }, [&] { done.release(); });
    });
    // One spare suffices for calls that are never in progress at once.
    EXPECT_LE(thread_count(), with_tsan ? 4 : 2);
  });
  EXPECT_THAT(run, ExitedWith(0));
}
#endif

TEST(Blocking, SparesEndWithTheirRuntime) {
  // Catches: a spare's thread that outlives the runtime, or a destructor that waits for one which sleeps.
  const ending run = apart([] {
    for (int i = 0; i < (sanitized ? 5 : 50); ++i) {
      sennit::runtime two({.workers = 2});
      two.run([] { beside_blocked(5, [] { usleep(100); }, [] { fib(10); }); });
    }
    EXPECT_TRUE(is_alone());
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Blocking, OfAGuestBesideOthers) {
  // Catches: a guest's thread that cannot come home because its strand blocks elsewhere.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    const auto guest = [&] {
      for (int i = 0; i < 20; ++i) {
        two.run([] { beside_blocked(4, [] { usleep(500); }, [] { fib(12); }); });
      }
    };
    std::thread a(guest);
    std::thread b(guest);
    guest();
    a.join();
    b.join();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

}  // namespace
}  // namespace process

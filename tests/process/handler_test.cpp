// SPDX-License-Identifier: Apache-2.0
// Forks in handlers, and in destructors while an exception is in flight: whose the exceptions are.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <exception>
#include <stdexcept>

namespace process {
namespace {

struct failure {
  int value;
};

// join(f, g) with g on another worker than f.
template <class F, class G>
void join_stolen(F&& f, G&& g) {
  std::atomic<bool> taken{false};
  sennit::join(
      [&] {
        await([&] { return taken.load(); }, "a thief");
        f();
      },
      [&] {
        taken = true;
        g();
      });
}

TEST(Handler, LeftBranchesSeeItsException) {
  // Catches: a fork that changes what is handled for the strand, or for the branch that it runs at once.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    two.run([] {
      try {
        throw failure{1};
      } catch (const failure& outer) {
        const auto expect_same = [&] {
          try {
            throw;
          } catch (const failure& again) {
            EXPECT_EQ(&again, &outer);
          }
        };
        join_stolen(expect_same, [] {});
        expect_same();
        sennit::parallel_for(0, 100, [](int) {});
        sennit::task_group group;
        group.spawn([] {});
        expect_same();
        group.wait();
        expect_same();
      }
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Handler, BranchesMayTakeItsExceptionAlong) {
  // Catches: an exception that cannot be handed to another thread, or comes back as another one.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    two.run([] {
      const failure* thrown = nullptr;
      try {
        try {
          throw failure{1};
        } catch (const failure& f) {
          thrown = &f;
          join_stolen([] {}, [handled = std::current_exception()] { std::rethrow_exception(handled); });
        }
        ADD_FAILURE() << "nothing was thrown";
      } catch (const failure& f) {
        EXPECT_EQ(&f, thrown);
      }
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Handler, BranchesThrowTheirOwn) {
  // Catches: exceptions of branches that are lost, or taken for the one that is handled.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    two.run([] {
      try {
        throw failure{1};
      } catch (const failure&) {
        EXPECT_THROW(join_stolen([] {}, [] { throw std::runtime_error("two"); }), std::runtime_error);
        EXPECT_THROW(sennit::join([] {}, [] { throw std::runtime_error("two"); }), std::runtime_error);
        sennit::task_group group;
        group.spawn([] { throw std::runtime_error("two"); });
        EXPECT_THROW(group.wait(), std::runtime_error);
      }
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Destructor, StolenBranchesKnowOfNoExceptionInFlight) {
  // Catches: a guard in a stolen branch that takes another thread's exception for one of its own.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    struct forks {
      ~forks() {
        EXPECT_EQ(std::uncaught_exceptions(), 1);
        join_stolen([] { EXPECT_EQ(std::uncaught_exceptions(), 1); },
                    [] { EXPECT_EQ(std::uncaught_exceptions(), 0); });
        EXPECT_EQ(std::uncaught_exceptions(), 1);
      }
    };
    two.run([] {
      try {
        const forks at_last;
        throw failure{1};
      } catch (const failure& f) {
        EXPECT_EQ(f.value, 1);
      }
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

#if SENNIT_CHECKED

constexpr auto remedy = "take std::current_exception() before the fork";

TEST(Handler, RethrownInAnyRightBranchIsDiagnosed) {
  // Catches: `throw;` that ends the program, without a word of why, where the branch happens to be stolen only.
  const ending in_join = apart([] {
    sennit::runtime one({.workers = 1});
    one.run([] {
      try {
        throw failure{1};
      } catch (...) {
        sennit::join([] {}, [] { throw; });
      }
    });
  });
  EXPECT_THAT(in_join, AllOf(WasKilledBy(SIGABRT), Printed(remedy)));
  const ending in_group = apart([] {
    sennit::runtime one({.workers = 1});
    one.run([] {
      try {
        throw failure{1};
      } catch (...) {
        sennit::task_group group;
        group.spawn([] { throw; });
        group.wait();
      }
    });
  });
  EXPECT_THAT(in_group, AllOf(WasKilledBy(SIGABRT), Printed(remedy)));
}

#else

TEST(Handler, StolenBranchesBeginWithoutException) {
  // Catches: an exception that a thief has from whatever its thread did before.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    two.run([] {
      try {
        throw failure{1};
      } catch (const failure&) {
        join_stolen([] { EXPECT_NE(std::current_exception(), nullptr); },
                    [] { EXPECT_EQ(std::current_exception(), nullptr); });
      }
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

#endif

}  // namespace
}  // namespace process

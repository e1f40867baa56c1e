// SPDX-License-Identifier: Apache-2.0
// Exceptions: which one is thrown, what ran before, and what a strand that changes threads keeps of them.
#include "support.hpp"

#include <array>
#include <exception>
#include <optional>

namespace sennit_test {
namespace {

// A full tree of joins. Each node is an event before its join and one after it, each leaf an event;
// numbered as the serial elision meets them.
class tree {
 public:
  static constexpr int depth = 3;
  static constexpr int events = 22;  // 7 nodes, 8 leaves

  tree(int first_throw, int second_throw) : throws_{first_throw, second_throw} {}

  template <class Join>
  tracked run(const Join& join, int level = depth, int first = 0) {
    event(first);
    if (level == 0) return tracked(1);
    const int below = size(level - 1);
    auto [left, right] = join([&, this] { return run(join, level - 1, first + 1); },
                              [&, this] { return run(join, level - 1, first + 1 + below); });
    event(first + 1 + 2 * below);
    return tracked(left.value() + right.value());
  }
  static constexpr int size(int level) { return level == 0 ? 1 : 2 + 2 * size(level - 1); }
  int ran(int event) const { return ran_[static_cast<std::size_t>(event)]; }

 private:
  void event(int number) {
    ++ran_[static_cast<std::size_t>(number)];
    if (number == throws_[0] || number == throws_[1]) throw failure{static_cast<std::uint64_t>(number)};
  }

  std::array<int, 2> throws_;
  std::array<std::atomic<int>, events> ran_{};
};

// Throws at every one and every two of the events, and looks for the first of them.
template <class Join>
void throw_everywhere(sennit::runtime& rt, const Join& join) {
  for (int first = 0; first < tree::events; ++first) {
    for (int second = first; second < tree::events; ++second) {
      SCOPED_TRACE("throws at " + std::to_string(first) + " and " + std::to_string(second));
      tree t(first, second);
      try {
        rt.run([&] { return t.run(join); });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const failure& f) {
        ASSERT_EQ(f.position, static_cast<std::uint64_t>(first));
      }
      ASSERT_EQ(tracked::live(), 0);
      for (int e = 0; e <= first; ++e)
        ASSERT_EQ(t.ran(e), 1) << "event " << e << " comes before the exception";
      for (int e = first + 1; e < tree::events; ++e) {
        ASSERT_LE(t.ran(e), rt.workers() == 1 ? 0 : 1) << "event " << e << " comes after the exception";
      }
    }
  }
}

static_assert(tree::size(tree::depth) == tree::events);

constexpr auto plainly = [](auto&& f, auto&& g) { return sennit::join(f, g); };

// Catches a join that lets an exception of a later branch win, drops a branch to its left,
// or goes on after it. With one worker the program must end exactly where the serial elision does:
// not a branch more, and not one fewer.
TEST(exception, of_the_leftmost_branch_is_thrown) {
  under(all_settings(), [](sennit::runtime& rt) { throw_everywhere(rt, plainly); });
}

// Catches the same where each branch has its own worker, and a thief's exception
// that is lost on the way back.
TEST(exception, of_the_leftmost_branch_is_thrown_although_all_were_stolen) {
  under(settings({8, 32}), [](sennit::runtime& rt) {
    throw_everywhere(rt, [](auto&& f, auto&& g) { return join_stolen(f, g); });
  });
}

// Catches an exception object that is copied on its way (the address changes),
// or is kept by a frame after it was handled.
TEST(exception, arrives_as_the_object_that_was_thrown) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    const void* thrown = nullptr;
    try {
      rt.run([&] {
        join_stolen([] {},
                    [&] {
                      try {
                        throw std::make_unique<tracked>(1);
                      } catch (const std::unique_ptr<tracked>& p) {
                        thrown = &p;
                        throw;
                      }
                    });
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::unique_ptr<tracked>& p) {
      EXPECT_EQ(&p, thrown);
      EXPECT_EQ(tracked::live(), 1);
    }
    EXPECT_EQ(tracked::live(), 0);
  });
}

// Catches exceptions in handling that stay with the thread: a strand that is suspended in a handler continues
// elsewhere, and `throw;` must find there what it was handling.
TEST(exception, being_handled_goes_where_its_strand_goes) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    for (int i = 0; i < scaled(20); ++i) {
      try {
        rt.run([&] {
          try {
            throw failure{1};
          } catch (const failure& outer) {
            suspend(rt);
            try {
              throw failure{2};
            } catch (const failure& inner) {
              suspend(rt);
              EXPECT_EQ(inner.position, 2U);
            }
            suspend(rt);
            try {
              std::rethrow_exception(std::current_exception());
            } catch (const failure& again) {
              EXPECT_EQ(&again, &outer);
            }
            throw;
          }
        });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const failure& f) {
        EXPECT_EQ(f.position, 1U);
      }
      EXPECT_EQ(std::current_exception(), nullptr)
          << "something stayed with the thread that the strand came from";
      rt.run([] { EXPECT_EQ(std::current_exception(), nullptr); });
    }
  });
}

// Suspends its strand when it ends.
struct suspends {
  const sennit::runtime& rt;
  ~suspends() {
    const int uncaught = std::uncaught_exceptions();
    suspend(rt);
    EXPECT_EQ(std::uncaught_exceptions(), uncaught);
  }
};

// Catches exceptions in flight that stay with the thread: the unwinding goes on,
// elsewhere, after the destructor.
TEST(exception, in_flight_goes_where_its_strand_goes) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    for (int i = 0; i < scaled(20); ++i) {
      EXPECT_THROW(rt.run([&] {
        const suspends outer{rt};
        const suspends inner{rt};
        throw failure{1};
      }),
                   failure);
      EXPECT_EQ(std::uncaught_exceptions(), 0);
      rt.run([&] {
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        join_stolen([] { EXPECT_EQ(std::uncaught_exceptions(), 0); },
                    [] { EXPECT_EQ(std::uncaught_exceptions(), 0); });
      });
    }
  });
}

// Catches a thief that begins its branch with exceptions of whatever its thread did
// before, or gives up its own to it.
TEST(exception, is_no_business_of_a_branch_that_a_worker_takes_up_next) {
  under(settings({2}), [](sennit::runtime& rt) {
    rt.run([&] {
      try {
        throw failure{1};
      } catch (const failure&) {
        // The strand is suspended in its handler here; its worker looks for other work,
        // and finds none with an exception.
        suspend(rt);
      }
      EXPECT_EQ(std::current_exception(), nullptr);
      join_stolen([] { EXPECT_EQ(std::current_exception(), nullptr); },
                  [] { EXPECT_EQ(std::current_exception(), nullptr); });
    });
  });
}

// Catches a region entered from a handler, outside any runtime, that takes the exception
// away or hands back another.
TEST(exception, being_handled_survives_a_region) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    try {
      throw failure{1};
    } catch (const failure& outer) {
      rt.run([&] { suspend(rt); });
      EXPECT_THROW(rt.run([] { join_stolen([] { throw failure{2}; }, [] { throw failure{3}; }); }), failure);
      try {
        throw;
      } catch (const failure& again) {
        EXPECT_EQ(&again, &outer);
      }
    }
  });
}

}  // namespace
}  // namespace sennit_test

// SPDX-License-Identifier: Apache-2.0
// What happens when the system has no memory left.
#include "support.hpp"

#include <sys/resource.h>

#include <new>
#include <tuple>

namespace sennit_test {
namespace {

// The system gives the process no more address space while one lives.
class no_memory {
 public:
  no_memory() {
    getrlimit(RLIMIT_AS, &before_);
    const rlimit none{1, before_.rlim_max};
    setrlimit(RLIMIT_AS, &none);
  }
  ~no_memory() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

// Returns when every worker has come as far as to run something, and so has the stack to do it.
void set_all_to_work(sennit::runtime& rt) {
  rt.run([&] {
    std::atomic<unsigned> at_work{0};
    sennit::task_group group;
    for (unsigned i = 0; i < rt.workers(); ++i) {
      group.spawn([&] {
        ++at_work;
        await([&] { return at_work == rt.workers(); }, "all workers to have a child");
      });
    }
    group.wait();
  });
}

// Catches a guest's place that is lost, or a thread that is left half in the runtime,
// when there is no stack for it.
TEST(memory, region_that_cannot_begin_throws) {
  if (SENNIT_ASAN || SENNIT_TSAN) GTEST_SKIP() << "sanitizers need memory of their own";
  sennit::runtime rt({.workers = 1});
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    const no_memory here;
    try {
      rt.run([] {});
    } catch (const std::bad_alloc&) {
      ++refused;
    }
  }
  EXPECT_EQ(refused, 100);
  EXPECT_FALSE(sennit::cancel_requested());
  EXPECT_EQ(rt.run([] { return std::get<1>(sennit::join([] {}, [] { return 2; })); }), 2);
}

// Catches a join that, for want of a stack, waits where it is and leaves its deque without a region.
TEST(memory, join_that_cannot_be_suspended_waits_where_it_is) {
  if (SENNIT_ASAN || SENNIT_TSAN) GTEST_SKIP() << "sanitizers need memory of their own";
  using namespace std::chrono_literals;
  under(settings({2, 3}), [](sennit::runtime& rt) {
    int right = 0;
    set_all_to_work(rt);
    rt.run([&] {
      const no_memory here;
      for (int i = 0; i < 3; ++i) {
        join_stolen([] {},
                    [&] {
                      std::this_thread::sleep_for(20ms);
                      ++right;
                    });
      }
    });
    EXPECT_EQ(right, 3);
  });
}

}  // namespace
}  // namespace sennit_test

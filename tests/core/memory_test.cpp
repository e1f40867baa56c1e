// What happens when the system has no memory left.
#include "support.hpp"

#include <sys/resource.h>

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

// Catches a join that, for want of a stack, waits where it is and leaves its deque without a region.
TEST(memory, join_that_cannot_be_suspended_waits_where_it_is) {
  if (SENNIT_ASAN || SENNIT_TSAN) GTEST_SKIP() << "sanitizers need memory of their own";
  using namespace std::chrono_literals;
  under(settings({2, 3}), [](sennit::runtime& rt) {
    int right = 0;
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

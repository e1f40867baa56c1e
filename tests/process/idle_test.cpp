// A runtime without work costs nothing, and wakes when there is some.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <sys/resource.h>

#include <thread>

namespace process {
namespace {

std::chrono::microseconds cpu_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto sum = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return sum(used.ru_utime) + sum(used.ru_stime);
}

// How often threads other than the caller have been taken off a CPU, and how many are not asleep.
struct others {
  long switches = 0;
  int awake = 0;
};

others look_at_others() {
  others result;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(gettid())) continue;
    std::ifstream status(task.path() / "status");
    for (std::string key; status >> key;) {
      std::string value;
      std::getline(status, value);
      if (key == "State:" && value.find('S') == std::string::npos) ++result.awake;
      if (key.ends_with("voluntary_ctxt_switches:")) result.switches += std::stol(value);
    }
  }
  return result;
}

constexpr auto span = 2s;
constexpr std::chrono::microseconds budget = std::chrono::microseconds(span) / 1000;

class Idle : public testing::TestWithParam<sennit::steal_barrier> {};
INSTANTIATE_TEST_SUITE_P(Barriers, Idle,
                         testing::Values(sennit::steal_barrier::automatic, sennit::steal_barrier::fence),
                         [](const auto& info) {
                           return info.param == sennit::steal_barrier::fence ? "fence" : "automatic";
                         });

TEST_P(Idle, CostsNoTime) {
  // Catches: a worker that polls, naps or never gives up looking.
  const ending run = apart([] {
    sennit::runtime four({.workers = 4, .barrier = GetParam()});
    for (int i = 0; i < 100; ++i) four.run([] { fib(10); });
    four.run(migrate);
    await([] { return look_at_others().awake == 0; }, "all workers sleep");
    usleep(20'000);
    const others before = look_at_others();
    const auto start = cpu_time();
    std::this_thread::sleep_for(span);
    const auto used = cpu_time() - start;
    const others after = look_at_others();
    if (!with_tsan) {
      EXPECT_LT(used.count(), budget.count());
    }
    EXPECT_EQ(after.awake, 0);
    if (!with_tsan) {
      EXPECT_EQ(after.switches, before.switches) << "somebody wakes now and then";
    }
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_P(Idle, WorkersSleepBesideAStrandThatDoesNotFork) {
  // Catches: workers that cannot sleep while somebody is in a region.
  const ending run = apart([] {
    sennit::runtime four({.workers = 4, .barrier = GetParam()});
    four.run([] {
      fib(10);
      await([] { return look_at_others().awake == 0; }, "all other workers sleep");
      usleep(20'000);
      const others before = look_at_others();
      std::this_thread::sleep_for(span / 2);
      if (!with_tsan) {
        EXPECT_EQ(look_at_others().switches, before.switches) << "somebody wakes now and then";
      }
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_P(Idle, WakesForWorkAfterwards) {
  // Catches: a wake-up lost between going to sleep and the next push.
  const ending run = apart([] {
    sennit::runtime three({.workers = 3, .barrier = GetParam()});
    for (int i = 0; i < 40; ++i) {
      usleep(static_cast<useconds_t>(i * i * 30));  // from still spinning to asleep for long
      three.run([] {
        // Needs all three at once.
        std::atomic<int> present{0};
        const auto arrive = [&] {
          ++present;
          await([&] { return present == 3; }, "a third worker wakes up");
        };
        sennit::join(arrive, arrive, arrive);
      });
    }
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_P(Idle, WakesForTheFirstForkOfALongStrand) {
  // Catches: a push gate that is shut in time, and open again by the time of the first push after a long pause.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2, .barrier = GetParam()});
    two.run([] {
      for (int i = 0; i < 20; ++i) {
        usleep(i % 2 == 0 ? 10'000 : 100);
        migrate();
      }
    });
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(IdleAfterBlocking, SparesSleep) {
  // Catches: a spare that is sent home and looks for work all the same.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    two.run([] {
      sennit::task_group group;
      for (int i = 0; i < 20; ++i) group.spawn([] { sennit::blocking([] { usleep(2000); }); });
      group.wait();
    });
    await([] { return look_at_others().awake == 0; }, "all workers and spares sleep");
    usleep(20'000);
    const auto start = cpu_time();
    std::this_thread::sleep_for(span / 2);
    if (!with_tsan) {
      EXPECT_LT((cpu_time() - start).count(), budget.count());
    }
  });
  EXPECT_THAT(run, ExitedWith(0));
}

}  // namespace
}  // namespace process

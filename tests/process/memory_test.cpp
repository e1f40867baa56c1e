// SPDX-License-Identifier: Apache-2.0
// Memory that runs out: a construct then throws, or runs in order. It loses no branch, hangs nowhere, and the
// runtime is as good as new when there is memory again.
#include "support.hpp"

#include <sennit/graph.hpp>
#include <sennit/sennit.hpp>

#include <sys/resource.h>

#include <array>
#include <atomic>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

// How many more allocations succeed; negative: all.
std::atomic<long> left{-1};
// Whether only one fails, or all from there on.
std::atomic<bool> once{true};

}  // namespace

// With ThreadSanitizer, clang links operators that cannot be replaced.
#if SENNIT_TSAN && defined(__clang__)
constexpr bool memory_can_run_out = false;
#else
constexpr bool memory_can_run_out = true;

namespace {

// In one step: a thread that is about to be refused must not bring the shortage back after its end.
bool refused() noexcept {
  long now = left.load(std::memory_order_relaxed);
  long next = 0;
  do {
    if (now < 0) return false;
    next = now > 0 || once.load(std::memory_order_relaxed) ? now - 1 : 0;
  } while (!left.compare_exchange_weak(now, next, std::memory_order_relaxed));
  return now == 0;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (refused()) return nullptr;
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// Behind the compiler's back, which would complain that operator delete calls free().
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }

constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, usual); }
void* operator new(std::size_t bytes, std::align_val_t a) { return allocate_or_throw(bytes, std::size_t(a)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, usual); }
void* operator new(std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(bytes, std::size_t(a));
}
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, usual); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, usual); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
#endif

namespace process {
namespace {

enum class shortage { single, lasting };

// While one lives, the n-th allocation from its beginning fails, or all from there on.
class scarcity {
 public:
  scarcity(shortage kind, long n) {
    once = kind == shortage::single;
    left = n;
  }
  ~scarcity() { end(); }
  // Whether there was a failure.
  bool end() {
    if (ended_) return met_;
    ended_ = true;
    met_ = left.exchange(-1) <= 0;
    return met_;
  }

 private:
  bool ended_ = false;
  bool met_ = false;
};

// What is to be done while memory is scarce: run() may throw bad_alloc, and check() says whether all is well
// afterwards.
struct scenario {
  virtual ~scenario() = default;
  virtual void prepare() {}
  virtual void run() = 0;
  virtual void check() = 0;
};

// Each time in a process of its own: run() with a failure at the first allocation, the second, and so on,
// until it comes to its end without meeting one.
template <class Scenario>
void at_every_allocation() {
  if (!memory_can_run_out) GTEST_SKIP() << "this sanitizer's operator new cannot be replaced";
  for (const shortage kind : {shortage::single, shortage::lasting}) {
    bool met = true;
    // Most are made by the look at the machine. Where processes are dear, every third of those must do.
    for (long n = 0; met && n < 1000; n += sanitized && n > 50 ? 3 : 1) {
      const ending run = apart([=] {
        Scenario s;
        s.prepare();
        scarcity memory(kind, n);
        try {
          s.run();
          if (!memory.end()) std::fputs("without a failure", stdout);
        } catch (const std::bad_alloc&) {
          memory.end();
        }
        s.check();
        EXPECT_EQ(fib(15), 610);
        sennit::runtime({.workers = 2}).run(migrate);
      });
      ASSERT_THAT(run, ExitedWith(0))
          << (kind == shortage::single ? "allocation " : "all from allocation ") << n;
      met = run.output != "without a failure";
    }
    EXPECT_FALSE(met) << "there is no end to the allocations";
  }
}

TEST(Memory, ForTheDefaultRuntime) {
  // Catches: a half-made runtime that leaves threads behind, or ends the program; a failure that is
  // remembered.
  struct first_join : scenario {
    void run() override { sum = fib(15); }
    void check() override { EXPECT_TRUE(sum == 0 || sum == 610) << sum; }
    long sum = 0;
  };
  at_every_allocation<first_join>();
}

TEST(Memory, ForARecording) {
  // Catches: notes that are lost without a word, leak, or end the program; levels that are counted where there are none.
  struct records : scenario {
    static long left_deep(int depth) {
      if (depth == 0) return 1;
      const auto [left, right] = sennit::join([=] { return left_deep(depth - 1); }, [] { return 1L; });
      return left + right;
    }
    void prepare() override { two.run(migrate); }  // so that the other worker has begun
    void run() override {
      two.run([&] {
        const sennit::schedule s = sennit::record([&] {
          sum = left_deep(60);
          sennit::join([] { usleep(300); }, [] { usleep(300); });
          sennit::task_group group;
          for (int i = 0; i < 3; ++i) group.spawn([&] { sum += left_deep(30); });
          group.wait();
        });
        sennit::replay(s, sennit::relaxed, [&] { sum += left_deep(60); });
      });
    }
    void check() override { EXPECT_TRUE(sum >= 0 && sum <= 61 + 3 * 31 + 61) << sum; }
    sennit::runtime two{{.workers = 2}};
    std::atomic<long> sum{0};
  };
  at_every_allocation<records>();
}

TEST(Memory, ForARuntime) {
  // Catches: a constructor that throws and leaves its threads behind.
  struct makes_one : scenario {
    void run() override { sennit::runtime three({.workers = 3}); }
    void check() override { EXPECT_TRUE(is_alone()); }
  };
  at_every_allocation<makes_one>();
}

TEST(Memory, ForAGuest) {
  // Catches: a guest that is counted though it never came in, so that the runtime takes itself to be in use
  // for ever.
  struct enters : scenario {
    void prepare() override { two.emplace(sennit::runtime_options{.workers = 2}); }
    void run() override {
      sum = two->run([] { return fib(12); });
    }
    void check() override {
      EXPECT_TRUE(sum == 0 || sum == 144) << sum;
      EXPECT_EQ(two->run([] { return fib(12); }), 144);
      two.reset();
      EXPECT_TRUE(is_alone());
    }
    std::optional<sennit::runtime> two;
    long sum = 0;
  };
  at_every_allocation<enters>();
}

TEST(Memory, ForASecondGuest) {
  // Catches: a place that is lost, or given to two, when there is no memory for one more.
  struct enters_from_within : scenario {
    void prepare() override {
      two.emplace(sennit::runtime_options{.workers = 2});
      other.emplace(sennit::runtime_options{.workers = 1});
      two->run([] { fib(5); });
    }
    void run() override {
      sum = two->run([&] { return other->run([&] { return two->run([] { return fib(12); }); }); });
    }
    void check() override {
      EXPECT_TRUE(sum == 0 || sum == 144) << sum;
      EXPECT_EQ(two->run([&] { return other->run([] { return fib(12); }); }), 144);
      two.reset();
      other.reset();
      EXPECT_TRUE(is_alone());
    }
    std::optional<sennit::runtime> two;
    std::optional<sennit::runtime> other;
    long sum = 0;
  };
  at_every_allocation<enters_from_within>();
}

// Children are counted: each that was spawned runs once, and a spawn that threw has none.
struct spawns : scenario {
  void run() override {
    sennit::task_group group;
    for (int i = 0; i < 20; ++i) {
      group.spawn([this, ballast = std::array<char, 200>{}] {
        (void)ballast;
        ++ran;
      });
      ++spawned;
    }
    group.wait();
    waited = true;
  }
  void check() override { EXPECT_EQ(ran, spawned); }
  std::atomic<int> ran{0};
  int spawned = 0;
  bool waited = false;
};

TEST(Memory, ForChildrenInARegion) {
  // Catches: a child that is half spawned, a group whose wait() forgets the children before it.
  struct inside : spawns {
    void prepare() override { fib(10); }
    void run() override {
      sennit::runtime::default_runtime().run([this] { spawns::run(); });
    }
  };
  at_every_allocation<inside>();
}

TEST(Memory, ForChildrenOutsideAnyRegion) {
  // Catches: the same where the group borrows a place, and its wait() has to enter the runtime.
  struct outside : spawns {
    void prepare() override { fib(10); }
  };
  at_every_allocation<outside>();
  at_every_allocation<spawns>();
}

TEST(Memory, ForWhatAChildThrows) {
  // Catches: an exception that is lost where the place that was made for it has gone meanwhile, and a spawn that throws
  // though its child has run.
  if (!memory_can_run_out) GTEST_SKIP() << "this sanitizer's operator new cannot be replaced";
  const ending run = apart([] {
    struct thrown {};
    sennit::runtime one{{.workers = 1}};
    sennit::task_group group;
    group.spawn([] {});
    one.run([&] {
      std::optional<scarcity> memory;
      // In another runtime than the others: it runs at once.
      EXPECT_NO_THROW(group.spawn([&] {
        // Another group's children keep what the strand had, and drop what is empty of it.
        sennit::task_group other;
        other.spawn([] {});
        other.wait();
        memory.emplace(shortage::lasting, 0);
        throw thrown();
      }));
      memory->end();
    });
    EXPECT_THROW(group.wait(), thrown);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Memory, ForAStrandThatWaits) {
  // Catches: a join that cannot get a fiber and loses its branch, or waits for ever.
  struct suspends : scenario {
    void run() override {
      two.run([this] {
        for (int i = 0; i < 5; ++i) {
          migrate_if_possible();
          ++rounds;
        }
      });
    }
    void migrate_if_possible() {
      sennit::join(
          [this] {
            ++ran;
            usleep(200);
          },
          [this] {
            ++ran;
            usleep(500);
          });
    }
    void check() override { EXPECT_EQ(ran, 2 * rounds); }
    sennit::runtime two{{.workers = 2}};
    int rounds = 0;
    std::atomic<int> ran{0};
  };
  at_every_allocation<suspends>();
}

TEST(Memory, ForASpare) {
  // Catches: a blocking call that fails for want of a thread it can do without.
  struct blocks : scenario {
    void run() override {
      two.run([this] {
        for (int i = 0; i < 3; ++i)
          sennit::join([this] { sennit::blocking([this] { ++ran; }); }, [this] { ++ran; });
      });
    }
    void check() override { EXPECT_TRUE(ran == 6 || ran == 0) << ran; }
    sennit::runtime two{{.workers = 2}};
    std::atomic<int> ran{0};
  };
  at_every_allocation<blocks>();
}

// A grid of 4 by 4 with values that are counted, each on the heap; one node creates another one.
template <class Key>
struct finds_a_graph : scenario {
  // How many live.
  struct value {
    explicit value(std::string t) : text(std::move(t)) { ++live; }
    value(value&& other) noexcept : text(std::move(other.text)) { ++live; }
    value& operator=(value&&) = delete;
    ~value() { --live; }
    std::string text;
    inline static std::atomic<int> live{0};
  };

  virtual Key key(int at) = 0;
  virtual int at(const Key& k) = 0;
  void prepare() override { two.run(migrate); }  // so that the other worker has begun

  template <class Keys>
  void run_with(const Keys& keys) {
    const auto before = [this](const Key& k) {
      const int n = at(k);
      std::vector<Key> found;
      if (n % 4 != 0) found.push_back(key(n - 1));
      if (n >= 4) found.push_back(key(n - 4));
      return found;
    };
    const auto longer = [this](const Key& k, auto& node) -> value {
      std::string text(40, 'x');
      for (const Key& p : node.predecessors()) text.push_back(node.value(p).text.back());
      // Whose value the new one reads: it is not to be freed before.
      if (at(k) == 12) node.create(key(16));
      usleep(100);
      return value(text);
    };
    two.run([&] {
      const sennit::graph::nodes grid{.predecessors = before,
                                      .compute = longer,
                                      .color = [this](const Key& k) { return at(k) % 2; },
                                      .keys = keys};
      result = sennit::graph::run(key(15), grid).text;
    });
  }
  void check() override {
    EXPECT_TRUE(result.empty() || result == std::string(42, 'x')) << result;
    EXPECT_EQ(value::live, 0);
  }
  sennit::runtime two{{.workers = 2}};
  std::string result;
};

TEST(Memory, ForAGraphWithDenseKeys) {
  // Catches: a strand that ends the program where it has no room for its local queue, or the values that it leaves; nodes that
  // are forgotten, so that the run hangs or reports a cycle; values that leak.
  struct dense : finds_a_graph<int> {
    int key(int n) override { return n; }
    int at(const int& k) override { return k; }
    void run() override { run_with(sennit::graph::dense(17)); }
  };
  at_every_allocation<dense>();
}

TEST(Memory, ForAGraphWithHashedKeys) {
  // Catches: the same, and keys that leak, or are half in the map.
  struct hashed : finds_a_graph<std::string> {
    std::string key(int n) override { return std::string(static_cast<std::size_t>(n) + 40, 'x'); }
    int at(const std::string& k) override { return static_cast<int>(k.size()) - 40; }
    void run() override { run_with(sennit::graph::hashed<>()); }
  };
  at_every_allocation<hashed>();
}

class AddressSpace : public testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "sanitizers reserve terabytes";
  }
};

std::size_t address_space_in_use() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void leave_address_space(std::size_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : address_space_in_use() + bytes;
  setrlimit(RLIMIT_AS, &limit);
}

// From nothing to enough for a few stacks of 8 MiB and the runtime's threads.
constexpr std::size_t steps[] = {0,        64 << 10, 256 << 10, 1 << 20,  2 << 20,
                                 5 << 20,  9 << 20,  10 << 20,  12 << 20, 17 << 20,
                                 19 << 20, 25 << 20, 30 << 20,  40 << 20, 80 << 20};

TEST_F(AddressSpace, ForTheDefaultRuntime) {
  // Catches: a refused stack or thread that becomes a crash.
  for (const std::size_t bytes : steps) {
    const ending run = apart([=] {
      leave_address_space(bytes);
      long sum = 610;
      try {
        sum = fib(15);
      } catch (const std::bad_alloc&) {
      }
      leave_address_space(RLIM_INFINITY);
      EXPECT_EQ(sum, 610);
      EXPECT_EQ(fib(15), 610);
    });
    ASSERT_THAT(run, ExitedWith(0)) << "with " << bytes << " bytes to be had";
  }
}

TEST_F(AddressSpace, ForGuestsOfARuntime) {
  // Catches: a guest that is lost half way in.
  for (const std::size_t bytes : steps) {
    const ending run = apart([=] {
      {
        sennit::runtime two({.workers = 2});
        two.run(migrate);  // so that the other worker has begun
        leave_address_space(bytes);
        for (int i = 0; i < 3; ++i) {
          try {
            EXPECT_EQ(two.run([] { return fib(12); }), 144);
          } catch (const std::bad_alloc&) {
          }
        }
        leave_address_space(RLIM_INFINITY);
        two.run(migrate);
      }
      EXPECT_TRUE(is_alone());
    });
    ASSERT_THAT(run, ExitedWith(0)) << "with " << bytes << " bytes to be had";
  }
}

TEST_F(AddressSpace, ForAStrandThatWaits) {
  // Catches: a join that must wait, has no stack to leave its own for, and loses the branch or never returns.
  for (const std::size_t bytes : steps) {
    const ending run = apart([=] {
      sennit::runtime two({.workers = 2});
      two.run([=] {
        migrate();  // so that the other worker has begun
        leave_address_space(bytes);
        for (int i = 0; i < 5; ++i) {
          bool ran = false;
          side_by_side([] {},
                       [&] {
                         usleep(1000);
                         ran = true;
                       });
          ASSERT_TRUE(ran);
        }
        leave_address_space(RLIM_INFINITY);
      });
    });
    ASSERT_THAT(run, ExitedWith(0)) << "with " << bytes << " bytes to be had";
  }
}

// Leaves take long enough that each join above is waited for somewhere.
long slow_tree(int depth) {
  if (depth == 0) {
    usleep(100);
    return 1;
  }
  const auto [left, right] =
      sennit::join([=] { return slow_tree(depth - 1); }, [=] { return slow_tree(depth - 1); });
  return left + right;
}

TEST_F(AddressSpace, ForAllStrandsThatWait) {
  // Catches: what one strand has listed while it spun, and all the others, without a stack to leave their own for,
  // wait for in vain.
  for (const std::size_t bytes : {0UL, 9UL << 20, 17UL << 20, 25UL << 20}) {
    const ending run = apart([=] {
      sennit::runtime four({.workers = 4});
      four.run([=] {
        migrate();
        leave_address_space(bytes);
        for (int i = 0; i < 5; ++i) {
          EXPECT_EQ(slow_tree(7), 128);
          std::atomic<long> sum{0};
          sennit::task_group group;
          for (int g = 0; g < 4; ++g) {
            const auto child = [&] {
              sennit::parallel_for(0, 16, [&](int) {
                usleep(20);
                sennit::parallel_for(0, 16, [&](int) { sum += slow_tree(1); }, sennit::grain(1));
              });
            };
            // There may be no memory for the child either.
            try {
              group.spawn(child);
            } catch (const std::bad_alloc&) {
              child();
            }
          }
          group.wait();
          EXPECT_EQ(sum, 4 * 16 * 16 * 2);
        }
        leave_address_space(RLIM_INFINITY);
      });
    });
    ASSERT_THAT(run, ExitedWith(0)) << "with " << bytes << " bytes to be had";
  }
}

TEST_F(AddressSpace, ForGroupsOutsideAnyRegion) {
  // Catches: children that stay listed when the group that holds them is unwound for want of memory.
  for (const std::size_t bytes : steps) {
    const ending run = apart([=] {
      spawns s;
      fib(10);
      leave_address_space(bytes);
      try {
        s.run();
      } catch (const std::bad_alloc&) {
      }
      leave_address_space(RLIM_INFINITY);
      s.check();
      EXPECT_EQ(fib(15), 610);
    });
    ASSERT_THAT(run, ExitedWith(0)) << "with " << bytes << " bytes to be had";
  }
}

TEST_F(AddressSpace, ForSpares) {
  // Catches: places of spares that could not start and are never given back.
  const ending run = apart([] {
    sennit::runtime two({.workers = 2});
    two.run([] {
      migrate();                     // so that the other worker has begun
      leave_address_space(4 << 20);  // a place, but no thread
      for (int i = 0; i < 5000; ++i) sennit::blocking([] {});
      leave_address_space(RLIM_INFINITY);
    });
    std::thread([&] { two.run([&] { std::thread([&] { two.run(migrate); }).join(); }); }).join();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

}  // namespace
}  // namespace process

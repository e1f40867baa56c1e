// SPDX-License-Identifier: Apache-2.0
// fork(2) in a program with an allocator of its own, which holds its lock over forks.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <pthread.h>

#include <array>
#include <atomic>
#include <new>
#include <thread>

namespace {

constinit pthread_mutex_t arena = PTHREAD_MUTEX_INITIALIZER;

// Those who come after the library: its handlers run after these as the process forks.
void hold_arena_over_forks() {
  pthread_atfork([] { pthread_mutex_lock(&arena); }, [] { pthread_mutex_unlock(&arena); },
                 [] { pthread_mutex_unlock(&arena); });
}

}  // namespace

// With ThreadSanitizer, clang links operators that cannot be replaced.
#if !(SENNIT_TSAN && defined(__clang__))
namespace {

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  pthread_mutex_lock(&arena);
  void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  pthread_mutex_unlock(&arena);
  if (memory == nullptr) std::abort();
  return memory;
}

// Behind the compiler's back, which would complain that operator delete calls free().
[[gnu::noinline]] void release(void* memory) noexcept {
  pthread_mutex_lock(&arena);
  std::free(memory);
  pthread_mutex_unlock(&arena);
}

constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, usual); }
void* operator new(std::size_t bytes, std::align_val_t a) { return allocate(bytes, std::size_t(a)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, usual); }
void* operator new(std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(bytes, std::size_t(a));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
#endif

namespace process {
namespace {

// More than any piece of a loop before, and at a boundary of its own.
struct alignas(64) wide {
  ~wide() {}  // so that it is passed by its address
  wide operator+(const wide& other) const { return {{values[0] + other.values[0]}}; }
  std::array<long, 200> values{};
};

// Forks again and again while another thread runs the body.
template <class Body>
ending forks_beside(Body body) {
  return apart([=] {
    migrate();
    hold_arena_over_forks();
    std::atomic<bool> end{false};
    std::thread busy([&] {
      while (!end) body();
    });
    for (int i = 0; i < (sanitized ? 50 : 1500); ++i) {
      const pid_t child = fork_again();
      if (child == 0) _exit(0);
      int status = -1;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    end = true;
    busy.join();
  });
}

class ForkWithAnAllocator : public testing::Test {
 protected:
  void SetUp() override {
    if (with_asan && with_gcc) GTEST_SKIP() << "the other thread may hold a lock of the tool";
    if (with_tsan)
      GTEST_SKIP() << "the tool takes the child's threads for the parent's, or its operators stay";
  }
};

TEST_F(ForkWithAnAllocator, BesideForksThatAreStolen) {
  // Catches: an allocation under the lock of a deque. Its thread waits for the allocator, and the fork waits for the lock.
  EXPECT_THAT(forks_beside([] { EXPECT_EQ(fib(18), 2584); }), ExitedWith(0));
}

TEST_F(ForkWithAnAllocator, BesideLoopsThatAreStolen) {
  // Catches: the same, where the memory is for a part of a loop: a small one, and one that is large and aligned.
  EXPECT_THAT(forks_beside([] {
                sennit::parallel_for(0, 64, [](int) { fib(5); }, sennit::grain(1));
                const wide sum = sennit::parallel_reduce(
                    0, 64, wide{}, [](int i) { return wide{{fib(5) + i}}; },
                    [](const wide& a, const wide& b) { return a + b; }, sennit::grain(1));
                EXPECT_EQ(sum.values[0], 64 * 5 + 63 * 32);
              }),
              ExitedWith(0));
}

}  // namespace
}  // namespace process

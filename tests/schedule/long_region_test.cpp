// Regions with many constructs: what is noted of one takes as much memory as what is noted of any other.
#include "../core/support.hpp"

#include <sennit/distribution.hpp>
#include <sennit/replay.hpp>
#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constinit std::atomic<std::size_t> allocated{0};  // bytes, ever

void* allocate(std::size_t bytes, std::size_t alignment) {
  allocated.fetch_add(bytes, std::memory_order_relaxed);
  void* const memory = std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

template <class F>
std::size_t bytes_of(F&& f) {
  const std::size_t before = allocated;
  f();
  return allocated - before;
}

// A loop of two iterations, one for each worker, `loops` times.
void phases(unsigned loops) {
  for (unsigned i = 0; i < loops; ++i) sennit::parallel_for(0, 2, [](int) {}, sennit::grain(1));
}

// A program that recurses in the right branches, which two workers run in turn.
void chain(unsigned depth) {
  if (depth == 0) return;
  sennit::designate(depth % 2);
  sennit::join([] {}, [=] { chain(depth - 1); });
}

TEST(LongRegion, IsRecordedInMemoryThatGrowsWithTheSteals) {
  // Catches: a list of notes that is copied for each of its notes.
  sennit::runtime two({.workers = 2});
  two.run([] {
    const auto recorded = [](unsigned loops) {
      const sennit::schedule each = sennit::blocks(2, 2, loops, 1);
      return bytes_of([&] {
        const sennit::schedule seen = sennit::record(each, sennit::strict_unordered, [=] { phases(loops); });
        EXPECT_EQ(seen.steals(), loops);
      });
    };
    (void)recorded(100);
    EXPECT_LT(recorded(8'000), 8 * recorded(2'000));
  });
}

TEST(LongRegion, NotesWhatFollowsABranchOnce) {
  // Catches: a list that is copied by each strand that waits for another one.
  sennit::runtime two({.workers = 2});
  two.run([] {
    const auto designed = [](unsigned depth) {
      return bytes_of([&] { EXPECT_EQ(sennit::design([=] { chain(depth); }).steals(), depth); });
    };
    (void)designed(10);
    EXPECT_LT(designed(400), 8 * designed(100));
  });
}

TEST(LongRegion, IsReplayedWithoutNotes) {
  // Catches: a replay that notes what nobody asked for.
  sennit::runtime two({.workers = 2});
  two.run([] {
    constexpr unsigned loops = 4'000;
    const sennit::schedule each = sennit::blocks(2, 2, loops, 1);
    const auto bytes = [&](auto&& run) { return bytes_of([&] { run([] { phases(loops); }); }); };
    const std::size_t recorded =
        bytes([&](auto&& body) { (void)sennit::record(each, sennit::strict_unordered, body); });
    const std::size_t replayed =
        bytes([&](auto&& body) { sennit::replay(each, sennit::strict_unordered, body); });
    EXPECT_LT(replayed + loops * 200, recorded);
  });
}

}  // namespace

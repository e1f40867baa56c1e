// SPDX-License-Identifier: Apache-2.0
// A deque that gets no memory for what a stolen branch needs.
#include "owner.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <new>

namespace {

bool no_memory = false;
// Nobody may allocate under it.
sennit::detail::steal_lock* watched = nullptr;
int allocated = 0;
int allocated_under_lock = 0;

void note_allocation() noexcept {
  if (watched == nullptr) return;
  ++allocated;
  if (watched->try_lock()) {
    watched->unlock();
  } else {
    ++allocated_under_lock;
  }
}

// Also what the thread has in reserve is gone.
struct without_memory {
  explicit without_memory(sennit::detail::reserve& memory) noexcept {
    no_memory = true;
    while (void* const block = memory.take(1)) ::operator delete(block);
  }
  ~without_memory() { no_memory = false; }
};

// Behind the compiler's back, which would complain that operator delete calls free().
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }

}  // namespace

// All of one kind: AddressSanitizer tells those apart that the program does not replace.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  note_allocation();
  return no_memory ? nullptr : std::malloc(bytes);
}
void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) std::abort();  // no exceptions in one configuration
  return memory;
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }

namespace sennit_test {
namespace {

// Catches a branch that is lost, or is taken without a state, where there is no memory for one.
TEST(memory, that_is_missing_leaves_the_branch_to_its_strand) {
  for (const bool fenced : {false, true}) {
    if (!fenced && !membarrier_available()) continue;
    owner o({.fenced = fenced});
    fork_in_test older;
    fork_in_test newer;
    owner::push(older);
    owner::push(newer);
    {
      const without_memory none(o.memory);
      for (int i = 0; i < 1000; ++i) EXPECT_EQ(o.steal(true, {}), nullptr);
      EXPECT_EQ(o.answer(), nullptr);
      EXPECT_TRUE(o.pop());
      EXPECT_FALSE(o.frames.empty());
    }
    owner::push(newer);
    frame* oldest = o.answer();
    if (oldest == nullptr) oldest = o.steal_behind_a_barrier();
    EXPECT_EQ(oldest, &older);
    EXPECT_EQ(older.stolen().region, &o.region);
    EXPECT_TRUE(o.pop());
    EXPECT_FALSE(o.pop());
  }
}

// Catches a branch that is in no deque any more, for want of memory in no list either, and whose pop still goes to its slot: what
// lies below that would be had twice.
TEST(memory, that_is_missing_leaves_no_slot_to_a_branch_whose_strand_leaves) {
  for (const bool fenced : {false, true}) {
    if (!fenced && !membarrier_available()) continue;
    owner o({.fenced = fenced});
    fork_in_test older;
    fork_in_test newer;
    owner::push(older);
    owner::push(newer);
    {
      const without_memory none(o.memory);
      EXPECT_TRUE(o.frames.promote_all(o.memory));
    }
    for (fork_in_test* const f : {&newer, &older}) {
      EXPECT_FALSE(o.pop(*f));
      EXPECT_TRUE(o.frames.empty());
      EXPECT_EQ(f->state(), nullptr);
    }
  }
}

// Catches a pop that goes to a slot of another deque, or of this one before its frames have left.
TEST(memory, of_its_slot_is_lost_to_a_branch_that_leaves) {
  for (const bool fenced : {false, true}) {
    if (!fenced && !membarrier_available()) continue;
    owner o({.fenced = fenced});
    std::array<fork_in_test, 3> all;
    for (frame& f : all) owner::push(f);
    frame* const oldest = o.steal_behind_a_barrier();
    EXPECT_EQ(oldest, &all[0]);
    EXPECT_EQ(all[0].in_slot(), nullptr);
    EXPECT_EQ(all[1].in_slot(), o.frames.bottom() + 1);
    EXPECT_TRUE(o.pop(all[2]));
    EXPECT_TRUE(o.pop(all[1]));
    EXPECT_FALSE(o.pop(all[0]));
    EXPECT_TRUE(o.frames.empty());
    EXPECT_EQ(load_tail(), o.frames.bottom());
  }
}

// Catches a thief that gives up a branch for good after a brief shortage: the owner is in the middle of another one.
TEST(memory, that_comes_back_lets_a_thief_have_the_branch) {
  if (!membarrier_available()) GTEST_SKIP() << "this kernel refuses membarrier";
  owner o;
  fork_in_test branch;
  owner::push(branch);
  {
    const without_memory none(o.memory);
    while (o.shared.issued() == 0) EXPECT_EQ(o.steal(true, {}), nullptr);
  }
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  frame* stolen = nullptr;
  while (stolen == nullptr && std::chrono::steady_clock::now() < last) stolen = o.steal(true, {});
  EXPECT_EQ(stolen, &branch);
  EXPECT_EQ(o.pop(), stolen == nullptr);
}

// Catches an owner that tries again at each fork and join, and thieves that cannot ask again.
TEST(memory, that_is_missing_ends_a_request) {
  owner o;
  fork_in_test branch;
  owner::push(branch);
  const without_memory none(o.memory);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(o.steal(false, {}), nullptr);
    EXPECT_TRUE(owner::push_shut());
    EXPECT_EQ(o.answer(), nullptr);
    EXPECT_FALSE(owner::push_shut() || owner::pop_shut());
  }
  EXPECT_TRUE(o.pop());
  EXPECT_FALSE(o.met);
}

// Catches an allocation under the lock. A program may hold its allocator's lock over fork(2), which waits for this one.
TEST(memory, is_allocated_before_the_lock_is_taken) {
  for (const bool fenced : {false, true}) {
    if (!fenced && !membarrier_available()) continue;
    owner o({.fenced = fenced});
    std::array<fork_in_test, 8> all;
    allocated = allocated_under_lock = 0;
    watched = &o.frames.lock();
    for (frame& f : all) owner::push(f);
    EXPECT_EQ(o.steal_behind_a_barrier(), &all[0]);
    if (!fenced) {
      EXPECT_EQ(o.steal(true, {}), nullptr);
      EXPECT_EQ(o.answer(), &all[1]);
      o.frames.handed_on();
      EXPECT_EQ(o.steal(true, {}), nullptr);
      EXPECT_TRUE(o.pop());
      EXPECT_EQ(o.handed, &all[2]);
      owner::push(all[7]);
    }
    const worker_frames::split_off off = o.frames.split_off_newest(o.memory);
    EXPECT_EQ(off.newest, &all[7]);
    std::array<fork_in_test, 3> later;
    for (frame& f : later) owner::push(f);
    EXPECT_TRUE(o.frames.promote_all(o.memory));
    watched = nullptr;
    for (frame& f : later) EXPECT_NE(f.state(), nullptr);
    EXPECT_GE(allocated, 8);
    EXPECT_EQ(allocated_under_lock, 0);
    while (o.frames.listed().take({}, true) != nullptr) {
    }
    (void)o.frames.enter(&o.inner);
  }
}

// Catches a strand that leaves its worker and cannot have a branch back for which there was no memory.
TEST(memory, that_is_missing_withholds_a_branch_as_its_strand_leaves) {
  owner o;
  fork_in_test branch;
  child_in_test child;
  owner::push(branch);
  owner::push(child);
  {
    const without_memory none(o.memory);
    EXPECT_TRUE(o.frames.promote_all(o.memory));
  }
  EXPECT_EQ(o.frames.look().listed, 1U);
  EXPECT_EQ(o.steal(true, {}), &child);
  EXPECT_FALSE(listed_frames::reclaim(child));
  EXPECT_TRUE(listed_frames::reclaim(branch));
  (void)o.frames.enter(&o.inner);
}

// Catches a donation that changes the deque although it fails.
TEST(memory, that_is_missing_leaves_all_in_place_where_the_newest_is_donated) {
  owner o;
  fork_in_test older;
  fork_in_test newest;
  owner::push(older);
  owner::push(newest);
  {
    const without_memory none(o.memory);
    EXPECT_EQ(o.frames.split_off_newest(o.memory).newest, nullptr);
  }
  EXPECT_TRUE(o.pop());
  EXPECT_TRUE(o.pop());
}

}  // namespace
}  // namespace sennit_test

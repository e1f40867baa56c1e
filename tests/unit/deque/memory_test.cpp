// A deque that gets no memory for what a stolen branch needs.
#include "owner.hpp"

#include <cstdlib>
#include <new>

namespace {

bool no_memory = false;

struct without_memory {
  without_memory() noexcept { no_memory = true; }
  ~without_memory() { no_memory = false; }
};

// Behind the compiler's back, which would complain that operator delete calls free().
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }

}  // namespace

// All of one kind: AddressSanitizer tells those apart that the program does not replace.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
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
      const without_memory none;
      for (int i = 0; i < 1000; ++i) EXPECT_EQ(o.frames.steal(true, {}), nullptr);
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

// Catches a strand that leaves its worker and cannot have a branch back for which there was no memory.
TEST(memory, that_is_missing_withholds_a_branch_as_its_strand_leaves) {
  owner o;
  fork_in_test branch;
  child_in_test child;
  owner::push(branch);
  owner::push(child);
  {
    const without_memory none;
    EXPECT_TRUE(o.frames.promote_all());
  }
  EXPECT_EQ(o.frames.look().listed, 1U);
  EXPECT_EQ(o.frames.steal(true, {}), &child);
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
    const without_memory none;
    EXPECT_EQ(o.frames.split_off_newest().newest, nullptr);
  }
  EXPECT_TRUE(o.pop());
  EXPECT_TRUE(o.pop());
}

}  // namespace
}  // namespace sennit_test

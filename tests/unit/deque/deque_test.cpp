// SPDX-License-Identifier: Apache-2.0
// The deque without those who want something of its owner, and the value that says who may take a frame.
#include "deque/deque.hpp"
#include "deque/eligibility.hpp"
#include "deque/promotions.hpp"
#include "deque/strand_here.hpp"
#include "owner.hpp"

#include <gtest/gtest.h>

#include <array>
#include <mutex>

namespace sennit_test {
namespace {

hooks_in_test lenient(false);
hooks_in_test donating(true);

// A deque whose owner is the thread that runs the test.
struct bare {
  explicit bare(unsigned lasting, std::size_t slots = 4) : frames(slots, shared, lasting, beat) {
    (void)membarrier_available();
    inner.first = frames.bottom();
    here.enter(&inner);
    const std::lock_guard guard(frames.lock());
    frames.attach(owner::tls());
    frames.set_reasons(0);
  }
  bare(const bare&) = delete;
  bare& operator=(const bare&) = delete;
  ~bare() {
    const std::lock_guard guard(frames.lock());
    frames.begin_anew();
    frames.detach();
    owner::tls().limit.store(nullptr, std::memory_order_relaxed);
    owner::tls().limit_beneath.store(nullptr, std::memory_order_relaxed);
    leave_outside_slots();
  }
  frame* claim(bool seen_only = false) {
    memory.fill();
    const std::lock_guard guard(frames.lock());
    return frames.claim({.open = true, .suits = true, .seen_only = seen_only}, memory).frame;
  }

  barriers shared;
  region_state region;
  scope inner{&region, nullptr, nullptr};
  strand_here here;
  promotions beat{here, 0};
  reserve memory;
  deque frames;
};

constexpr std::array all_reasons = {cancelled,   contract,     observed,      fenced,      wake_wanted,
                                    sign_wanted, frame_wanted, answer_wanted, leave_wanted};

// Catches a reason that shuts another gate than its own, one that is lost beside another one or as the deque begins anew,
// and a lasting one that can be taken away.
TEST(deque, has_its_gates_shut_for_each_reason_alone_and_in_pairs) {
  for (const unsigned lasting : {0U, unsigned{contract}, unsigned{fenced}}) {
    bare b(lasting);
    const std::lock_guard guard(b.frames.lock());
    for (const unsigned one : all_reasons) {
      for (const unsigned other : all_reasons) {
        const unsigned all = one | other | lasting;
        const auto expect_shut = [&](unsigned for_these) {
          const bool seen = (for_these & observed) != 0;
          EXPECT_EQ(owner::push_shut(), seen || (for_these & shut_push) != 0) << for_these;
          EXPECT_EQ(owner::pop_shut(), seen || (for_these & shut_pop) != 0) << for_these;
          EXPECT_EQ(b.frames.undisturbed(), (for_these & shut_push) == 0) << for_these;
        };
        b.frames.set_reasons(one | other);
        EXPECT_EQ(b.frames.reasons(), all);
        expect_shut(all);
        b.frames.begin_anew();
        expect_shut(all);
        b.frames.set_reasons(0);
        expect_shut(lasting);
      }
    }
  }
}

// Catches a push gate that is opened again although nobody has taken the reason back, and a pop gate that is shut with it.
TEST(deque, adds_a_reason_to_those_that_there_are) {
  bare b(0);
  const std::lock_guard guard(b.frames.lock());
  b.frames.shut_push_gate(sign_wanted);
  b.frames.shut_push_gate(wake_wanted);
  EXPECT_TRUE(owner::push_shut());
  EXPECT_FALSE(owner::pop_shut());
  EXPECT_EQ(b.frames.reasons(), unsigned{sign_wanted | wake_wanted});
  b.frames.begin_anew();
  EXPECT_TRUE(owner::push_shut());
}

// Catches a claim beyond what the trace cursor has noted, and one that leaves the gates open behind a barrier or takes a
// frame that the owner has popped.
TEST(deque, gives_the_oldest_frame_to_who_may_take_it) {
  for (const unsigned lasting : {0U, unsigned{fenced}}) {
    if (lasting == 0 && !membarrier_available()) continue;
    bare b(lasting);
    fork_in_test older;
    fork_in_test newer;
    owner::push(older);
    owner::push(newer);
    EXPECT_EQ(b.claim(true), nullptr);
    EXPECT_EQ(owner::pop_shut(), true);
    EXPECT_EQ(b.claim(), &older);
    EXPECT_EQ(older.stolen().region, &b.region);
    store_tail(load_tail() - 1);
    EXPECT_EQ(b.frames.pop(), lasting != 0);
    EXPECT_FALSE(b.frames.newest_has_left());
    EXPECT_EQ(b.claim(), nullptr);
    store_tail(load_tail() - 1);
    EXPECT_FALSE(b.frames.pop());
    EXPECT_TRUE(b.frames.newest_has_left());
    b.frames.begin_anew();
    EXPECT_TRUE(b.frames.empty());
    EXPECT_EQ(b.beat.count(), 1U);
  }
}

// Catches work that is said to be under way where there is none, and a barrier that nobody is told of.
TEST(deque, tells_what_a_claim_has_found) {
  if (!membarrier_available()) GTEST_SKIP() << "this kernel refuses membarrier";
  bare b(0);
  const std::lock_guard guard(b.frames.lock());
  constexpr eligibility anything{.open = true, .suits = true};
  const deque::claimed none = b.frames.claim(anything, b.memory);
  EXPECT_EQ(none.frame, nullptr);
  EXPECT_FALSE(none.under_way);
  EXPECT_NE(none.barrier_ns, 0U);
  b.frames.set_reasons(0);
  // One iteration, which the owner has claimed.
  loop_in_test loop(0, 1);
  owner::push(loop.frame);
  (void)loop.frame.claim(0, 1);
  const deque::claimed exhausted = b.frames.claim(anything, b.memory);
  EXPECT_EQ(exhausted.frame, nullptr);
  EXPECT_TRUE(exhausted.under_way);
  b.frames.set_reasons(0);
}

// Catches a rule that is not asked, or that decides what another one does: each alone says no.
TEST(eligibility, needs_all_rules_to_agree) {
  region_state whole;
  region_state elsewhere;
  scope inner{&whole, nullptr, nullptr};
  strand_here here;
  here.enter(&inner);
  (void)here.follow_region();
  promotions on_demand(here, 0);
  const wanted anything;
  EXPECT_TRUE(eligible(anything, here, on_demand, 2));
  EXPECT_FALSE(eligible(anything, here, on_demand, 2).seen_only);
  EXPECT_TRUE(eligible({.colors = 6}, here, on_demand, 2));
  EXPECT_FALSE(eligible({.colors = 4}, here, on_demand, 2));
  EXPECT_TRUE(eligible({.within = &whole}, here, on_demand, 2));
  EXPECT_FALSE(eligible({.within = &elsewhere}, here, on_demand, 2));

  promotions beating(here, an_hour_ns);
  child_in_test promoted;
  reserve memory;
  slot at{reinterpret_cast<std::uintptr_t>(&promoted) | frame_with_state::tag};
  EXPECT_TRUE(eligible(anything, here, beating, 2));
  EXPECT_EQ(beating.promote(&at, 2, parting::all, memory).frame, &promoted);
  EXPECT_FALSE(eligible(anything, here, beating, 2));
  EXPECT_FALSE(eligible(anything, here, beating, 2).open);
  EXPECT_TRUE(eligible(anything, here, beating, 2).suits);

  whole.observed_by = &lenient;
  (void)here.follow_region();
  EXPECT_TRUE(eligible(anything, here, on_demand, 2));
  EXPECT_TRUE(eligible(anything, here, on_demand, 2).seen_only);
  whole.observed_by = &donating;
  (void)here.follow_region();
  EXPECT_FALSE(eligible(anything, here, on_demand, 2));
  whole.observed_by = nullptr;
}

}  // namespace
}  // namespace sennit_test

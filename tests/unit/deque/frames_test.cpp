// SPDX-License-Identifier: Apache-2.0
// Who may take which frame of a deque, and what the others find then.
#include "owner.hpp"

#include <gtest/gtest.h>

#include <array>
#include <mutex>
#include <vector>

namespace sennit_test {
namespace {

hooks_in_test lenient(false);
hooks_in_test donating(true);

// Where it is only handed on, and nobody looks at it.
worker& anybody() {
  alignas(worker) static std::array<unsigned char, sizeof(worker)> nobody;
  return reinterpret_cast<worker&>(nobody);
}

using forks = std::array<fork_in_test, 5>;

void push_all(forks& all) {
  for (frame& f : all) owner::push(f);
}

// Catches a frame that is taken by two, or by none: k are stolen, and the owner pops what is left.
TEST(frames, leave_a_fenced_deque_at_the_head) {
  for (std::size_t stolen = 0; stolen <= std::tuple_size_v<forks>; ++stolen) {
    owner o({.fenced = true});
    forks all;
    push_all(all);
    for (std::size_t i = 0; i < stolen; ++i) {
      EXPECT_EQ(o.steal(false, {}), &all[i]);
      EXPECT_EQ(all[i].stolen().region, &o.region);
    }
    const std::uint64_t epoch = o.frames.epoch();
    for (std::size_t i = all.size(); i > stolen; --i) EXPECT_TRUE(o.pop());
    EXPECT_EQ(o.steal(false, {}), nullptr);
    EXPECT_EQ(o.frames.epoch(), epoch);
    for (std::size_t i = stolen; i > 0; --i) {
      EXPECT_FALSE(o.pop());
      EXPECT_TRUE(o.frames.empty());
      EXPECT_NE(o.frames.epoch(), epoch);
    }
    EXPECT_EQ(o.frames.promotions().count(), stolen);
  }
}

// Catches a thief that does not open the gates again, or at the old bound, and an owner that pops what is gone.
TEST(frames, are_taken_behind_a_barrier_where_the_owner_is_silent) {
  if (!membarrier_available()) GTEST_SKIP() << "this kernel refuses membarrier";
  owner o;
  forks all;
  push_all(all);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(o.steal_behind_a_barrier(), &all[i]);
    EXPECT_FALSE(owner::push_shut() || owner::pop_shut());
    EXPECT_EQ(owner::tls().head_gate.load(), o.frames.bottom() + i + 1);
  }
  EXPECT_EQ(o.shared.issued(), 3U);
  for (const bool mine : {true, true, false, false, false}) EXPECT_EQ(o.pop(), mine);
}

// Catches a barrier for nothing: there is none where no frame is.
TEST(frames, of_an_empty_deque_cost_no_barrier) {
  owner o;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(o.steal(i % 2 == 0, {}), nullptr);
  EXPECT_EQ(o.shared.issued(), 0U);
}

// Catches a thief that takes what the schedule's hooks have not seen yet.
TEST(frames, of_an_observed_strand_are_taken_once_its_cursor_knows_of_them) {
  owner o({.fenced = true});
  o.region.observed_by = &lenient;
  (void)o.frames.enter(&o.inner);
  fork_in_test f;
  owner::push(f);
  EXPECT_EQ(o.steal(true, {}), nullptr);
  EXPECT_EQ(o.steal(true, {}), nullptr);
  owner::tls().tail_seen.store(load_tail(), std::memory_order_relaxed);
  EXPECT_EQ(o.steal(true, {}), &f);
  o.region.observed_by = nullptr;
}

// Catches a cursor that is to see what was pushed before there was one.
TEST(frames, from_before_a_strand_is_observed_stay_to_be_had) {
  owner o({.fenced = true});
  fork_in_test f;
  owner::push(f);
  o.region.observed_by = &lenient;
  (void)o.frames.enter(&o.inner);
  EXPECT_EQ(o.steal(true, {}), &f);
  o.region.observed_by = nullptr;
}

// Divisible work of one part.
class work_of_one : public sennit::detail::divided_work, public sennit::detail::divisible {
 public:
  work_of_one() : divided_work(entry_points), divisible(*static_cast<divided_work*>(this)) {}
  struct : frame_with_state {
    using frame_with_state::frame_with_state;
  } part{nullptr};

 private:
  static sennit::detail::taken_part take(divisible& work, sennit::detail::parting) noexcept {
    return {.part = &static_cast<work_of_one&>(work).part, .left = sennit::detail::remains::nothing};
  }
  static constexpr entries entry_points{&take, nullptr};
};

// Catches a thief that takes another color than its own, or asks for it; and a frame without colors that not all take.
TEST(frames, are_taken_by_color) {
  for (const bool fenced : {false, true}) {
    owner o({.fenced = fenced});
    work_of_one work;
    auto& colored = work.part;
    fork_in_test plain;
    {
      const std::lock_guard guard(o.frames.lock());
      EXPECT_TRUE(o.frames.admit(work, 4, false));
    }
    owner::push(plain);
    EXPECT_EQ(o.steal(true, {.colors = 3}), nullptr);
    EXPECT_FALSE(owner::push_shut());
    const auto take = [&](color_set colors) {
      frame* const taken = o.steal(true, {.colors = colors});
      return taken != nullptr ? taken : o.answer();
    };
    EXPECT_EQ(take(6), &colored);
    EXPECT_EQ(colored.stolen().colors, color_set{4});
    o.frames.handed_on();
    EXPECT_EQ(take(2), &plain);
    EXPECT_EQ(plain.stolen().colors, all_colors);
  }
}

// Catches a guest that takes, or asks for, work of a region that is not in its own.
TEST(frames, are_taken_by_region) {
  owner o;
  region_state whole;
  region_state other;
  o.region.outer = &whole;
  fork_in_test f;
  owner::push(f);
  EXPECT_EQ(o.steal(true, {.within = &other}), nullptr);
  EXPECT_FALSE(owner::push_shut());
  EXPECT_FALSE(o.frames.has_work({.within = &other}));
  EXPECT_TRUE(o.frames.has_work({.within = &whole}));
  EXPECT_TRUE(o.frames.has_work({.within = &other, .or_within = &o.region}));
  EXPECT_EQ(o.steal(true, {.within = &whole}), nullptr);
  EXPECT_EQ(o.answer(), &f);
  o.region.outer = nullptr;
}

// Catches a frame that is taken for one of the region that its strand has gone to since.
TEST(frames, belong_to_the_region_that_they_were_pushed_in) {
  owner o({.fenced = true});
  fork_in_test outside;
  fork_in_test inside;
  owner::push(outside);
  region_state deeper;
  scope in_deeper{&deeper, load_tail(), &o.inner};
  (void)o.frames.enter(&in_deeper);
  owner::push(inside);
  EXPECT_EQ(o.steal(false, {}), &outside);
  EXPECT_EQ(outside.stolen().region, &o.region);
  EXPECT_EQ(o.steal(false, {}), &inside);
  EXPECT_EQ(inside.stolen().region, &deeper);
  EXPECT_FALSE(o.pop());
  // The deque has begun anew, at its bottom.
  fork_in_test later;
  owner::push(later);
  EXPECT_EQ(o.steal(false, {}), &later);
  EXPECT_EQ(later.stolen().region, &deeper);
  EXPECT_FALSE(o.pop());
  (void)o.frames.enter(&o.inner);
  EXPECT_FALSE(o.pop());
}

// Catches a strand that leaves frames behind in the deque, lists them in another order, or cannot have them back; and a
// frame that is claimed twice.
TEST(frames, of_a_strand_that_leaves_are_listed_for_all) {
  owner o;
  forks all;
  push_all(all);
  EXPECT_TRUE(o.frames.promote_all(o.memory));
  EXPECT_TRUE(o.frames.empty() && o.frames.listed().any() && o.frames.has_work());
  EXPECT_EQ(o.frames.look().listed, all.size());
  EXPECT_EQ(o.frames.work_for(3), 3U);
  EXPECT_EQ(o.frames.work_for(100), all.size());
  EXPECT_TRUE(listed_frames::reclaim(all[1]));
  EXPECT_EQ(o.steal(false, {}), &all[0]);
  EXPECT_FALSE(listed_frames::reclaim(all[0]));
  EXPECT_EQ(o.frames.listed().take({}, false), &all[2]);
  EXPECT_TRUE(listed_frames::reclaim(all[4]));
  EXPECT_TRUE(listed_frames::reclaim(all[3]));
  EXPECT_FALSE(o.frames.listed().any());
  EXPECT_EQ(o.frames.listed().take({}, true), nullptr);
  EXPECT_FALSE(o.frames.promote_all(o.memory));
  (void)o.frames.enter(&o.inner);
}

// Catches frames of a strict region that somebody can have but their strand.
TEST(frames, of_a_strict_region_are_withheld) {
  owner o;
  o.region.observed_by = &donating;
  (void)o.frames.enter(&o.inner);
  child_in_test f;
  f.mark_stolen(&o.region);
  o.frames.listed().add_branch(f);
  EXPECT_FALSE(o.frames.listed().any());
  EXPECT_FALSE(o.frames.has_work());
  EXPECT_EQ(o.frames.look().listed, 1U);
  EXPECT_EQ(o.steal(true, {}), nullptr);
  EXPECT_EQ(o.frames.listed().take({}, true), nullptr);
  EXPECT_TRUE(listed_frames::reclaim(f));
  o.region.observed_by = nullptr;
}

// Catches the newest frame that stays where it was, or older ones that go with it.
TEST(frames, are_split_off_at_the_newest) {
  for (const bool strict : {false, true}) {
    owner o({.fenced = true});
    forks all;
    push_all(all);
    if (strict) o.region.observed_by = &donating;
    (void)o.frames.enter(&o.inner);
    const worker_frames::split_off off = o.frames.split_off_newest(o.memory);
    EXPECT_EQ(off.newest, &all[4]);
    EXPECT_EQ(off.listed, !strict);
    EXPECT_TRUE(o.frames.empty());
    EXPECT_FALSE(listed_frames::reclaim(all[4]));
    for (std::size_t i = 4; i-- > 0;) {
      EXPECT_FALSE(o.pop());
      EXPECT_TRUE(listed_frames::reclaim(all[i]));
    }
    o.region.observed_by = nullptr;
  }
}

// Catches what was donated to a busy worker and waits for it, though others could begin; and what others take from a
// worker that is about to begin with it.
TEST(frames, that_are_donated_are_for_others_only_while_their_worker_is_busy) {
  owner o;
  child_in_test first;
  child_in_test second;
  for (child_in_test* f : {&first, &second}) f->mark_stolen(&o.region);
  EXPECT_TRUE(o.frames.listed().donate(first));
  EXPECT_TRUE(first.stolen().donated);
  EXPECT_FALSE(listed_frames::reclaim(first));
  EXPECT_TRUE(o.frames.has_work());
  EXPECT_EQ(o.steal(false, {}), nullptr);
  EXPECT_EQ(o.steal(true, {}), &first);
  o.frames.leave();
  EXPECT_FALSE(o.frames.listed().donate(second));
  EXPECT_FALSE(o.frames.has_work());
  EXPECT_EQ(o.steal(true, {}), nullptr);
  EXPECT_TRUE(o.frames.enter(&o.inner));
  EXPECT_TRUE(o.frames.listed().has_donation(anybody()));
  EXPECT_EQ(o.frames.listed().take_donated(anybody()), &second);
  EXPECT_EQ(o.frames.listed().take_donated(anybody()), nullptr);
}

// Catches donations that nobody can have since their worker's thread has left for good.
TEST(frames, that_are_donated_are_for_all_where_the_thread_has_left) {
  owner o;
  child_in_test f;
  f.mark_stolen(&o.region);
  o.frames.leave();
  (void)o.frames.listed().donate(f);
  EXPECT_EQ(o.steal(true, {}), nullptr);
  o.leave(true);
  EXPECT_EQ(o.steal(true, {}), &f);
}

// Catches a worker that begins with what its schedule's hooks want to come later, and one that others help.
TEST(frames, that_are_donated_in_a_strict_region_are_taken_in_their_order) {
  owner o;
  o.region.observed_by = &donating;
  (void)o.frames.enter(&o.inner);
  child_in_test later;
  child_in_test next;
  later.mark_stolen(&o.region).number = 1;
  next.mark_stolen(&o.region).number = 0;
  EXPECT_FALSE(o.frames.listed().donate(later));
  EXPECT_FALSE(o.frames.listed().donate(next));
  EXPECT_EQ(o.steal(true, {}), nullptr);
  EXPECT_EQ(o.frames.listed().take_donated(anybody()), &next);
  EXPECT_FALSE(o.frames.listed().has_donation(anybody()));
  donating.next_number = 1;
  EXPECT_EQ(o.frames.listed().take_donated(anybody()), &later);
  donating.next_number = 0;
  o.region.observed_by = nullptr;
}

// Catches a guest that begins with what is none of its region's business.
TEST(frames, that_are_donated_to_a_guest_are_those_of_its_region) {
  owner o;
  region_state other;
  child_in_test f;
  f.mark_stolen(&other);
  o.frames.wish().restrict_to(&o.region);
  o.frames.leave();
  EXPECT_TRUE(o.frames.listed().donate(f));
  EXPECT_FALSE(o.frames.listed().has_donation(anybody()));
  EXPECT_EQ(o.frames.listed().take_donated(anybody()), nullptr);
  o.frames.wish().admit_also(&other);
  EXPECT_TRUE(o.frames.listed().has_donation(anybody()));
  EXPECT_EQ(o.frames.listed().take_donated(anybody()), &f);
  o.frames.wish().restrict_to(nullptr);
}

// Catches a strand that nobody takes to its end, as its thread has left the place and is not coming back.
TEST(frames, that_are_strands_go_to_any_guest_once_their_thread_has_left) {
  owner o;
  region_state other;
  child_in_test strand;
  strand.mark_stolen(&o.region).is_strand = true;
  o.frames.listed().add(strand);
  EXPECT_EQ(o.frames.listed().take({.within = &other}, true), nullptr);
  o.leave(true);
  EXPECT_EQ(o.frames.listed().take({.within = &other}, true), &strand);
}

// Catches a thief that holds the lock for as long as a list is long, and one that does not find what it insists on.
TEST(frames, of_a_long_list_are_looked_through_by_who_insists) {
  owner o;
  region_state other;
  std::vector<child_in_test> many(200);
  for (child_in_test& f : many) {
    f.mark_stolen(&other);
    o.frames.listed().add(f);
  }
  child_in_test wanted;
  wanted.mark_stolen(&o.region);
  o.frames.listed().add(wanted);
  EXPECT_EQ(o.frames.listed().take({.within = &o.region}, false), nullptr);
  EXPECT_EQ(o.frames.listed().take({.within = &o.region}, true), &wanted);
  for (child_in_test& f : many) EXPECT_EQ(o.frames.listed().take({}, false), &f);
}

// Catches a loop that is taken as a whole where half of it can stay, or that is left in the deque though all of it is gone.
TEST(frames, of_a_loop_are_halved) {
  for (const bool fenced : {false, true}) {
    if (!fenced && !membarrier_available()) continue;
    owner o({.fenced = fenced});
    loop_in_test loop(0, 100);
    fork_in_test younger;
    owner::push(loop.frame);
    owner::push(younger);
    EXPECT_EQ(o.frames.work_for(7), 7U);
    const auto steal = [&] { return fenced ? o.steal(true, {}) : o.steal_behind_a_barrier(); };
    for (position left = 100; left > 1;) {
      const loop_frame::rest before = loop.frame.look();
      auto* const piece = static_cast<loop_piece*>(steal());
      ASSERT_NE(piece, nullptr);
      EXPECT_EQ(piece->first(), before.middle());
      EXPECT_EQ(piece->last(), before.end);
      EXPECT_EQ(loop.frame.end(), before.middle());
      EXPECT_EQ(piece->stolen().region, &o.region);
      left = loop.frame.end();
    }
    auto* const last = static_cast<loop_piece*>(steal());
    EXPECT_TRUE(last->first() == 0 && last->last() == 1);
    EXPECT_EQ(o.frames.work_for(7), 1U);
    EXPECT_EQ(steal(), &younger);
  }
}

// Catches a loop without iterations left that hides what is younger.
TEST(frames, of_an_exhausted_loop_are_passed_over) {
  for (const bool fenced : {false, true}) {
    if (!fenced && !membarrier_available()) continue;
    owner o({.fenced = fenced});
    loop_in_test loop(0, 10);
    fork_in_test younger;
    owner::push(loop.frame);
    owner::push(younger);
    EXPECT_EQ(loop.frame.claim(0, 10), 10U);
    EXPECT_EQ(fenced ? o.steal(true, {}) : o.steal_behind_a_barrier(), &younger);
  }
}

// Catches a thief that goes away where all there is is a chunk under way: its owner is to look up from that.
TEST(frames, of_a_loop_under_way_are_insisted_on) {
  owner o({.fenced = true});
  loop_in_test loop(0, 10);
  owner::push(loop.frame);
  EXPECT_EQ(loop.frame.claim(0, 10), 10U);
  EXPECT_EQ(o.steal(true, {}), nullptr);
  EXPECT_TRUE(owner::push_shut());
  // It has nothing to hand over, and is still asked.
  EXPECT_EQ(o.answer(), nullptr);
  EXPECT_TRUE(owner::push_shut());
  fork_in_test f;
  EXPECT_EQ(o.push_and_answer(f), &f);
  EXPECT_FALSE(owner::push_shut());
}

// Catches one barrier after the other for a loop of which nothing is to be had.
TEST(frames, of_a_loop_under_way_cost_one_barrier) {
  if (!membarrier_available()) GTEST_SKIP() << "this kernel refuses membarrier";
  owner o;
  loop_in_test loop(0, 10);
  owner::push(loop.frame);
  EXPECT_EQ(loop.frame.claim(0, 10), 10U);
  while (o.shared.issued() == 0) EXPECT_EQ(o.steal(true, {}), nullptr);
  EXPECT_TRUE(owner::push_shut());
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(o.steal(true, {}), nullptr);
  EXPECT_EQ(o.shared.issued(), 1U);
}

// Catches an owner that hands over what is too little to be worth a steal, and one that is disturbed at each push for it;
// and a thief that then waits for ever.
TEST(frames, of_a_loop_that_are_not_worth_it_stay) {
  if (!membarrier_available()) GTEST_SKIP() << "this kernel refuses membarrier";
  owner o;
  loop_in_test loop(0, 10);
  loop.frame.worth(11);
  owner::push(loop.frame);
  EXPECT_EQ(o.steal(false, {}), nullptr);
  EXPECT_EQ(o.answer(), nullptr);
  EXPECT_FALSE(owner::push_shut());
  EXPECT_TRUE(owner::pop_shut());
  EXPECT_NE(o.steal_behind_a_barrier(), nullptr);
  EXPECT_EQ(loop.frame.end(), 5U);
}

// Catches an owner that hands over more than half of its loop, or a frame that is younger.
TEST(frames, of_a_loop_are_handed_over_as_half) {
  owner o;
  loop_in_test loop(0, 64);
  fork_in_test younger;
  owner::push(loop.frame);
  owner::push(younger);
  (void)o.steal(false, {});
  auto* const half = static_cast<loop_piece*>(o.answer());
  ASSERT_NE(half, nullptr);
  EXPECT_TRUE(half->first() == 32 && half->last() == 64);
  // Nobody else has it yet: so the strand can have it back, once it is in a list.
  EXPECT_EQ(loop.split_off, half);
  EXPECT_EQ(loop_frame::take_back(loop.split_off), nullptr);
  EXPECT_EQ(loop.frame.end(), 32U);
}

// Catches a request that stays put off although the loop that it was put off for has nothing left: the next push would
// pass it by.
TEST(frames, of_a_loop_that_is_exhausted_leave_the_request_to_the_next_push) {
  owner o;
  loop_in_test loop(0, 64);
  fork_in_test younger;
  loop.frame.worth(1000);
  owner::push(loop.frame);
  owner::push(younger);
  (void)o.steal(false, {});
  EXPECT_EQ(o.answer(), nullptr);
  EXPECT_FALSE(owner::push_shut());
  EXPECT_EQ(loop.frame.claim(0, 64), 64U);
  EXPECT_TRUE(o.pop());
  EXPECT_TRUE(o.met);
  EXPECT_EQ(o.handed, nullptr);
  EXPECT_TRUE(owner::push_shut());
}

// Catches a loop that stays in the deque although its last iteration has been handed over.
TEST(frames, of_a_loop_go_with_its_last_iteration) {
  owner o;
  loop_in_test loop(7, 8);
  owner::push(loop.frame);
  (void)o.steal(false, {});
  auto* const last = static_cast<loop_piece*>(o.answer());
  ASSERT_NE(last, nullptr);
  EXPECT_TRUE(last->first() == 7 && last->last() == 8);
  EXPECT_TRUE(o.frames.empty());
}

// Catches iterations of a loop that go to two, or to nobody, as the strand leaves.
TEST(frames, of_a_loop_are_listed_as_a_piece_where_the_strand_leaves) {
  owner o;
  loop_in_test loop(0, 64);
  EXPECT_EQ(loop.frame.claim(0, 10), 10U);
  owner::push(loop.frame);
  EXPECT_TRUE(o.frames.promote_all(o.memory));
  EXPECT_EQ(loop.frame.end(), 10U);
  loop_piece* const rest = loop_frame::take_back(loop.split_off);
  ASSERT_NE(rest, nullptr);
  EXPECT_TRUE(rest->first() == 10 && rest->last() == 64);
  EXPECT_FALSE(o.frames.listed().any());
  (void)o.frames.enter(&o.inner);
}

}  // namespace
}  // namespace sennit_test

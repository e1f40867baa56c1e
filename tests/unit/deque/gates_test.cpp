// SPDX-License-Identifier: Apache-2.0
// The reasons for which a deque's gates are shut: each alone, and each with each other one.
#include "owner.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>

namespace sennit_test {
namespace {

hooks_in_test lenient(false);
hooks_in_test donating(true);

enum class asks : bool { no, yes };

struct reason {
  const char* name;
  bool push;   // it shuts the gate of push
  bool pop;    // it shuts the gate of pop
  bool lasts;  // also after the owner has met the gate
  asks frame;  // the owner is to hand its oldest frame over
  owner::options made_with;
  void (*shut)(owner&);
};

void nothing(owner&) {}

const reason reasons[] = {
    {"a sleeper wants to know of the next push",
     true,
     false,
     false,
     asks::no,
     {},
     [](owner& o) { (void)o.frames.ask_for_wake(); }},
    {"the watchdog wants a sign",
     true,
     false,
     false,
     asks::no,
     {},
     [](owner& o) { (void)o.frames.ask_for_sign(); }},
    {"the worker is ordered to leave",
     true,
     false,
     false,
     asks::no,
     {},
     [](owner& o) { o.frames.ask_to_leave(); }},
    {"a thief asks", true, true, false, asks::yes, {}, [](owner& o) { (void)o.steal(true, {}); }},
    {"a thief is expected", true, false, false, asks::yes, {}, [](owner& o) { o.frames.expect_thief(); }},
    {"the region is cancelled",
     true,
     true,
     true,
     asks::no,
     {},
     [](owner& o) {
       o.region.cancel_requested.store(true, std::memory_order_relaxed);
       o.frames.region_cancelled();
     }},
    {"the region is observed",
     true,
     true,
     true,
     asks::no,
     {},
     [](owner& o) {
       o.region.observed_by = &lenient;
       (void)o.frames.enter(&o.inner);
     }},
    {"the contract is checked", true, true, true, asks::no, {.lasting = contract}, &nothing},
    {"the owner fences", false, true, true, asks::no, {.fenced = true}, &nothing},
};

// Calls test(owner, first reason, second reason) for each pair, with two frames in the deque and both reasons there. Who
// fences is not asked: then thieves take the frame.
template <class Test>
void for_each_pair(const Test& test) {
  for (const reason& a : reasons) {
    for (const reason& b : reasons) {
      const bool fenced = a.made_with.fenced || b.made_with.fenced;
      if (fenced && (a.frame == asks::yes || b.frame == asks::yes)) continue;
      SCOPED_TRACE(a.name);
      SCOPED_TRACE(b.name);
      owner o({.fenced = fenced, .lasting = a.made_with.lasting | b.made_with.lasting});
      fork_in_test older;
      fork_in_test newer;
      owner::push(older);
      owner::push(newer);
      a.shut(o);
      if (&a != &b) b.shut(o);
      test(o, a, b, older);
    }
  }
}

// Catches a reason that shuts the wrong gate, one that is forgotten when the gate is opened for another one, and one that
// stays although it has been answered.
TEST(gates, are_shut_for_each_reason_alone_and_in_pairs) {
  for_each_pair([](owner& o, const reason& a, const reason& b, frame& older) {
    EXPECT_EQ(owner::push_shut(), a.push || b.push);
    EXPECT_EQ(owner::pop_shut(), a.pop || b.pop);
    const bool asked = a.frame == asks::yes || b.frame == asks::yes;
    EXPECT_EQ(o.answer(), asked ? &older : nullptr);
    EXPECT_EQ(owner::push_shut(), (a.lasts && a.push) || (b.lasts && b.push));
    EXPECT_EQ(owner::pop_shut(), (a.lasts && a.pop) || (b.lasts && b.pop));
    EXPECT_EQ(o.answer(), nullptr);
  });
}

// Catches a pop that answers what only a push can, or not what it can; and one that takes a frame twice.
TEST(gates, are_answered_by_a_pop_for_each_reason_alone_and_in_pairs) {
  for_each_pair([](owner& o, const reason& a, const reason& b, frame& older) {
    const bool asked = a.frame == asks::yes || b.frame == asks::yes;
    EXPECT_TRUE(o.pop());
    EXPECT_EQ(o.met, a.pop || b.pop);
    EXPECT_EQ(o.handed, o.met && asked ? &older : nullptr);
    const auto stays = [&](const reason& r) { return r.push && (r.lasts || r.frame == asks::no || !o.met); };
    EXPECT_EQ(owner::push_shut(), stays(a) || stays(b));
    EXPECT_EQ(owner::pop_shut(), (a.lasts && a.pop) || (b.lasts && b.pop));
    const bool left = o.handed != nullptr;
    EXPECT_EQ(o.pop(), !left);
    EXPECT_TRUE(o.frames.empty());
  });
}

// Catches gates of an observed strand that do not say beneath what others want of it.
TEST(gates, say_beneath_what_they_would_be_in_a_region_that_is_not_observed) {
  owner o;
  o.region.observed_by = &lenient;
  (void)o.frames.enter(&o.inner);
  worker_tls& tls = owner::tls();
  EXPECT_TRUE(owner::push_shut() && owner::pop_shut());
  EXPECT_NE(tls.limit_beneath.load(), shut_limit);
  EXPECT_EQ(tls.head_gate_beneath.load(), o.frames.bottom());
  EXPECT_TRUE(o.frames.undisturbed());
  (void)o.frames.ask_for_wake();
  EXPECT_EQ(tls.limit_beneath.load(), shut_limit);
  EXPECT_EQ(tls.head_gate_beneath.load(), o.frames.bottom());
  EXPECT_FALSE(o.frames.undisturbed());
  o.region.observed_by = nullptr;
  (void)o.frames.enter(&o.inner);
  EXPECT_TRUE(owner::push_shut());
  EXPECT_FALSE(owner::pop_shut());
}

// Catches an owner that is asked for what it does not have, and then hands over nothing at its next push.
TEST(gates, of_push_alone_is_shut_where_an_empty_deque_is_asked) {
  owner o;
  EXPECT_EQ(o.steal(false, {}), nullptr);
  EXPECT_TRUE(owner::push_shut());
  EXPECT_FALSE(owner::pop_shut());
  fork_in_test f;
  EXPECT_EQ(o.push_and_answer(f), &f);
  EXPECT_FALSE(owner::push_shut());
  EXPECT_FALSE(o.pop());
  EXPECT_TRUE(o.frames.empty());
}

// Catches a request that is lost because the one frame that there was has been popped.
TEST(gates, of_push_stays_shut_where_a_pop_has_nothing_to_hand_over) {
  owner o;
  fork_in_test f;
  owner::push(f);
  EXPECT_EQ(o.steal(false, {}), nullptr);
  EXPECT_TRUE(owner::pop_shut());
  EXPECT_TRUE(o.pop());
  EXPECT_TRUE(o.met);
  EXPECT_EQ(o.handed, nullptr);
  EXPECT_TRUE(owner::push_shut());
  EXPECT_FALSE(owner::pop_shut());
  fork_in_test next;
  EXPECT_EQ(o.push_and_answer(next), &next);
}

// Catches a pop that does not answer who asked, and one that hands over the frame that it pops.
TEST(gates, of_pop_is_answered_with_the_oldest_frame) {
  owner o;
  fork_in_test oldest;
  fork_in_test middle;
  fork_in_test newest;
  for (frame* f : {&oldest, &middle, &newest}) owner::push(*f);
  EXPECT_EQ(o.steal(false, {}), nullptr);
  EXPECT_TRUE(o.pop());
  EXPECT_EQ(o.handed, &oldest);
  EXPECT_EQ(oldest.stolen().region, &o.region);
  EXPECT_FALSE(owner::push_shut() || owner::pop_shut());
  EXPECT_TRUE(o.pop());
  EXPECT_FALSE(o.met);
  EXPECT_FALSE(o.pop());
}

// Catches a second thief that has another frame handed over before the first one has reached anybody.
TEST(gates, stay_open_while_what_was_handed_over_is_on_its_way) {
  owner o;
  fork_in_test frames[3];
  for (frame& f : frames) owner::push(f);
  EXPECT_EQ(o.steal(false, {}), nullptr);
  EXPECT_EQ(o.answer(), &frames[0]);
  EXPECT_EQ(o.steal(true, {}), nullptr);
  EXPECT_FALSE(owner::push_shut());
  o.frames.handed_on();
  EXPECT_EQ(o.steal(false, {}), nullptr);
  EXPECT_TRUE(owner::push_shut());
  EXPECT_EQ(o.answer(), &frames[1]);
}

// Catches a push that hands its frame over to nobody, as all who searched have been served.
TEST(gates, are_opened_when_who_searched_has_been_served) {
  owner o;
  o.frames.expect_thief();
  EXPECT_TRUE(owner::push_shut());
  o.frames.searchers_served();
  EXPECT_FALSE(owner::push_shut());
  fork_in_test f;
  EXPECT_FALSE(owner::push(f));
  // But not what a thief has asked for who saw the frame.
  EXPECT_EQ(o.steal(false, {}), nullptr);
  o.frames.searchers_served();
  EXPECT_EQ(o.answer(), &f);
}

// Catches a strand whose first fork nobody hears of, though somebody searches as it begins.
TEST(gates, of_a_strand_that_begins_while_somebody_searches_are_shut) {
  owner o;
  (void)o.frames.enter(&o.inner, true);
  EXPECT_TRUE(owner::push_shut());
  EXPECT_FALSE(owner::pop_shut());
  fork_in_test f;
  EXPECT_EQ(o.push_and_answer(f), &f);
}

// Catches sleepers that are told nothing of a strand of another region than the one before.
TEST(gates, are_shut_for_sleepers_where_the_strand_is_of_another_region) {
  owner o;
  (void)o.frames.enter(&o.inner, false, true);
  EXPECT_FALSE(owner::push_shut());
  region_state other;
  scope in_other{&other, o.frames.bottom(), nullptr};
  (void)o.frames.enter(&in_other, false, true);
  EXPECT_TRUE(owner::push_shut());
  EXPECT_TRUE(o.frames.open_push_gate(o.asleep, false, o.memory).wake);
  (void)o.frames.enter(&o.inner);
}

// Catches a gate that stays shut for a region that the strand has left.
TEST(gates, follow_the_region_that_the_strand_is_in) {
  owner o;
  region_state dropped;
  dropped.cancel_requested.store(true, std::memory_order_relaxed);
  scope in_dropped{&dropped, o.frames.bottom(), &o.inner};
  (void)o.frames.enter(&in_dropped);
  EXPECT_EQ(o.frames.sticky(), unsigned{cancelled});
  EXPECT_TRUE(owner::push_shut() && owner::pop_shut());
  (void)o.frames.enter(&o.inner);
  EXPECT_EQ(o.frames.sticky(), 0U);
  EXPECT_FALSE(owner::push_shut() || owner::pop_shut());
  (void)o.frames.enter(&in_dropped);
  o.frames.leave();
  EXPECT_FALSE(owner::push_shut() || owner::pop_shut());
}

// Catches a watchdog that takes the answer of an earlier question for that of the next one.
TEST(gates, count_each_sign_of_life_once) {
  owner o;
  const worker_frames::sign first = o.frames.ask_for_sign();
  EXPECT_EQ(o.frames.ask_for_sign(), first);
  (void)o.answer();
  EXPECT_EQ(o.frames.ask_for_sign().signs, first.signs + 1);
  (void)o.answer();
  (void)o.answer();
  EXPECT_EQ(o.frames.ask_for_sign().signs, first.signs + 2);
}

// Catches an order to leave that wakes a sleeper, and one that is forgotten at a push whose strand cannot be handed over.
TEST(gates, ask_a_strand_to_leave_until_its_push_has_room) {
  owner o({.slots = 1});
  fork_in_test frames[2];
  o.frames.ask_to_leave();
  EXPECT_TRUE(owner::push(frames[0]));
  EXPECT_FALSE(o.frames.open_push_gate(o.asleep, true, o.memory).wake);
  EXPECT_FALSE(owner::push_shut());
  o.frames.ask_to_leave();
  EXPECT_TRUE(owner::push(frames[1]));
  EXPECT_FALSE(o.frames.open_push_gate(o.asleep, true, o.memory).room);
  EXPECT_TRUE(owner::push_shut());
  EXPECT_TRUE(o.pop());
  EXPECT_TRUE(o.frames.open_push_gate(o.asleep, false, o.memory).room);
  EXPECT_FALSE(owner::push_shut());
  EXPECT_TRUE(o.pop());
}

// Catches thieves that take more than one frame a beat, or have owners disturbed for what they cannot have yet.
TEST(gates, stay_open_between_beats) {
  owner o({.beat_ns = an_hour_ns});
  fork_in_test frames[4];
  owner::push(frames[0]);
  owner::push(frames[1]);
  EXPECT_EQ(o.steal(false, {}), nullptr);
  EXPECT_EQ(o.answer(), &frames[0]);
  o.frames.handed_on();
  EXPECT_EQ(o.frames.promotions().count(), 1U);
  EXPECT_NE(o.frames.promotions().next_ns(), 0U);
  for (const bool insist : {false, true}) {
    EXPECT_EQ(o.steal(insist, {}), nullptr);
    EXPECT_FALSE(owner::push_shut() || owner::pop_shut());
  }
  o.frames.expect_thief();
  EXPECT_FALSE(owner::push_shut());
  (void)o.frames.enter(&o.inner, true);
  EXPECT_FALSE(owner::push_shut());
  EXPECT_EQ(o.push_and_answer(frames[2]), nullptr);
}

// Catches a schedule that keeps frames for a while, and whose end makes the next beat come early: so thieves would take more
// than one frame a beat.
TEST(gates, wait_for_the_beat_after_a_schedule_has_kept_the_frames) {
  owner o({.beat_ns = an_hour_ns});
  fork_in_test frames[2];
  owner::push(frames[0]);
  owner::push(frames[1]);
  EXPECT_EQ(o.steal(false, {}), nullptr);
  EXPECT_EQ(o.answer(), &frames[0]);
  o.frames.handed_on();
  promotions& beat = o.frames.promotions();
  const std::uint64_t next = beat.next_ns();
  beat.keep(1, next + an_hour_ns);
  EXPECT_EQ(beat.next_ns(), next + an_hour_ns);
  beat.keep_no_longer();
  EXPECT_EQ(beat.next_ns(), next);
  EXPECT_EQ(o.steal(true, {}), nullptr);
}

// Catches a request from before the strand came to a region with beats, that is answered out of time.
TEST(gates, drop_a_request_that_is_older_than_the_beat) {
  owner o;
  region_state slow;
  slow.beat_ns = an_hour_ns;
  scope in_slow{&slow, o.frames.bottom(), &o.inner};
  fork_in_test frames[3];
  (void)o.frames.enter(&in_slow);
  for (frame& f : frames) owner::push(f);
  EXPECT_EQ(o.steal(false, {}), nullptr);
  EXPECT_EQ(o.answer(), &frames[0]);
  o.frames.handed_on();
  // On demand again, and asked; and back between beats.
  (void)o.frames.enter(&o.inner);
  EXPECT_EQ(o.steal(false, {}), nullptr);
  EXPECT_TRUE(owner::push_shut());
  (void)o.frames.enter(&in_slow);
  EXPECT_EQ(o.answer(), nullptr);
  EXPECT_FALSE(owner::push_shut() || owner::pop_shut());
}

// Catches a strict region's frames that are handed over to whoever asks, or asked for.
TEST(gates, of_a_strict_region_are_shut_for_no_thief) {
  owner o;
  fork_in_test f;
  owner::push(f);
  EXPECT_EQ(o.steal(false, {}), nullptr);
  o.region.observed_by = &donating;
  (void)o.frames.enter(&o.inner);
  EXPECT_EQ(o.answer(), nullptr);
  EXPECT_TRUE(o.frames.undisturbed());
  for (const bool insist : {false, true}) EXPECT_EQ(o.steal(insist, {}), nullptr);
  o.frames.expect_thief();
  (void)o.frames.enter(&o.inner, true);
  EXPECT_TRUE(o.frames.undisturbed());
  o.region.observed_by = nullptr;
  (void)o.frames.enter(&o.inner);
  o.frames.handed_on();
  // Nobody has asked before, either.
  o.region.observed_by = &donating;
  (void)o.frames.enter(&o.inner);
  EXPECT_EQ(o.steal(true, {}), nullptr);
  EXPECT_TRUE(o.frames.undisturbed());
  o.region.observed_by = nullptr;
}

// Catches a thief that is told of no frame because its request came before the place had an owner.
TEST(gates, keep_a_request_while_the_place_changes_its_owner) {
  owner o;
  EXPECT_EQ(o.steal(false, {}), nullptr);
  o.frames.detach(false);
  EXPECT_EQ(o.steal(true, {}), nullptr);
  o.frames.attach(owner::tls());
  (void)o.frames.enter(&o.inner);
  EXPECT_TRUE(owner::push_shut());
  fork_in_test f;
  EXPECT_TRUE(owner::push(f));
  // It is on its way to who asked.
  EXPECT_EQ(o.steal(false, {}), nullptr);
  EXPECT_FALSE(owner::pop_shut());
  EXPECT_EQ(o.answer(true), &f);
}

// Catches a push beyond the last slot that is taken for one that has room.
TEST(gates, say_where_there_is_no_room) {
  owner o({.slots = 2});
  fork_in_test frames[3];
  EXPECT_FALSE(owner::push(frames[0]));
  EXPECT_FALSE(owner::push(frames[1]));
  EXPECT_TRUE(owner::push(frames[2]));
  EXPECT_FALSE(o.frames.open_push_gate(o.asleep, true, o.memory).room);
  EXPECT_TRUE(o.pop());
  EXPECT_TRUE(o.frames.open_push_gate(o.asleep, false, o.memory).room);
  EXPECT_TRUE(o.pop());
  EXPECT_TRUE(o.pop());
}

}  // namespace
}  // namespace sennit_test

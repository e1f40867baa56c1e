// SPDX-License-Identifier: Apache-2.0
// The machine's other memory: stores in an order of modification for each place, and what each thread knows of them. It is
// the C++20 model as an operation: docs/protocols/exploring.md says what it leaves out.
#include "machine.hpp"

#include <algorithm>

namespace explore {

// --- What is known.

unsigned machine::rank(unsigned which, std::uint32_t store) const noexcept {
  const place& p = places_[which];
  return store < p.before || p.stores.empty() ? 0 : p.stores[store - p.before].rank;
}

void machine::note_store(view_of_stores& into, unsigned which, std::uint32_t store) const {
  if (into.size() <= which) into.resize(places_.size());
  into[which] = store;
}

void machine::learn(view_of_stores& into, const view_of_stores& from) const {
  if (into.size() < from.size()) into.resize(from.size());
  for (unsigned i = 0; i < from.size(); ++i) {
    if (from[i] != into[i] && rank(i, from[i]) > rank(i, into[i])) into[i] = from[i];
  }
}

void machine::learn(view& into, const view& from) const {
  for (unsigned i = 0; i < most_threads; ++i) into.time[i] = std::max(into.time[i], from.time[i]);
  learn(into.stores, from.stores);
}

// The place, with what was there before, unless it is known.
machine::place& machine::kept(const operation& op) {
  const bool is_mutex = op.what == action::lock || op.what == action::try_lock || op.what == action::unlock;
  place& p = places_[place_of(op.at)];
  const std::uint64_t there = is_mutex ? (p.holder >= 0 ? 1 : 0) : load_at(op.at, op.size);
  // Code that is not instrumented may have written there.
  if (!p.stores.empty() && fit(p.stores[p.order.back()].value, op.size) == there) return p;
  forget_stores(p);
  p.stores.assign(1, {.value = there, .published = {}, .when = {}, .writes = p.writes});
  p.order.assign(1, 0);
  return p;
}

void machine::forget_stores(place& p) const noexcept {
  p.before += static_cast<std::uint32_t>(p.stores.size());
  p.stores.clear();
  p.order.clear();
  p.loads.clear();
  p.writers = 0;
}

std::vector<unsigned> machine::choices(unsigned actor, const past_steps& past,
                                       const std::vector<step>& taken) {
  std::vector<unsigned> possible{0};
  if (!is_weak() || actor >= count_) return possible;
  const operation& op = threads_[actor].pending;
  const bool reads = op.what == action::load || op.what == action::try_lock;
  if (!reads && op.what != action::store && op.what != action::modify) return possible;
  const place& p = kept(op);
  const unsigned which = place_of(op.at);
  const unsigned oldest = rank(which, known(threads_[actor].seen.stores, which));
  const unsigned newest = static_cast<unsigned>(p.order.size()) - 1;
  // Whoever reads a store comes after what came before that.
  const auto comes_before = [&](const kept_store& newer, const kept_store& read) {
    return past[newer.actor] > newer.step || (op.what != action::store && read.actor != most_actors &&
                                              taken[read.step].after[newer.actor] > newer.step);
  };
  for (unsigned passed = 1; passed <= newest; ++passed) {
    const kept_store& s = p.stores[p.order[newest - passed]];
    const bool fails = op.what == action::modify && op.how == change_by::compare &&
                       fit(s.value, op.size) != fit(op.expected, op.size);
    const int order = fails ? op.order_of_failure : op.order;
    if (s.rank < oldest) break;
    if (op.what == action::try_lock ? s.value == 0 : !reads && !fails && s.followed) continue;
    const bool can_be_later = std::any_of(p.order.end() - passed, p.order.end(),
                                          [&](unsigned newer) { return !comes_before(p.stores[newer], s); });
    if (can_be_later) continue;
    const bool learns = op.what != action::store && acquires(order);
    const moment then = now(actor, learns ? &s.published : nullptr, order == __ATOMIC_SEQ_CST);
    const bool stores = !reads && !fails;
    if (fits_order(then, which, stores, s.rank + (stores ? 1 : 0))) possible.push_back(passed);
  }
  return possible;
}

// --- Steps.

step machine::next_weak(unsigned actor) const {
  step s;
  s.actor = actor;
  if (actor >= count_) return s;
  const thread& t = threads_[actor];
  s.op = t.pending;
  const operation& op = s.op;
  const auto touches = [&s](unsigned which, touch how) { s.accesses[s.accessed++] = {which, how}; };
  switch (op.what) {
    case action::load: {
      const unsigned which = place_of(op.at);
      touches(which, touch::read);
      // A fence in between would change nothing where nobody else has stored.
      if ((places_[which].writers & ~(1U << actor)) != 0) touches(actor, touch::read);
      break;
    }
    case action::store:
    case action::modify:
      touches(place_of(op.at), touch::write);
      touches(actor, touch::read);
      break;
    case action::fence: touches(actor, touch::read); break;
    case action::barrier:
      touches(static_cast<unsigned>(op.operand), touch::write);
      touches(actor, touch::read);
      break;
    case action::change:
      s.watched = t.watched;
      for (const auto& w : t.watched) touches(w.first, touch::read);
      break;
    case action::woken: touches(place_of(op.at), touch::read); break;
    default: touches(place_of(op.at), touch::write); touches(actor, touch::read);
  }
  return s;
}

// Behind the store of the rank below.
machine::kept_store& machine::add_store(const moment& when, unsigned which, unsigned rank,
                                        std::uint64_t value) {
  note_order(when, which, true, rank);
  place& p = places_[which];
  const auto index = static_cast<unsigned>(p.stores.size());
  p.stores.push_back({.value = value,
                      .published = {},
                      .actor = when.actor,
                      .when = when,
                      .step = at_,
                      .writes = p.writes + 1});
  p.order.insert(p.order.begin() + rank, index);
  for (unsigned r = rank; r < p.order.size(); ++r) p.stores[p.order[r]].rank = r;
  p.writers |= 1U << when.actor;
  note_store(threads_[when.actor].seen.stores, which, p.before + index);
  return p.stores.back();
}

void machine::publish(unsigned actor, kept_store& made, int order) {
  const thread& t = threads_[actor];
  learn(made.published, releases(order) ? t.seen : t.released);
}

void machine::perform_weak(unsigned actor, step& taken) {
  thread& t = threads_[actor];
  operation& op = taken.op;
  const auto acquire = [&](const view& published, int order) {
    learn(acquires(order) ? t.seen : t.to_acquire, published);
  };
  const auto read = [&](unsigned which, unsigned index, int order) {
    place& p = places_[which];
    const kept_store& s = p.stores[index];
    const moment when = now(actor, acquires(order) ? &s.published : nullptr, order == __ATOMIC_SEQ_CST);
    note_order(when, which, false, s.rank);
    p.loads.push_back({index, when});
    note_store(t.seen.stores, which, p.before + index);
  };
  switch (op.what) {
    case action::load: {
      note_access(op.at, op.size, false, true, op.caller);
      place& p = kept(op);
      const unsigned which = place_of(op.at);
      const unsigned index = p.order[p.order.size() - 1 - taken.passed];
      const kept_store& s = p.stores[index];
      op.result = s.value;
      read(which, index, op.order);
      acquire(s.published, op.order);
      watch_place(t, which, taken.passed == 0 ? p.writes : s.writes);
      break;
    }
    case action::store: {
      note_access(op.at, op.size, true, true, op.caller);
      op.result = op.operand;
      const unsigned behind = static_cast<unsigned>(kept(op).order.size()) - taken.passed;
      const moment when = now(actor, nullptr, op.order == __ATOMIC_SEQ_CST);
      publish(actor, add_store(when, place_of(op.at), behind, fit(op.operand, op.size)), op.order);
      if (taken.passed == 0) store_at(op.at, op.size, op.operand);
      break;
    }
    case action::modify: {
      place& p = kept(op);
      const unsigned which = place_of(op.at);
      const unsigned behind = static_cast<unsigned>(p.order.size()) - taken.passed;
      const unsigned index = p.order[behind - 1];
      op.result = p.stores[index].value;
      op.done = op.how != change_by::compare || op.result == fit(op.expected, op.size);
      note_access(op.at, op.size, op.done, true, op.caller);
      const view published = p.stores[index].published;
      const int order = op.done ? op.order : op.order_of_failure;
      if (!op.done) {
        taken.accesses[0].how = touch::read;
        read(which, index, order);
        acquire(published, order);
        break;
      }
      p.stores[index].followed = true;
      const std::uint64_t value = fit(changed(op, op.result), op.size);
      const moment when = now(actor, acquires(order) ? &published : nullptr, order == __ATOMIC_SEQ_CST);
      kept_store& made = add_store(when, which, behind, value);
      acquire(published, order);
      made.published = published;
      publish(actor, made, order);
      if (taken.passed == 0) store_at(op.at, op.size, value);
      break;
    }
    case action::fence:
      learn(t.seen, t.to_acquire);
      note_fence(actor);
      t.released = t.seen;
      t.fenced = t.seen;
      break;
    case action::lock:
    case action::try_lock: {
      place& p = kept(op);
      const unsigned which = place_of(op.at);
      const unsigned index = p.order[p.order.size() - 1 - taken.passed];
      op.done = p.stores[index].value == 0;
      if (!op.done) {
        taken.accesses[0].how = touch::read;
        read(which, index, __ATOMIC_RELAXED);
        watch_place(t, which, taken.passed == 0 ? p.writes : p.stores[index].writes);
        break;
      }
      const view published = p.stores[index].published;
      p.holder = static_cast<int>(actor);
      p.stores[index].followed = true;
      const moment when = now(actor, acquires(op.order) ? &published : nullptr, false);
      (void)add_store(when, which, static_cast<unsigned>(p.order.size()), 1);
      acquire(published, op.order);
      break;
    }
    case action::unlock: {
      if (places_[place_of(op.at)].holder != static_cast<int>(actor)) fail("unlocks what it has not locked");
      place& p = kept(op);
      p.holder = -1;
      const auto behind = static_cast<unsigned>(p.order.size());
      publish(actor, add_store(now(actor, nullptr, false), place_of(op.at), behind, 0), op.order);
      break;
    }
    case action::barrier: {
      // A fence of the other thread now, which comes after what the caller did and before what it does. What the other
      // thread did since its latest step may as well come after the barrier. Nobody's fence comes after another one's, as
      // those of one barrier may come in any order.
      thread& other = threads_[op.operand];
      learn(other.seen, other.to_acquire);
      view fence = other.seen;
      fence.time[op.operand] = other.at_store.time[op.operand];
      learn(other.released, fence);
      learn(other.released, t.fenced);
      learn(other.seen, t.fenced);
      learn(t.seen, fence);
      break;
    }
    default: perform(actor, taken); return;
  }
  const bool told = std::any_of(taken.accesses.begin(), taken.accesses.begin() + taken.accessed,
                                [actor](const access& a) { return a.place == actor; });
  if (told) t.at_store.time[actor] = t.seen.time[actor];
  ++t.seen.time[actor];  // no two steps at the same time
}

}  // namespace explore

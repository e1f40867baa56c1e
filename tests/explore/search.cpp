// SPDX-License-Identifier: Apache-2.0
// The search: depth first, with sets of what is left to be tried at each step. A step is tried in another order only
// where that can make a difference: source sets and sleep sets (Abdulla, Aronis, Jonsson and Sagonas, Optimal dynamic
// partial order reduction, 2014). Store buffers are actors of their own (Zhang, Kusano and Wang, 2015).
#include "machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>

namespace explore {

namespace {

using actor_set = std::uint32_t;
constexpr actor_set bit(unsigned actor) { return actor_set{1} << actor; }

bool conflict(const access& a, const access& b) {
  if (a.place != b.place) return false;
  return !(a.how == touch::read && b.how == touch::read) && !(a.how == touch::count && b.how == touch::count);
}

bool conflict_at(const step& s, const access& a) {
  return std::any_of(s.accesses.begin(), s.accesses.begin() + s.accessed,
                     [&](const access& other) { return conflict(other, a); });
}

class search {
 public:
  search(const std::function<program()>& make, const options& limits) : make_(make), limits_(limits) {
    if (limits_.random_orders > 0) limits_.reduces = false;
  }

  findings run();
  std::string trace() const;

 private:
  // A state on the path that is being explored.
  struct state {
    actor_set enabled = 0;
    actor_set to_try = 0;
    actor_set tried = 0;
    actor_set asleep = 0;           // what begins with one of these has been explored elsewhere
    unsigned actor = 0;             // that is being tried
    std::vector<unsigned> choices;  // of the actor, once known: how many stores it passes over
    unsigned chosen = 0;
    unsigned passed_before = 0;  // so many steps before have passed over some

    unsigned passed() const { return choices.empty() ? 0 : choices[chosen]; }
  };

  bool execute();
  bool extend(actor_set asleep);
  bool next_path();
  void find_choices(state& now);
  void take_step(std::size_t at);
  void reverse(std::size_t earlier, std::size_t later);
  bool own_store(const step& a, const step& b) const;
  bool dependent(const step& a, const step& b) const;
  bool reversible(std::size_t earlier, const step& later) const;
  bool before(std::size_t earlier, const step& later) const {
    return later.after[steps_[earlier].actor] > earlier;
  }

  const std::function<program()>& make_;
  options limits_;
  std::minstd_rand random_;
  machine machine_;
  std::vector<state> path_;
  std::size_t replayed_ = 0;  // so many states of the path are known from before
  std::vector<step> steps_;
  std::vector<std::vector<std::uint32_t>> touched_;              // by which steps, for each place
  std::array<std::vector<std::uint32_t>, most_threads> pushed_;  // steps whose stores are in the buffer
  std::array<past_steps, most_actors> clocks_{};
  findings found_;
};

search* the_search = nullptr;

// A store's way into memory makes no difference to its own thread.
bool search::own_store(const step& a, const step& b) const {
  return (a.actor == b.actor + machine_.threads() && a.op.what == action::drain &&
          b.op.what == action::load) ||
         (b.actor == a.actor + machine_.threads() && b.op.what == action::drain && a.op.what == action::load);
}

bool search::dependent(const step& a, const step& b) const {
  if (own_store(a, b)) return false;
  for (unsigned i = 0; i < a.accessed; ++i) {
    for (unsigned j = 0; j < b.accessed; ++j) {
      if (conflict(a.accesses[i], b.accesses[j])) return true;
    }
  }
  return false;
}

// Whether the later step could have been taken before the earlier one.
bool search::reversible(std::size_t earlier, const step& later) const {
  const step& e = steps_[earlier];
  switch (later.op.what) {
    case action::lock:
      return e.op.what == action::barrier ||
             ((e.op.what == action::lock || e.op.what == action::try_lock) && e.op.done);
    case action::woken: return false;
    case action::change:
      for (const auto& [place, writes] : later.watched) {
        unsigned seen = 0;
        for (const std::uint32_t by : touched_[place]) {
          if (by >= earlier) break;
          for (unsigned i = 0; i < steps_[by].accessed; ++i) {
            const access& a = steps_[by].accesses[i];
            if (a.place == place && a.how == touch::write) ++seen;
          }
        }
        if (seen > writes) return true;
      }
      return false;
    default: break;
  }
  // Where a buffer is to be empty, before a store was put there; not between that and its way out.
  for (unsigned i = 0; i < later.accessed; ++i) {
    if (later.accesses[i].place >= machine_.threads() || later.accesses[i].how != touch::read) continue;
    for (unsigned j = 0; j < e.accessed; ++j) {
      if (conflict(later.accesses[i], e.accesses[j]) && e.op.what == action::drain) return false;
    }
  }
  return true;
}

// The step has been taken: what comes before it, and which of that might have come after it.
void search::take_step(std::size_t at) {
  step& s = steps_[at];
  const unsigned threads = machine_.threads();
  past_steps known = clocks_[s.actor];
  const auto join = [](auto& into, const auto& from) {
    for (unsigned i = 0; i < most_actors; ++i) into[i] = std::max(into[i], from[i]);
  };
  if (s.actor >= threads) {
    std::vector<std::uint32_t>& pushed = pushed_[s.actor - threads];
    join(known, steps_[pushed.front()].after);
    pushed.erase(pushed.begin());
  } else {
    for (unsigned i = 0; i < s.accessed; ++i) {
      if (s.accesses[i].how == touch::count) pushed_[s.actor].push_back(static_cast<std::uint32_t>(at));
    }
  }
  // Nothing else could go on.
  if (s.op.what == action::change && !s.op.done) {
    for (const auto& clock : clocks_) join(known, clock);
  }
  // All steps with the same places, latest first.
  std::vector<std::uint32_t> others;
  if (touched_.size() < machine_.places()) touched_.resize(machine_.places());
  for (unsigned i = 0; i < s.accessed; ++i) {
    const std::vector<std::uint32_t>& by = touched_[s.accesses[i].place];
    others.insert(others.end(), by.begin(), by.end());
  }
  std::sort(others.begin(), others.end(), std::greater<>());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  auto all = known;
  s.after = known;
  for (const std::uint32_t other : others) {
    const step& o = steps_[other];
    if (o.actor == s.actor || !dependent(o, s)) continue;
    join(all, o.after);
    if (s.after[o.actor] > other) continue;
    if (!reversible(other, s)) continue;
    if (limits_.reduces && at + 1 >= replayed_) {
      const auto kept = std::exchange(s.after, all);
      reverse(other, at);
      s.after = kept;
    }
    join(s.after, o.after);
  }
  s.after = all;
  s.after[s.actor] = static_cast<std::uint16_t>(at + 1);
  clocks_[s.actor] = s.after;
  for (unsigned i = 0; i < s.accessed; ++i)
    touched_[s.accesses[i].place].push_back(static_cast<std::uint32_t>(at));
}

// Sees to it that an order is tried in which the later step comes before the earlier one.
void search::reverse(std::size_t earlier, std::size_t later) {
  state& from = path_[earlier];
  // What is to be executed from there: all that does not depend on the earlier step. Who could begin with that?
  actor_set first = 0;
  actor_set seen = 0;
  std::vector<std::size_t> kept;
  const auto consider = [&](std::size_t at, const past_steps& after) {
    const unsigned actor = steps_[at].actor;
    if ((seen & bit(actor)) == 0) {
      seen |= bit(actor);
      const bool depends =
          std::any_of(kept.begin(), kept.end(), [&](std::size_t k) { return after[steps_[k].actor] > k; });
      if (!depends) first |= bit(actor);
    }
    kept.push_back(at);
  };
  for (std::size_t at = earlier + 1; at < later; ++at) {
    if (!before(earlier, steps_[at])) consider(at, steps_[at].after);
  }
  consider(later, steps_[later].after);
  if ((first & (from.to_try | from.asleep)) != 0) return;
  const actor_set possible = first & from.enabled;
  if (possible == 0) {
    from.to_try |= from.enabled;
  } else if ((possible & bit(steps_[later].actor)) != 0) {
    from.to_try |= bit(steps_[later].actor);
  } else {
    from.to_try |= bit(static_cast<unsigned>(std::countr_zero(possible)));
  }
}

// False: nothing can be done, or nothing new.
bool search::extend(actor_set asleep) {
  state s;
  for (unsigned actor = 0; actor < 2 * machine_.threads(); ++actor) {
    if (machine_.enabled(actor)) s.enabled |= bit(actor);
  }
  for (unsigned actor = 0; s.enabled == 0 && actor < machine_.threads(); ++actor) {
    if (machine_.gives_up(actor)) s.enabled |= bit(actor);
  }
  if (s.enabled == 0) {
    machine_.fail(machine_.why_stuck());
    return false;
  }
  s.asleep = limits_.reduces ? asleep : 0;
  const actor_set candidates = s.enabled & ~s.asleep;
  if (candidates == 0) return false;
  s.actor = static_cast<unsigned>(std::countr_zero(candidates));
  if (!path_.empty() && (candidates & bit(path_.back().actor)) != 0) s.actor = path_.back().actor;
  // Few of a random order's steps are by another actor than the one before.
  if (limits_.random_orders > 0 &&
      (s.actor != (path_.empty() ? s.actor : path_.back().actor) || random_() % 8 == 0)) {
    auto nth = static_cast<unsigned>(random_() % static_cast<unsigned>(std::popcount(candidates)));
    for (s.actor = 0; (candidates & bit(s.actor)) == 0 || nth-- > 0;) ++s.actor;
  }
  s.to_try = limits_.reduces ? bit(s.actor) : s.enabled;
  if (!path_.empty()) s.passed_before = path_.back().passed_before + (path_.back().passed() > 0 ? 1 : 0);
  path_.push_back(s);
  return true;
}

// False: a fault.
bool search::execute() {
  steps_.clear();
  for (auto& by : touched_) by.clear();
  for (auto& stores : pushed_) stores.clear();
  clocks_ = {};
  program run = make_();
  const std::function<void()> at_end = run.at_end;
  machine_.begin(std::move(run), limits_);
  actor_set asleep = 0;
  for (std::size_t at = 0;; ++at) {
    if (!machine_.fault().empty()) return false;
    if (machine_.finished()) break;
    if (at == limits_.most_steps) {
      machine_.fail("no end after " + std::to_string(at) + " steps");
      return false;
    }
    if (at == path_.size() && !extend(asleep)) {
      if (!machine_.fault().empty()) return false;
      ++found_.cut_short;
      return true;
    }
    find_choices(path_[at]);
    const state& now = path_[at];
    if (!machine_.enabled(now.actor) && !machine_.gives_up(now.actor)) {
      machine_.fail("the program is not the same each time: something is remembered");
      return false;
    }
    steps_.emplace_back();
    std::vector<step> sleepers;
    if (at + 1 == path_.size()) {
      for (unsigned actor = 0; actor < 2 * machine_.threads(); ++actor) {
        if (((now.asleep | now.tried) & bit(actor)) != 0) sleepers.push_back(machine_.next(actor));
      }
    }
    machine_.run(now.actor, now.passed(), static_cast<std::uint32_t>(at), steps_.back());
    ++found_.steps;
    take_step(at);
    asleep = 0;
    for (const step& s : sleepers) {
      if (s.actor != now.actor && !dependent(s, steps_.back())) asleep |= bit(s.actor);
    }
  }
  machine_.come_to_end();
  try {
    at_end();
  } catch (const fault_at_end&) {
    return false;
  }
  ++found_.executions;
  return machine_.fault().empty();
}

// What the actor may do there.
void search::find_choices(state& now) {
  if (!now.choices.empty()) return;
  if (now.passed_before >= limits_.most_passed) {
    now.choices.assign(1, 0);
    return;
  }
  past_steps past{};
  if (limits_.reduces) {
    // What the step depends on beside the place itself.
    past = clocks_[now.actor];
    const step s = machine_.next(now.actor);
    touched_.resize(std::max<std::size_t>(touched_.size(), machine_.places()));
    for (unsigned i = 1; i < s.accessed; ++i) {
      for (const std::uint32_t by : touched_[s.accesses[i].place]) {
        if (!conflict_at(steps_[by], s.accesses[i])) continue;
        for (unsigned a = 0; a < most_actors; ++a) past[a] = std::max(past[a], steps_[by].after[a]);
      }
    }
  } else {
    past.fill(~std::uint16_t{0});
  }
  now.choices = machine_.choices(now.actor, past, steps_);
  if (limits_.random_orders > 0 && random_() % 4 == 0)
    now.chosen = static_cast<unsigned>(random_() % now.choices.size());
}

bool search::next_path() {
  while (!path_.empty()) {
    state& last = path_.back();
    if (last.chosen + 1 < last.choices.size()) {
      ++last.chosen;
      replayed_ = path_.size();
      return true;
    }
    last.choices.clear();
    last.chosen = 0;
    last.tried |= bit(last.actor);
    if (const actor_set left = last.to_try & ~last.tried & ~last.asleep; left != 0) {
      last.actor = static_cast<unsigned>(std::countr_zero(left));
      replayed_ = path_.size();
      return true;
    }
    path_.pop_back();
  }
  return false;
}

std::string search::trace() const {
  std::string text = machine_.fault_in_full() + "\n  steps:\n";
  std::string schedule;
  for (const step& s : steps_) {
    text += "    " + machine_.describe(s) + "\n";
    schedule += static_cast<char>('a' + s.actor);
    if (s.passed > 0) schedule += std::to_string(s.passed);
  }
  return text + "  to see it again: SENNIT_EXPLORE_SCHEDULE=" + schedule + "\n";
}

findings search::run() {
  if (const char* const schedule = std::getenv("SENNIT_EXPLORE_SCHEDULE")) {
    for (const char* c = schedule; *c != 0;) {
      state s;
      s.actor = static_cast<unsigned>(*c++ - 'a');
      s.to_try = s.tried = bit(s.actor);
      char* end = nullptr;
      s.choices.assign(1, static_cast<unsigned>(std::strtoul(c, &end, 10)));
      c = end;
      path_.push_back(s);
    }
    (void)execute();
    found_.fault = trace();
    machine_.end();
    return found_;
  }
  for (std::uint64_t i = 0; i < limits_.random_orders; ++i) {
    const bool good = execute();
    if (!good) found_.fault = trace();
    machine_.end();
    if (!good) break;
    path_.clear();
  }
  if (limits_.random_orders > 0) return found_;
  do {
    const bool good = execute();
    if (!good) found_.fault = trace();
    machine_.end();
    if (!good) return found_;
    if (found_.executions + found_.cut_short >= limits_.most_executions) return found_;
  } while (next_path());
  found_.complete = true;
  return found_;
}

void crashed(int signal) {
  if (the_search != nullptr) {
    machine::any()->fail("signal " + std::to_string(signal));
    std::fprintf(stderr, "%s", the_search->trace().c_str());
  }
  _exit(1);
}

const char* setting(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

memory usual_memory() {
  return std::string(setting("SENNIT_EXPLORE_MEMORY")) == "weak" ? memory::weak : memory::total_store_order;
}

std::uint64_t usual_most_executions() {
  const std::uint64_t most = std::strtoul(setting("SENNIT_EXPLORE_MOST"), nullptr, 10);
  return most != 0 ? most : 200'000;
}
std::uint64_t usual_random_orders() { return std::strtoul(setting("SENNIT_EXPLORE_RANDOM"), nullptr, 10); }
bool is_cut_off() { return *setting("SENNIT_EXPLORE_MOST") != 0 || usual_random_orders() != 0; }

unsigned usual_spurious_failures() {
  return static_cast<unsigned>(std::strtoul(setting("SENNIT_EXPLORE_SPURIOUS"), nullptr, 10));
}

unsigned usual_most_passed() {
  const unsigned long most = std::strtoul(setting("SENNIT_EXPLORE_PASSED"), nullptr, 10);
  return most != 0 ? static_cast<unsigned>(most) : 2;
}

findings explore(const std::function<program()>& make, const options& limits) {
  static std::array<std::byte, 65536> stack;
  const stack_t alternative{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_handler = &crashed;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) sigaction(signal, &action, nullptr);
  search s(make, limits);
  the_search = &s;
  const findings found = s.run();
  the_search = nullptr;
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) std::signal(signal, SIG_DFL);
  return found;
}

}  // namespace explore

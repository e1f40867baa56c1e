// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include "order_sites.hpp"

#include <boost/context/detail/fcontext.hpp>
#include <dlfcn.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace explore {

namespace context = boost::context::detail;

namespace {

constexpr std::size_t stack_bytes = 256 * 1024;
constexpr std::size_t remembered = std::size_t{1} << 14;  // of memory, in units of eight bytes
machine* the_machine = nullptr;

void join(view& into, const view& from) {
  for (unsigned i = 0; i < most_threads; ++i) into.time[i] = std::max(into.time[i], from.time[i]);
}

const char* word_of_order(int order) {
  static constexpr const char* words[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
  return words[order % 6];
}

}  // namespace

const char* word(action what) {
  static constexpr const char* words[] = {"load",     "store",  "modify",  "fence",   "lock",
                                          "try_lock", "unlock", "barrier", "goes on", "sleep",
                                          "woken",    "wake",   "drain"};
  return words[static_cast<unsigned>(what)];
}

std::uint64_t changed(const operation& op, std::uint64_t old) {
  switch (op.how) {
    case change_by::exchange: return op.operand;
    case change_by::add: return old + op.operand;
    case change_by::subtract: return old - op.operand;
    case change_by::conjunction: return old & op.operand;
    case change_by::disjunction: return old | op.operand;
    case change_by::difference: return old ^ op.operand;
    case change_by::compare: return op.operand;
  }
  std::abort();
}

struct fiber_entry {
  static void start(context::transfer_t from) {
    machine& m = *static_cast<machine*>(from.data);
    m.explorer_ = from.fctx;
    machine::thread& self = m.threads_[m.running_];
    self.body();
    self.done = true;
    m.stop();
  }
};

machine::machine() : memory_(remembered) {
  for (unsigned i = 0; i < most_threads; ++i) {
    stacks_.push_back(std::make_unique_for_overwrite<std::byte[]>(stack_bytes));
  }
  the_machine = this;
}
machine::~machine() { the_machine = nullptr; }

machine* machine::any() noexcept { return the_machine; }
machine* machine::current() noexcept {
  return the_machine != nullptr && the_machine->inside_ ? the_machine : nullptr;
}

void machine::begin(program&& run, const options& limits) {
  limits_ = limits;
  count_ = static_cast<unsigned>(run.threads.size());
  if (count_ > most_threads) std::abort();
  ++execution_;
  running_ = 0;
  fault_.clear();
  places_.assign(count_ + 1, {});
  place_at_.clear();
  fenced_.clear();
  sequential_.clear();
  for (unsigned i = 0; i < count_; ++i) {
    thread& t = threads_[i];
    t = {};
    t.name = std::move(run.threads[i].first);
    t.body = std::move(run.threads[i].second);
    t.now_ns = 1'000'000'000;
    t.seen.time[i] = 1;
    t.context = context::make_fcontext(stacks_[i].get() + stack_bytes, stack_bytes, &fiber_entry::start);
  }
  // Up to each one's first step.
  for (unsigned i = 0; i < count_ && fault_.empty(); ++i) enter(i);
}

void machine::end() {
  for (thread& t : threads_) t.body = nullptr;
  for (void* const memory : given_back_) std::free(memory);
  given_back_.clear();
  names_.clear();
}

void machine::enter(unsigned which) {
  running_ = which;
  inside_ = true;
  const context::transfer_t back = context::jump_fcontext(threads_[which].context, this);
  inside_ = false;
  threads_[which].context = back.fctx;
}

void machine::stop() {
  context::jump_fcontext(explorer_, nullptr);
  std::abort();
}

void machine::weaken(operation& op) noexcept {
  const own_business here(*this);
  explore::weaken(op);
}

void machine::operate(operation& op) {
  thread& self = threads_[running_];
  self.pending = op;
  explorer_ = context::jump_fcontext(explorer_, nullptr).fctx;
  op = self.pending;
}

void machine::fail(std::string_view what, std::string_view more) {
  const own_business here(*this);
  if (fault_.empty()) fault_.append(what).append(more);
}

bool machine::gives_up(unsigned actor) const noexcept {
  return actor < count_ && !threads_[actor].done && threads_[actor].pending.what == action::change &&
         threads_[actor].pending.operand != 0;
}

bool machine::finished() const noexcept {
  return std::all_of(threads_.begin(), threads_.begin() + count_,
                     [](const thread& t) { return t.done && t.buffer.empty(); });
}

unsigned machine::place_of(const void* at) const {
  const auto [found, added] = place_at_.try_emplace(at, static_cast<unsigned>(places_.size()));
  if (added) places_.emplace_back().at = at;
  return found->second;
}

const machine::stored* machine::latest_own(const thread& t, const void* at) const noexcept {
  const auto found =
      std::find_if(t.buffer.rbegin(), t.buffer.rend(), [at](const stored& s) { return s.at == at; });
  return found == t.buffer.rend() ? nullptr : &*found;
}

bool machine::enabled(unsigned actor) const noexcept {
  if (actor >= count_) return !threads_[actor - count_].buffer.empty();
  const thread& t = threads_[actor];
  if (t.done) return false;
  const operation& op = t.pending;
  switch (op.what) {
    case action::load: return true;
    case action::store: return op.order != __ATOMIC_SEQ_CST || t.buffer.empty();
    case action::unlock: return limits_.plain_unlock || t.buffer.empty();
    case action::lock: return t.buffer.empty() && places_[place_of(op.at)].holder < 0;
    case action::barrier: return threads_[op.operand].buffer.empty();
    case action::change:
      return std::any_of(t.watched.begin(), t.watched.end(),
                         [this](const auto& w) { return places_[w.first].writes > w.second; });
    case action::woken: return !t.asleep;
    default: return t.buffer.empty();
  }
}

step machine::next(unsigned actor) const noexcept {
  if (is_weak()) return next_weak(actor);
  step s;
  s.actor = actor;
  const auto touches = [&s](unsigned place, touch how) { s.accesses[s.accessed++] = {place, how}; };
  if (actor >= count_) {
    const stored& oldest = threads_[actor - count_].buffer.front();
    touches(oldest.place, touch::write);
    touches(actor - count_, touch::count);
    s.op.what = action::drain;
    return s;
  }
  const thread& t = threads_[actor];
  s.op = t.pending;
  switch (s.op.what) {
    // Even where the store is in the thread's own buffer: it may leave that, and another one come after it.
    case action::load: touches(place_of(s.op.at), touch::read); break;
    case action::store:
      if (s.op.order != __ATOMIC_SEQ_CST) {
        touches(actor, touch::count);
        break;
      }
      touches(actor, touch::read);
      touches(place_of(s.op.at), touch::write);
      break;
    case action::unlock:
      if (limits_.plain_unlock) {
        touches(actor, touch::count);
        break;
      }
      touches(actor, touch::read);
      touches(place_of(s.op.at), touch::write);
      break;
    case action::fence: touches(actor, touch::read); break;
    case action::barrier: touches(static_cast<unsigned>(s.op.operand), touch::read); break;
    case action::change:
      s.watched = t.watched;
      for (const auto& w : t.watched) touches(w.first, touch::read);
      break;
    case action::woken: touches(place_of(s.op.at), touch::read); break;
    default: touches(actor, touch::read); touches(place_of(s.op.at), touch::write);
  }
  return s;
}

void machine::run(unsigned actor, unsigned passed, std::uint32_t at, step& taken) {
  if (actor < count_) running_ = actor;
  at_ = at;
  taken = next(actor);
  taken.passed = passed;
  is_weak() ? perform_weak(actor, taken) : perform(actor, taken);
  for (unsigned i = 0; i < taken.accessed; ++i) {
    if (taken.accesses[i].how == touch::write) ++places_[taken.accesses[i].place].writes;
  }
  if (actor < count_) {
    // What it has read before it changed something does not make it wait.
    if (taken.op.what == action::store || (taken.op.what == action::modify && taken.op.done)) {
      threads_[actor].watched.clear();
    }
    threads_[actor].pending = taken.op;
    enter(actor);
  }
}

void machine::watch_place(thread& t, unsigned place, unsigned writes) {
  for (auto& w : t.watched) {
    if (w.first == place) {
      w.second = writes;
      return;
    }
  }
  if (t.watched.size() == 12) t.watched.erase(t.watched.begin());
  t.watched.emplace_back(place, writes);
}

void machine::perform(unsigned actor, step& taken) {
  if (actor >= count_) {
    thread& t = threads_[actor - count_];
    const stored oldest = t.buffer.front();
    t.buffer.erase(t.buffer.begin());
    place& p = places_[oldest.place];
    if (oldest.unlocks) {
      p.holder = -1;
    } else if (!oldest.lost) {
      store_at(oldest.at, oldest.size, oldest.value);
    }
    p.published = oldest.published;
    taken.op.at = oldest.at;
    taken.op.result = oldest.value;
    taken.op.caller = oldest.caller;
    return;
  }
  thread& t = threads_[actor];
  operation& op = taken.op;
  const auto tick = [&] { ++t.seen.time[actor]; };
  const auto acquire = [&](const view& published, int order) {
    join(acquires(order) ? t.seen : t.to_acquire, published);
  };
  switch (op.what) {
    case action::load:
      note_access(op.at, op.size, false, true, op.caller);
      if (const stored* const own = latest_own(t, op.at)) {
        op.result = own->value;
        watch_place(t, own->place, places_[own->place].writes);
      } else {
        op.result = load_at(op.at, op.size);
        acquire(places_[place_of(op.at)].published, op.order);
        watch_place(t, place_of(op.at), places_[place_of(op.at)].writes);
      }
      break;
    case action::store: {
      note_access(op.at, op.size, true, true, op.caller);
      op.result = op.operand;
      const view published = releases(op.order) ? t.seen : t.released;
      if (op.order == __ATOMIC_SEQ_CST) {
        store_at(op.at, op.size, op.operand);
        places_[place_of(op.at)].published = published;
      } else {
        t.buffer.push_back({op.at, place_of(op.at), op.operand, published, false, false, op.size, op.caller});
      }
      t.at_store = t.seen;
      tick();
      break;
    }
    case action::modify: {
      place& p = places_[place_of(op.at)];
      op.result = load_at(op.at, op.size);
      op.done = op.how != change_by::compare || op.result == fit(op.expected, op.size);
      note_access(op.at, op.size, op.done, true, op.caller);
      acquire(p.published, op.done ? op.order : op.order_of_failure);
      if (op.done) {
        store_at(op.at, op.size, changed(op, op.result));
        join(p.published, releases(op.order) ? t.seen : t.released);
        tick();
      } else {
        taken.accesses[1].how = touch::read;
      }
      break;
    }
    case action::fence:
      join(t.seen, t.to_acquire);
      t.released = t.seen;
      tick();
      break;
    case action::try_lock:
    case action::lock: {
      place& p = places_[place_of(op.at)];
      op.done = p.holder < 0;
      if (op.done) {
        p.holder = static_cast<int>(actor);
        join(t.seen, p.published);
      } else {
        taken.accesses[1].how = touch::read;
        watch_place(t, place_of(op.at), places_[place_of(op.at)].writes);
      }
      break;
    }
    case action::unlock:
      if (places_[place_of(op.at)].holder != static_cast<int>(actor)) fail("unlocks what it has not locked");
      if (limits_.plain_unlock) {
        t.buffer.push_back({op.at, place_of(op.at), 0, t.seen, true, false, 0, op.caller});
        t.at_store = t.seen;
      } else {
        places_[place_of(op.at)].holder = -1;
        places_[place_of(op.at)].published = t.seen;
      }
      tick();
      break;
    case action::barrier:
      // What the other thread did before its latest store. What it did since may as well come after the barrier: the
      // search takes the orders of both for one.
      join(t.seen, threads_[op.operand].at_store);
      tick();
      break;
    case action::change:
      op.done = std::any_of(t.watched.begin(), t.watched.end(),
                            [this](const auto& w) { return places_[w.first].writes > w.second; });
      t.watched.clear();
      break;
    case action::sleep:
      op.done = load_at(op.at, op.size) == fit(op.expected, op.size);
      t.asleep = op.done;
      break;
    case action::wake:
      for (unsigned i = 0; i < count_; ++i) {
        thread& other = threads_[i];
        if (!other.asleep || other.pending.at != op.at) continue;
        other.asleep = false;
        break;
      }
      break;
    case action::woken:
    case action::drain: break;
  }
}

void machine::order_accesses(int order) noexcept {
  const own_business here(*this);
  thread& t = threads_[running_];
  if (acquires(order)) learn(t.seen, t.to_acquire);
  if (!releases(order)) return;
  t.released = t.seen;
  ++t.seen.time[running_];
}

std::uint64_t machine::now_ns() noexcept { return threads_[running_].now_ns += limits_.look_ns; }

bool machine::sleep_is_interrupted() noexcept {
  return threads_[running_].interrupted++ < limits_.interrupted_sleeps;
}

machine::eight_bytes& machine::bytes_at(std::uintptr_t granule) noexcept {
  std::size_t slot = (granule * 0x9e3779b97f4a7c15) >> 50;
  for (;; slot = (slot + 1) % remembered) {
    eight_bytes& bytes = memory_[slot];
    if (bytes.execution != execution_) {
      bytes.execution = execution_;
      bytes.at = granule;
      bytes.has_place = false;
      bytes.trails.clear();
      return bytes;
    }
    if (bytes.at == granule) return bytes;
  }
}

void machine::note_access(const void* at, std::size_t size, bool writes, bool atomic, const void* caller) {
  const auto first = reinterpret_cast<std::uintptr_t>(at);
  const view_of_time& seen = threads_[running_].seen.time;
  for (std::uintptr_t byte = first; byte < first + size;) {
    const std::uintptr_t granule = byte / 8;
    const std::uintptr_t end = std::min(first + size, (granule + 1) * 8);
    const auto mask = static_cast<std::uint8_t>(((1U << (end - byte)) - 1) << (byte % 8));
    byte = end;
    eight_bytes& bytes = bytes_at(granule);
    bytes.has_place = bytes.has_place || atomic;
    std::vector<trail>& trails = bytes.trails;
    for (const trail& other : trails) {
      const bool conflicts =
          (other.bytes & mask) != 0 && (other.writes || writes) && !(other.atomic && atomic);
      if (!conflicts || other.time <= seen[other.thread]) continue;
      if (fault_.empty()) race_ = {at, caller, other.caller, running_, other.thread, writes, other.writes};
      fail("data race");
      return;
    }
    std::erase_if(trails, [&](const trail& t) {
      return t.thread == running_ && (t.bytes & ~mask) == 0 && t.writes <= writes && t.atomic >= atomic;
    });
    trails.push_back({caller, seen[running_], static_cast<std::uint8_t>(running_), mask, writes, atomic});
  }
}

void machine::access_plainly(const void* at, std::size_t size, bool writes, const void* caller) {
  thread& t = threads_[running_];
  // Memory that was an atomic before: its stores come first.
  const auto overlaps = [&](const stored& s) {
    return static_cast<const std::byte*>(s.at) < static_cast<const std::byte*>(at) + size &&
           static_cast<const std::byte*>(at) <
               static_cast<const std::byte*>(s.at) + std::max<unsigned>(s.size, 1);
  };
  if (std::any_of(t.buffer.begin(), t.buffer.end(), overlaps)) {
    operation op{.what = action::fence, .caller = caller};
    operate(op);
  }
  note_access(at, size, writes, false, caller);
  if (writes) forget_places(at, size);
  if (!fault_.empty()) stop();
}

// Memory that is written plainly is another variable, or begins anew.
void machine::forget_places(const void* at, std::size_t size) {
  const auto first = reinterpret_cast<std::uintptr_t>(at);
  for (std::uintptr_t granule = first / 8; granule * 8 < first + size; ++granule) {
    if (!bytes_at(granule).has_place) continue;
    for (std::uintptr_t byte = std::max(first, granule * 8); byte < std::min(first + size, granule * 8 + 8);
         ++byte) {
      const auto found = place_at_.find(reinterpret_cast<const void*>(byte));
      if (found == place_at_.end()) continue;
      place& p = places_[found->second];
      p.published = {};
      p.before += static_cast<std::uint32_t>(p.stores.size());
      p.stores.clear();
      p.order.clear();
      p.writers = 0;
    }
  }
}

void machine::leave_function(const void* frame) noexcept {
  const std::byte* const bottom = stacks_[running_].get();
  for (stored& s : threads_[running_].buffer) {
    if (!s.unlocks && s.at >= bottom && s.at < frame) s.lost = true;
  }
}

void machine::give_back(void* memory, const void* caller) {
  access_plainly(memory, malloc_usable_size(memory), true, caller);
  const own_business here(*this);
  given_back_.push_back(memory);
}

void machine::call(const void* object, std::string name) {
  const own_business here(*this);
  names_[object] = std::move(name);
}

std::string machine::fault_in_full() const {
  if (fault_ != "data race") return fault_;
  return "data race at " + name_of(race_.at) + ":\n    " + threads_[race_.thread].name +
         (race_.writes ? " writes in " : " reads in ") + source_of(race_.caller) + "\n    " +
         threads_[race_.other_thread].name + (race_.other_wrote ? " wrote in " : " read in ") +
         source_of(race_.other);
}

std::string machine::name_of(const void* at) const {
  if (const auto found = names_.find(at); found != names_.end()) return found->second;
  // Within a named object, the nearest before it.
  const void* nearest = nullptr;
  for (const auto& [object, called] : names_) {
    if (object <= at && object > nearest &&
        static_cast<const std::byte*>(at) - static_cast<const std::byte*>(object) < 1024)
      nearest = object;
  }
  std::ostringstream text;
  if (nearest != nullptr) {
    text << names_.at(nearest) << "+"
         << static_cast<const std::byte*>(at) - static_cast<const std::byte*>(nearest);
  } else {
    text << at;
  }
  return text.str();
}

std::string machine::describe(const step& s) const {
  std::ostringstream text;
  const bool drains = s.actor >= count_;
  const operation& op = s.op;
  text << threads_[drains ? s.actor - count_ : s.actor].name << (drains ? "'s buffer" : "") << ": "
       << word(op.what);
  if (op.at != nullptr) text << " " << name_of(op.at);
  if (op.what == action::load || op.what == action::store || op.what == action::modify)
    text << " " << word_of_order(op.order);
  if (op.what == action::load || op.what == action::store || op.what == action::drain ||
      op.what == action::modify) {
    text << " " << (op.what == action::modify ? "from " : "")
         << name_of(reinterpret_cast<const void*>(op.result));
    if (op.what == action::modify && op.done)
      text << " to " << name_of(reinterpret_cast<const void*>(changed(op, op.result)));
  }
  if (!op.done) text << " (fails)";
  if (s.passed > 0) text << " (passes over " << s.passed << " newer)";
  if (op.caller != nullptr) text << "   " << source_of(op.caller);
  return text.str();
}

std::string machine::why_stuck() const {
  std::string text = "deadlock:";
  for (unsigned i = 0; i < count_; ++i) {
    if (!threads_[i].done)
      text += "\n    " + describe({.actor = i, .op = threads_[i].pending, .watched = {}});
  }
  return text;
}

std::string source_of(const void* caller) {
  Dl_info module;
  if (caller == nullptr || dladdr(caller, &module) == 0) return "?";
  const auto offset =
      static_cast<const std::byte*>(caller) - static_cast<const std::byte*>(module.dli_fbase) - 1;
  std::ostringstream command;
  command << "addr2line -Cfise " << module.dli_fname << " 0x" << std::hex << offset << " 2>/dev/null";
  std::FILE* const lines = popen(command.str().c_str(), "r");
  if (lines == nullptr) return "?";
  std::string text;
  char line[512];
  // Of headers of the standard library and what is inlined into them, only who calls.
  std::string function;
  while (std::fgets(line, sizeof line, lines) != nullptr) {
    std::string part(line);
    part.pop_back();
    if (function.empty()) {
      function = part;
      continue;
    }
    const bool standard = part.starts_with("atomic_base.h") || part.starts_with("atomic:") ||
                          part.starts_with("std_mutex.h") || part.starts_with("gthr") ||
                          part.starts_with("mutex:");
    if (!standard) {
      if (!text.empty()) text += " < ";
      text += function.substr(0, function.find('(')) + " " + part.substr(0, part.find(' '));
    }
    function.clear();
  }
  pclose(lines);
  return text.empty() ? "?" : text;
}

}  // namespace explore

// SPDX-License-Identifier: Apache-2.0
// The machine that an explored program runs on: threads, each with a store buffer, and what the C++ memory model says of
// their accesses. Or without buffers: each place has all its stores, of which a load may read an older one (weak.cpp).
#pragma once

#include "explorer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace explore {

inline constexpr unsigned most_threads = 5;
// A thread is an actor, and so is its store buffer, which drains the oldest store.
inline constexpr unsigned most_actors = 2 * most_threads;

enum class action : std::uint8_t {
  load,
  store,   // into the buffer; one that is sequentially consistent: into memory, the buffer being empty
  modify,  // reads and writes at once
  fence,   // a sequentially consistent one
  lock,
  try_lock,
  unlock,
  barrier,  // of membarrier: a fence of the thread whose number is the operand
  change,   // what the thread has read has changed
  sleep,    // futex: unless the word has changed
  woken,
  wake,
  drain
};

enum class change_by : std::uint8_t {
  exchange,
  add,
  subtract,
  conjunction,
  disjunction,
  difference,
  compare
};

struct operation {
  action what = action::load;
  change_by how = change_by::exchange;
  std::uint8_t size = 8;
  int order = 0;
  int order_of_failure = 0;
  const void* at = nullptr;
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;
  const void* caller = nullptr;
  // What came of it:
  std::uint64_t result = 0;
  bool done = true;  // a comparison or a try_lock that succeeded, or a change that came
};

// When each thread did what is known to have happened before.
using view_of_time = std::array<std::uint32_t, most_threads>;

// The number of the latest store that is known of each place; only in weak memory.
using view_of_stores = std::vector<std::uint32_t>;

struct view {
  view_of_time time{};
  view_of_stores stores;
};

inline bool acquires(int order) {
  return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
         order == __ATOMIC_SEQ_CST;
}
inline bool releases(int order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}
inline std::uint64_t load_at(const void* at, unsigned size) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, size);
  return value;
}
inline void store_at(const void* at, unsigned size, std::uint64_t value) {
  std::memcpy(const_cast<void*>(at), &value, size);
}
inline std::uint64_t fit(std::uint64_t value, unsigned size) {
  return size >= 8 ? value : value & ((std::uint64_t{1} << (8 * size)) - 1);
}
// What the operation, which reads and writes at once, makes of the value.
std::uint64_t changed(const operation& op, std::uint64_t old);

enum class touch : std::uint8_t { read, write, count };  // counts commute

// What two steps have in common decides whether their order matters.
struct access {
  unsigned place;
  touch how;
};

// Of each actor so many steps.
using past_steps = std::array<std::uint16_t, most_actors>;

struct step {
  unsigned actor = 0;
  unsigned passed = 0;  // so many newer stores of the place were passed over
  operation op;
  std::array<access, 16> accesses{};
  unsigned accessed = 0;
  past_steps after{};  // that come before, in any equivalent order
  std::vector<std::pair<unsigned, unsigned>>
      watched;  // by a change: places, and how often they had been written
};

// Which of some numbered things come before which others.
class precedence {
 public:
  void clear() noexcept { behind_.clear(); }
  void add(unsigned numbers) { behind_.resize(std::max<std::size_t>(behind_.size(), numbers)); }
  // False: the other comes before the one.
  bool add(int one, int other);

 private:
  bool has(int one, int other) const noexcept {
    const std::vector<std::uint64_t>& behind = behind_[static_cast<unsigned>(one)];
    const auto word = static_cast<std::size_t>(other) / 64;
    return word < behind.size() && (behind[word] >> other % 64 & 1) != 0;
  }
  std::vector<std::vector<std::uint64_t>> behind_;  // of each one, a bit for each other
};

class machine {
 public:
  machine();
  ~machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
  static machine* current() noexcept;  // whose thread runs the call; null: none

  static machine* any() noexcept;
  bool inside() const noexcept { return inside_; }

  void begin(program&& run, const options& limits);
  void come_to_end() noexcept { running_ = 0; }
  void end();

  unsigned threads() const noexcept { return count_; }
  bool finished() const noexcept;
  bool enabled(unsigned actor) const noexcept;
  // It spins, and goes on where nothing else can.
  bool gives_up(unsigned actor) const noexcept;
  // What the actor's next step would touch.
  step next(unsigned actor) const noexcept;
  // What the actor's next step may do in weak memory: how many of the newest stores it passes over. Always 0, first.
  // `past`: what comes before in any case; `taken`: all steps so far. What need not have been stored before can as well
  // be stored later, in another order; it is not passed over.
  std::vector<unsigned> choices(unsigned actor, const past_steps& past, const std::vector<step>& taken);
  // `at`: the step's number.
  void run(unsigned actor, unsigned passed, std::uint32_t at, step& taken);
  const std::string& fault() const noexcept { return fault_; }
  std::string fault_in_full() const;
  std::string describe(const step& s) const;
  std::string why_stuck() const;
  void fail(std::string_view what, std::string_view more = {});
  // How often the place had been written before.
  unsigned writes(unsigned place) const noexcept { return places_[place].writes; }
  unsigned places() const noexcept { return static_cast<unsigned>(places_.size()); }

  // --- By the running thread.
  unsigned running() const noexcept { return running_; }
  void operate(operation& op);
  void order_accesses(int order) noexcept;  // a fence that no other thread can see
  void weaken(operation& op) noexcept;
  void access_plainly(const void* at, std::size_t size, bool writes, const void* caller);
  // A function's variables end that lie below `frame`: what is still to be stored in them goes nowhere.
  void leave_function(const void* frame) noexcept;
  void give_back(void* memory, const void* caller);  // nobody has it again before the end
  void call(const void* object, std::string name);
  std::uint64_t now_ns() noexcept;
  bool sleep_is_interrupted() noexcept;
  bool fails_spuriously() noexcept;
  operation watch(const void* caller);
  // To the explorer, for good.
  [[noreturn]] void stop();

 private:
  struct stored {
    const void* at;
    unsigned place;
    std::uint64_t value;
    view published;
    bool unlocks;
    bool lost;  // the variable has ended
    std::uint8_t size;
    const void* caller;
  };
  struct thread {
    std::string name;
    std::function<void()> body;
    void* context = nullptr;
    operation pending;
    bool done = false;
    std::vector<stored> buffer;
    view seen;
    view at_store;    // when its latest store was made; in weak memory its latest step that others can tell
    view to_acquire;  // by a fence
    view released;    // by a fence
    view fenced;      // at its latest sequentially consistent fence
    std::uint64_t now_ns = 0;
    unsigned interrupted = 0;
    unsigned failed_spuriously = 0;
    std::vector<std::pair<unsigned, unsigned>> watched;
    bool asleep = false;
  };
  // When an access was made, and what happened before it; its number among all that is sequentially consistent, or -1.
  struct moment {
    unsigned actor = most_actors;
    std::uint32_t time = 0;
    view_of_time seen{};
    int number = -1;
  };
  // In weak memory. The first of a place is what was there before.
  struct kept_store {
    std::uint64_t value = 0;
    view published;
    unsigned actor = most_actors;
    moment when;
    std::uint32_t step = 0;
    unsigned writes = 0;    // to the place, with this one
    unsigned rank = 0;      // in the modification order
    bool followed = false;  // at once, by an operation that has read it
  };
  struct kept_load {
    unsigned store;  // that was read
    moment when;
  };
  struct place {
    const void* at = nullptr;
    view published;
    int holder = -1;
    unsigned writes = 0;
    // In weak memory:
    std::vector<kept_store> stores;  // in the order of execution
    std::vector<unsigned> order;     // of modification: indices of these
    std::vector<kept_load> loads;
    std::uint32_t before = 0;  // so many stores were there when the variable was another one
    unsigned writers = 0;      // a bit each
  };
  // An access to some bytes of eight, for the search for data races.
  struct trail {
    const void* caller;
    std::uint32_t time;
    std::uint8_t thread;
    std::uint8_t bytes;
    bool writes;
    bool atomic;
  };
  struct eight_bytes {
    std::uintptr_t at = 0;
    std::uint64_t execution = 0;
    bool has_place = false;
    std::vector<trail> trails;
  };

  unsigned place_of(const void* at) const;
  const stored* latest_own(const thread& t, const void* at) const noexcept;
  void enter(unsigned thread);
  void perform(unsigned actor, step& taken);
  void forget_places(const void* at, std::size_t size);

  // --- Weak memory: weak.cpp.
  bool is_weak() const noexcept { return limits_.model == memory::weak; }
  step next_weak(unsigned actor) const;
  void perform_weak(unsigned actor, step& taken);
  void learn(view_of_stores& into, const view_of_stores& from) const;
  void learn(view& into, const view& from) const;
  unsigned rank(unsigned which, std::uint32_t store) const noexcept;
  std::uint32_t known(const view_of_stores& of, unsigned which) const noexcept {
    return which < of.size() ? of[which] : 0;
  }
  void note_store(view_of_stores& into, unsigned which, std::uint32_t store) const;
  place& kept(const operation& op);
  void forget_stores(place& p) const noexcept;
  kept_store& add_store(const moment& when, unsigned which, unsigned rank, std::uint64_t value);
  void publish(unsigned actor, kept_store& made, int order);

  // --- What is sequentially consistent: sequential.cpp.
  struct sequential_step {
    moment when;
    view_of_time before;  // what had happened before, without what it learns itself
    unsigned place;       // of a fence: none
  };
  // Pairs: one comes before the other, in any order of all that is sequentially consistent.
  using pairs = std::vector<std::pair<int, int>>;
  moment now(unsigned actor, const view* learnt, bool sequential) const noexcept;
  void fences_before(const moment& m, std::vector<int>& found) const;
  void fences_behind(const moment& m, std::vector<int>& found) const;
  std::vector<int> steps_up_to(const moment& m) const;
  std::vector<int> steps_from(const moment& m) const;
  pairs order_of_access(const moment& m, unsigned which, bool stores, unsigned rank) const;
  pairs order_among_sequential(const sequential_step& s) const;
  pairs order_of_fence(const moment& m) const;
  bool fits_order(const moment& m, unsigned which, bool stores, unsigned rank) const;
  void note_order(const moment& m, unsigned which, bool stores, unsigned rank);
  void note_fence(unsigned actor);

  void note_access(const void* at, std::size_t size, bool writes, bool atomic, const void* caller);
  eight_bytes& bytes_at(std::uintptr_t granule) noexcept;
  void watch_place(thread& t, unsigned place, unsigned writes);
  std::string name_of(const void* at) const;

  // The explorer's own allocations are not the thread's.
  class own_business {
   public:
    explicit own_business(machine& m) noexcept : machine_(m), before_(m.inside_) { m.inside_ = false; }
    ~own_business() { machine_.inside_ = before_; }
    own_business(const own_business&) = delete;
    own_business& operator=(const own_business&) = delete;

   private:
    machine& machine_;
    const bool before_;
  };

  friend struct fiber_entry;
  options limits_;
  unsigned count_ = 0;
  unsigned running_ = 0;
  bool inside_ = false;
  std::array<thread, most_threads> threads_;
  std::vector<std::unique_ptr<std::byte[]>> stacks_;
  void* explorer_ = nullptr;
  mutable std::vector<place> places_;  // first the buffers, one a thread
  mutable std::unordered_map<const void*, unsigned> place_at_;
  std::vector<sequential_step> sequential_;
  std::array<std::vector<int>, most_threads> fences_;  // numbers of each thread's fences
  precedence sequential_order_;
  std::uint32_t at_ = 0;  // the number of the step
  std::vector<eight_bytes> memory_;
  std::uint64_t execution_ = 0;
  std::vector<void*> given_back_;
  std::string fault_;
  struct {
    const void* at;
    const void* caller;
    const void* other;
    unsigned thread;
    unsigned other_thread;
    bool writes;
    bool other_wrote;
  } race_{};
  std::unordered_map<const void*, std::string> names_;
};

// Thrown by a check that fails at the end of a program.
struct fault_at_end {};

const char* word(action what);

// "function at file:line" of an instruction, and of those it is inlined into.
std::string source_of(const void* caller);

}  // namespace explore

// SPDX-License-Identifier: Apache-2.0
// What a TPAL program that was compiled to native code needs: the tree of its tasks, beats, and its command line. `tpal build`
// puts the files of this folder before the code it writes. What differs between programs is unnamed, so that several of them can be
// linked together as functions.
#include <sennit/beats.hpp>
#include <sennit/promotion_point.hpp>
#include <sennit/region.hpp>
#include <sennit/runtime.hpp>
#include <sennit/task_group.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tpal_native {
namespace {

inline long heart = 100;  // microseconds; 0: no beats

struct transfer {
  int from;
  int to;
};
struct join_target {
  int continuation;
  int combine;
  const transfer* transfers;
  int count;
};

// A task that was forked, and its registers once it has ended.
struct child {
  std::vector<number> registers;
};

struct strand;
// The program: runs the strand's task, whose registers are given, from the block on.
void execute(strand& s, number block, const number* registers);
void run_task(strand& s, number block, const number* registers);
extern const join_target join_targets[];
extern const int join_target_count;
extern const int register_count;
extern const number first_block;
extern const number label_count;  // that registers may have; these are the first ones

inline number label_of(number value, int line) {
  if (bits(value) >= bits(label_count)) [[unlikely]]
    fail(line, "this leads to what is no label");
  return value;
}

// Where data lies in the heap.
struct place {
  number begin;
  number length;
};

// What all tasks of a run share.
struct machine {
  std::vector<number> heap;
  std::vector<place> places;
  std::vector<number> result;  // the registers of the task that halted first
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> forks{0};
  std::atomic<std::uint64_t> records{0};

  template <class T>
  void add_cells(std::span<const T> cells) {
    places.push_back({static_cast<number>(heap.size()), static_cast<number>(cells.size())});
    heap.reserve(heap.size() + cells.size());
    for (const T& cell : cells) heap.push_back(bits_of(cell));
  }
  void add_zeros(std::initializer_list<number> factors, int line) {
    constexpr number most = number{1} << 27;
    number count = 1;
    for (const number f : factors) {
      if (f < 0 || f > most / std::max<number>(count, 1))
        fail(line, ("data of " + std::to_string(count) + " x " + std::to_string(f) +
                    " cells; there can be 0 to 2^27")
                       .c_str());
      count *= f;
    }
    places.push_back({static_cast<number>(heap.size()), count});
    heap.resize(heap.size() + static_cast<std::size_t>(count));
  }
  std::span<const number> cells_of(std::size_t array) const {
    const place& p = places[array];
    return {heap.data() + p.begin, static_cast<std::size_t>(p.length)};
  }
};

// A task's part in a join record.
struct part {
  number id = 0;
  const join_target* target = nullptr;
  std::vector<std::unique_ptr<child>> children;
  sennit::task_group group;  // ends first: it waits for the children
};

// A task. The groups of its open records nest, and each is waited for before the next outer one.
struct strand {
  machine& all;
  std::deque<part> open;
  stack calls;
  child* self = nullptr;  // null: the first task

  explicit strand(machine& of) : all(of) {}

  // Not inlined, all three: the code of a task keeps its variables in registers.
  [[gnu::noinline]] number allocate(number block, int line) {
    const join_target* const end = join_targets + join_target_count;
    const auto* const found =
        std::find_if(join_targets, end, [block](const join_target& t) { return t.continuation == block; });
    if (found == end) fail(line, "the label is no join target");
    part& p = open.emplace_back();
    // Relaxed: only that each has another one.
    p.id = static_cast<number>(all.records.fetch_add(1, std::memory_order_relaxed)) + 1;
    p.target = found;
    return p.id;
  }

  [[gnu::noinline]] void fork(number id, number block, const number* registers, int line) {
    const auto found = std::find_if(open.begin(), open.end(), [id](const part& p) { return p.id == id; });
    if (found == open.end()) fail(line, "the task has no part in this join record");
    all.forks.fetch_add(1, std::memory_order_relaxed);  // a count, read at the end
    child& c = *found->children.emplace_back(std::make_unique<child>());
    c.registers.assign(registers, registers + register_count);
    found->group.spawn([&c, id, block, target = found->target, &all = all] {
      strand s(all);
      s.self = &c;
      part& p = s.open.emplace_back();
      p.id = id;
      p.target = target;
      const std::vector<number> start = std::move(c.registers);
      run_task(s, block, start.data());
    });
  }

  // Where to go on, with registers changed as combined; negative if the task has ended.
  [[gnu::noinline]] number join(number id, number* registers, int line) {
    if (open.empty() || open.back().id != id) fail(line, "join on a record that is not the task's innermost");
    part& p = open.back();
    p.group.wait();
    // Relaxed: a child that has halted has been waited for.
    if (all.over.load(std::memory_order_relaxed)) return -1;
    if (!p.children.empty()) {
      const std::unique_ptr<child> latest = std::move(p.children.back());
      p.children.pop_back();
      for (int i = 0; i < p.target->count; ++i) {
        const transfer& t = p.target->transfers[i];
        registers[t.to] = latest->registers[static_cast<std::size_t>(t.from)];
      }
      return p.target->combine;
    }
    if (self != nullptr && open.size() == 1) {
      self->registers.assign(registers, registers + register_count);
      return -1;
    }
    const int next = p.target->continuation;
    open.pop_back();
    return next;
  }
};

// A task that was cut short has records that are open: whom it has forked is waited for here, because a destructor could not
// say what they throw.
inline void run_task(strand& s, number block, const number* registers) {
  execute(s, block, registers);
  while (!s.open.empty()) {
    s.open.back().group.wait();
    s.open.pop_back();
  }
}

struct cells {
  number* const begin;
  const std::uint64_t size;

  explicit cells(machine& all) : begin(all.heap.data()), size(all.heap.size()) {}
  number& at(number address, int line) const {
    if (static_cast<std::uint64_t>(address) >= size) [[unlikely]]
      fail(line, "the address is outside the heap");
    return begin[address];
  }
};

inline std::string in_words(number n, bool is_double) {
  return is_double ? in_decimal(double_of(n)) : std::to_string(n);
}

struct output {
  const char* name;
  bool is_register;
  bool is_double;  // or the cells of the array are
  int which;       // register or array
};
extern const output outputs[];
extern const int output_count;

// The first to come here has the answer. Of a program it ends the process, of a function the task, and with it others at
// their next join.
[[gnu::cold, gnu::noinline]] inline void halt(machine& all, const number* registers) {
  // Relaxed: whoever is second has nothing to do with what the first one says, and the caller waits for all.
  const bool is_first = !all.over.exchange(true, std::memory_order_relaxed);
  if (is_function) {
    if (is_first) all.result.assign(registers, registers + register_count);
    return;
  }
  while (!is_first) pause();
  for (const output* o = outputs; o != outputs + output_count; ++o) {
    if (o->is_register) {
      std::printf("%s = %s\n", o->name, in_words(registers[o->which], o->is_double).c_str());
      continue;
    }
    std::printf("%s = ", o->name);
    const char* before = "";
    for (const number n : all.cells_of(static_cast<std::size_t>(o->which))) {
      std::printf("%s%s", before, in_words(n, o->is_double).c_str());
      before = ", ";
    }
    std::printf("\n");
  }
  const auto promotions = static_cast<unsigned long long>(all.forks.load(std::memory_order_relaxed));
  std::printf("tasks %llu, promotions %llu\n", promotions + 1, promotions);
  if (std::fflush(stdout) != 0) fail(0, "the output cannot be written");
  std::_Exit(0);
}

struct input {
  const char* name;
  int target;
  bool is_double;
  bool given;
  number value;
};

[[noreturn]] inline void usage(const char* program, const std::string& what) {
  std::fprintf(
      stderr,
      "%s: %s; expected NAME=NUMBER for each input, --heart MICROSECONDS (0: no beats), --workers N\n",
      program, what.c_str());
  std::exit(2);
}

inline number number_of(const char* program, const std::string& word, const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const number value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno != 0) usage(program, "bad number in '" + word + "'");
  return value;
}

inline number double_in(const char* program, const std::string& word, const std::string& text) {
  const std::optional<double> value = to_double(text);
  if (!value) usage(program, "bad number in '" + word + "'");
  return bits_of(*value);
}

// Returns the workers asked for, 0 for as many as the machine allows.
inline unsigned read_arguments(int argc, char** argv, std::vector<input>& inputs) {
  unsigned workers = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--heart" || word == "--workers") {
      if (i + 1 == argc) usage(argv[0], word + " needs a number");
      const number value = number_of(argv[0], word + " " + argv[i + 1], argv[i + 1]);
      if (word == "--heart" && value != 0 && (value < 10 || value > 10'000'000))
        usage(argv[0], "--heart has to be 0 or from 10 to 10000000");
      if (word == "--workers" && (value < 0 || value > number{sennit::runtime_options::most_workers}))
        usage(argv[0],
              "--workers has to be from 0 to " + std::to_string(sennit::runtime_options::most_workers));
      word == "--heart" ? heart = value : workers = static_cast<unsigned>(value);
      ++i;
      continue;
    }
    const std::size_t sign = word.find('=');
    const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const input& in) {
      return sign != std::string::npos && word.compare(0, sign, in.name) == 0;
    });
    if (found == inputs.end()) usage(argv[0], "'" + word + "' is no input");
    found->value = (found->is_double ? double_in : number_of)(argv[0], word, word.substr(sign + 1));
    found->given = true;
  }
  for (const input& in : inputs) {
    if (!in.given) usage(argv[0], std::string("input '") + in.name + "' has no value");
  }
  return workers;
}

inline void start_program(machine& all, const number* registers, unsigned workers) {
  std::optional<sennit::runtime> runtime;
  std::optional<sennit::beats> beating;
  try {
    runtime.emplace(sennit::runtime_options{.workers = workers});
    if (heart != 0)
      beating.emplace(sennit::beats_options{.period = std::chrono::microseconds(heart), .in = &*runtime});
  } catch (const std::exception& refusal) {  // of the environment's settings, or the system's
    std::fprintf(stderr, "%s: %s\n", file, refusal.what());
    std::exit(2);
  }
  runtime->run([&all, registers] {
    strand s(all);
    run_task(s, first_block, registers);
  });
}

inline void start_function(machine& all, const number* registers) {
  sennit::region().run([&all, registers] {
    strand s(all);
    run_task(s, first_block, registers);
  });
}

}  // namespace
}  // namespace tpal_native

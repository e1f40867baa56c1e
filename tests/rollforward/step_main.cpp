// SPDX-License-Identifier: Apache-2.0
// Sends a beat at every single instruction: the answer has to be the same each time, and the beat taken at once where
// marked code runs or is to be returned to, else kept.
// Catches a wrong pair of addresses, an instruction without one, a register that a copy does not keep, a walk that does
// not find the marked frame, and a beat that is lost.
#include "beat/address_pairs.hpp"
#include "beat/roll_forward.hpp"
#include "tests/rollforward/functions.hpp"

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

// Shared with the traced process.
struct record {
  long answer;
  long taken;
  long beats;
  long placed;
  unsigned long at;  // where the last one came
  bool trap_behind;  // the handler, so that nobody steps through it
  bool pending;
};
record* shared;

void on_beat(int, siginfo_t*, void* context) {
  ++shared->beats;
  shared->at = static_cast<unsigned long>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  shared->placed += sennit::detail::roll_forward(context);
  if (shared->trap_behind) asm volatile("int3" ::: "memory");
}

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(2);
}

// Between two traps; for ever.
[[noreturn]] void be_traced(const marked::function& f) {
  struct sigaction action = {};
  action.sa_sigaction = on_beat;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, nullptr);
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  f.run();  // binds what is bound lazily
  asm volatile("int3" ::: "memory");
  for (;;) {
    marked::taken.store(0, std::memory_order_relaxed);
    long (*const run)() = f.run;
    asm volatile("int3" ::: "memory");
    const long answer = run();
    asm volatile("int3" ::: "memory");
    shared->answer = answer;
    shared->pending = sennit::detail::beat_is_pending();
    shared->taken = marked::taken.load(std::memory_order_relaxed);
    asm volatile("int3" ::: "memory");
  }
}

// Of one run: the unwinder has many thousands, the function's own are among the first.
constexpr long most_steps = 1500;
// One beat a run at each of so many steps, then at some.
constexpr long one_by_one = 300;
constexpr long stride = 29;

// What a beat is to find before an instruction of a run without beats.
enum class beat_finds : unsigned char {
  nothing,   // no marked code runs: the beat is to be kept
  unpaired,  // marked code, at an address that has no counterpart: so, too
  place,     // it is to be placed; whether it meets a promotion point is another matter
  taker,     // it is to be placed, and returns lead through marked code to a promotion point
};

struct step {
  unsigned long pc;
  beat_finds finds;
};

// The calls that are under way, as seen from outside: an unwinder, or CFI, has no part in it.
class calls_under_way {
 public:
  // After each step.
  template <class Peek>
  void follow(unsigned long pc_before, const user_regs_struct& now, Peek&& peek) {
    if (now.rsp == stack_ - sizeof(long)) {
      constexpr unsigned long longest_instruction = 15;
      const unsigned long top = peek(now.rsp);
      if (top > pc_before && top <= pc_before + longest_instruction && now.rip != top)
        calls_.push_back({now.rsp, top});
    }
    stack_ = now.rsp;
    // Left by a return, or by an exception.
    while (!calls_.empty() && calls_.back().slot < now.rsp) calls_.pop_back();
  }

  beat_finds look(unsigned long pc) const {
    using namespace sennit::detail;
    const place_in_code here = find_instruction(pc);
    std::size_t i = calls_.size();
    if (here.copy != copy_of_code::none) {
      if (here.paired == 0) return beat_finds::unpaired;
    } else {
      // The innermost call from marked code.
      while (i > 0 && find_return(calls_[i - 1].to).copy == copy_of_code::none) --i;
      if (i == 0) return beat_finds::nothing;
      --i;
      if (find_return(calls_[i].to).paired == 0) return beat_finds::unpaired;
    }
    // From that frame outward: the outermost one that is marked has its promotion point behind the call.
    std::size_t outermost = 0;
    while (outermost < i && find_return(calls_[outermost].to).copy == copy_of_code::none) ++outermost;
    if (outermost == i) return here.copy == copy_of_code::none ? beat_finds::taker : beat_finds::place;
    while (i > outermost && find_return(calls_[i - 1].to).paired != 0) --i;
    return i == outermost ? beat_finds::taker : beat_finds::place;
  }

 private:
  struct call {
    unsigned long slot;
    unsigned long to;  // where it returns
  };
  std::vector<call> calls_;
  unsigned long stack_ = 0;
};

class traced {
 public:
  explicit traced(const marked::function& f) : pid_(fork()) {
    if (pid_ < 0) fail("fork");
    if (pid_ == 0) be_traced(f);
    wait();
  }
  ~traced() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  // One run without a beat.
  std::vector<step> watch() {
    *shared = {};
    go_on(0);
    std::vector<step> seen;
    calls_under_way calls;
    for (user_regs_struct now = registers(); seen.size() < most_steps;) {
      seen.push_back({now.rip, calls.look(now.rip)});
      const unsigned long before = now.rip;
      single_step();
      now = registers();
      if (at_trap()) break;
      calls.follow(before, now, [this](unsigned long at) {
        return static_cast<unsigned long>(
            ptrace(PTRACE_PEEKDATA, pid_, reinterpret_cast<void*>(at), nullptr));
      });
    }
    if (seen.size() == most_steps) go_on(0);
    go_on(0);
    return seen;
  }

  // One run with a beat at step `first` and, if `again` is not 0, at each `again`th after that. False: the function has
  // fewer steps than `first`.
  bool run(long first, long again) {
    *shared = {};
    go_on(0);  // to the first trap
    shared->trap_behind = again != 0;
    bool sent = false;
    for (long steps = 0;; ++steps) {
      if (steps == first || (again != 0 && steps > first && (steps - first) % again == 0)) {
        sent = true;
        go_on(SIGUSR1);
        if (again == 0) break;  // that was the last trap
      }
      if (steps == most_steps) {
        shared->trap_behind = false;
        go_on(0);
        break;
      }
      single_step();
      if (at_trap()) break;
    }
    go_on(0);  // what it found
    return sent;
  }

 private:
  void go_on(int signal) { resume(PTRACE_CONT, signal); }

  void single_step() { resume(PTRACE_SINGLESTEP, 0); }

  void resume(__ptrace_request how, int signal) {
    ptrace(how, pid_, nullptr, signal);
    // Whoever suspends the test suspends this, too; it has not moved.
    while (wait()) ptrace(how, pid_, nullptr, 0);
  }

  user_regs_struct registers() const {
    user_regs_struct now = {};
    if (ptrace(PTRACE_GETREGS, pid_, nullptr, &now) != 0) fail("ptrace");
    return now;
  }

  // True if it has been stopped for a reason of no interest.
  bool wait() {
    int status = 0;
    if (waitpid(pid_, &status, 0) != pid_) fail("waitpid");
    const int stopped = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
    if (stopped == SIGSTOP || stopped == SIGTSTP || stopped == SIGCONT) return true;
    if (stopped != SIGTRAP) {
      user_regs_struct last = {};
      ptrace(PTRACE_GETREGS, pid_, nullptr, &last);
      std::printf("the traced process: status %x; pc %llx, last beat at %lx\n", static_cast<unsigned>(status),
                  last.rip, shared->at);
      std::exit(1);
    }
    return false;
  }

  // Has it run into an int3, rather than done a step?
  bool at_trap() const {
    siginfo_t info;
    ptrace(PTRACE_GETSIGINFO, pid_, nullptr, &info);
    return info.si_code == SI_KERNEL;
  }

  pid_t pid_;
};

bool check(const marked::function& f, long answer, long step, bool many) {
  const record& r = *shared;
  const bool lost = !f.throws && r.taken < 1 && !r.pending;
  const bool too_many = r.taken > r.placed;
  if (r.answer == answer && !lost && !too_many) return true;
  std::printf("%s, %s at step %ld: answer %ld (not %ld), %ld beats, %ld placed, %ld taken; pc %lx\n", f.name,
              many ? "beats from" : "a beat", step, r.answer, answer, r.beats, r.placed, r.taken, r.at);
  return false;
}

// One beat: what it has come to is what it had to.
bool check(const marked::function& f, const step& expected, long step) {
  const record& r = *shared;
  const bool to_be_placed = expected.finds == beat_finds::place || expected.finds == beat_finds::taker;
  const bool to_be_taken = expected.finds == beat_finds::taker && !f.throws;
  // What an unwinder is about is not touched.
  if (f.throws && r.at == expected.pc && r.placed == 0 && r.taken == 0 && r.pending) return true;
  if (r.at == expected.pc && r.placed == to_be_placed && (to_be_placed || r.pending) &&
      (!to_be_taken || (r.taken == 1 && !r.pending)) && (r.taken == 0 || !r.pending))
    return true;
  std::printf("%s, a beat at step %ld: %ld placed (not %d), %ld taken%s, %spending; pc %lx (not %lx)\n",
              f.name, step, r.placed, to_be_placed, r.taken, to_be_taken ? " (not 1)" : "",
              r.pending ? "" : "not ", r.at, expected.pc);
  return false;
}

// Between its first instruction and its return the function is marked code, or is to be returned to. Only where the
// linker may have changed an instruction has an address without a counterpart: a variable of a thread's is found so.
bool check(const marked::function& f, const std::vector<step>& steps) {
  const auto entry = reinterpret_cast<unsigned long>(f.run);
  std::size_t begin = 0;
  while (begin < steps.size() && steps[begin].pc != entry) ++begin;
  std::size_t end = steps.size();
  while (end > begin && steps[end - 1].finds == beat_finds::nothing) --end;
  // The few behind the return, up to the trap.
  constexpr std::size_t most_behind = 5;
  bool good = begin < end && steps.size() - end <= most_behind;
  if (!good) std::printf("%s: steps %zu to %zu of %zu are marked\n", f.name, begin, end, steps.size());
  for (std::size_t i = begin; i < end; ++i) {
    if (steps[i].finds != beat_finds::nothing &&
        (steps[i].finds != beat_finds::unpaired || std::string_view(f.name) == "locals_of_thread"))
      continue;
    std::printf("%s: no paired at step %zu; pc %lx\n", f.name, i, steps[i].pc);
    good = false;
  }
  return good;
}

bool test(const marked::function& f) {
  const long answer = f.run();
  if (f.answer != 0 && answer != f.answer) {
    std::printf("%s: answer %ld (not %ld) without a beat\n", f.name, answer, f.answer);
    return false;
  }
  traced process(f);
  const std::vector<step> steps = process.watch();
  bool good = check(f, steps);
  long runs = 0;
  long pending = 0;
  const long count = static_cast<long>(steps.size());
  for (long at = 0; at < count; at += at < one_by_one ? 1 : stride) {
    process.run(at, 0);
    good &= check(f, answer, at, false) && check(f, steps[static_cast<std::size_t>(at)], at);
    pending += shared->pending;
    ++runs;
  }
  // Again and again while it runs.
  for (long first = 0; first < 23; ++first) {
    process.run(first, 23);
    good &= check(f, answer, first, true);
  }
  std::printf("%-16s %5ld beats, %2ld pending: %s\n", f.name, runs, pending, good ? "good" : "WRONG");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  shared = static_cast<record*>(
      mmap(nullptr, sizeof(record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) fail("mmap");
  bool good = true;
  for (const marked::function* f = marked::functions; f->name != nullptr; ++f) {
    if (argc > 1 && std::string_view(argv[1]) != f->name) continue;
    good &= test(*f);
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}

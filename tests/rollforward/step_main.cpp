// Sends a beat at every single instruction: the answer has to be the same each time, and the beat taken once.
// Catches a wrong pair of addresses, a register that a copy does not keep, and a beat that is lost.
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
      step();
      if (at_trap()) break;
    }
    go_on(0);  // what it found
    return sent;
  }

 private:
  void go_on(int signal) {
    ptrace(PTRACE_CONT, pid_, nullptr, signal);
    wait();
  }

  void step() {
    ptrace(PTRACE_SINGLESTEP, pid_, nullptr, 0);
    wait();
  }

  void wait() {
    int status = 0;
    if (waitpid(pid_, &status, 0) != pid_) fail("waitpid");
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
      user_regs_struct registers = {};
      ptrace(PTRACE_GETREGS, pid_, nullptr, &registers);
      std::printf("the traced process: status %x; pc %llx, last beat at %lx\n", static_cast<unsigned>(status),
                  registers.rip, shared->at);
      std::exit(1);
    }
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

// Beats that find no marked code: the few instructions before the function is entered and after it is left; and those
// that come behind the last promotion point of a function whose caller is not marked, as lambdas are without inlining.
constexpr long most_pending = 16;

bool test(const marked::function& f) {
  const long answer = f.run();
  if (f.answer != 0 && answer != f.answer) {
    std::printf("%s: answer %ld (not %ld) without a beat\n", f.name, answer, f.answer);
    return false;
  }
  traced process(f);
  bool good = true;
  long pending = 0;
  long steps = 0;
  for (long at = 0; at < most_steps && process.run(at, 0); at += at < one_by_one ? 1 : stride) {
    good &= check(f, answer, at, false);
    pending += shared->pending;
    ++steps;
  }
  if (steps < 10 || pending > most_pending + steps * 2 / 3) {
    std::printf("%s: %ld steps, %ld beats found nothing\n", f.name, steps, pending);
    good = false;
  }
  // Again and again while it runs.
  for (long first = 0; first < 23; ++first) {
    process.run(first, 23);
    good &= check(f, answer, first, true);
  }
  std::printf("%-16s %5ld steps, %2ld beats pending: %s\n", f.name, steps, pending, good ? "good" : "WRONG");
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

// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.hpp"

#include "diagnosis/stack_overflow.hpp"
#include "diagnosis/watchdog.hpp"
#include "process/environment.hpp"
#include "process/fork_child.hpp"
#include "process/no_cancellation.hpp"
#include "process/settings.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/misuse.hpp>
#include <sennit/version.hpp>

#if SENNIT_CHECKED
#include <dlfcn.h>
#include <execinfo.h>
#endif
#include <pthread.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sennit {

const char* version() noexcept {
#define SENNIT_TEXT(x) #x
#define SENNIT_VERSION_TEXT(x, y, z) SENNIT_TEXT(x) "." SENNIT_TEXT(y) "." SENNIT_TEXT(z)
  return SENNIT_VERSION_TEXT(SENNIT_VERSION_MAJOR, SENNIT_VERSION_MINOR, SENNIT_VERSION_PATCH);
}

namespace detail {

namespace {

// What a runtime has of its own: the core, and what says of it that it seems to hang.
class watched_core : public runtime_core {
 public:
  explicit watched_core(const settings& chosen) : runtime_core(chosen) {
    if (chosen.watchdog_ns != 0) watchdog_.emplace(*this, chosen.watchdog_ns);
  }

 private:
  std::optional<watchdog> watchdog_;
};

// Under no_fork: a fork in another thread, in the middle of this, would leave the child locks and guards that nobody
// opens.
runtime_core* make_core(const runtime_options& options) {
  const no_cancellation whole;  // files are read where nothing may be thrown
  const settings chosen = resolve(options);
  install_overflow_handler();
  if (chosen.watchdog_ns != 0) watchdog::prepare();
  return new watched_core(chosen);
}

void end_core(runtime_core* core) noexcept { delete static_cast<watched_core*>(core); }

}  // namespace

struct runtime_access {
  // The runtime's core; a new one in a child of fork(2), where the old one has lost its threads.
  static runtime_core& core(runtime& r) {
    // ORD[D13] acquire: the core as it was made; pairs with the release below, and in runtime().
    runtime_core* core = r.core_.load(std::memory_order_acquire);
    if (!core->outlived_by_fork()) [[likely]]
      return *core;
    const no_fork guard;
    core = r.core_.load(std::memory_order_relaxed);
    if (core->outlived_by_fork()) {
      runtime_core* const fresh = make_core(r.options_);
      keep_for_ever(core);
      core = fresh;
      // ORD[D13] release: see above.
      r.core_.store(core, std::memory_order_release);
    }
    return *core;
  }

  static bool is_core(const runtime& r, const runtime_core& core) noexcept {
    return r.core_.load(std::memory_order_relaxed) == &core;
  }

  // Keeps a core whose threads still run, or were lost in the middle of something. Nobody waits for them:
  // they are kept, too, as std::thread insists.
  static void keep_for_ever(runtime& r) { keep_for_ever(r.core_.load(std::memory_order_relaxed)); }
  static void keep_for_ever(runtime_core* core) {
    static auto& kept = *new std::vector<runtime_core*>;  // reachable, so that it is not taken for a leak
    const no_fork guard;
    kept.push_back(core);
  }
};

}  // namespace detail

namespace {

#if SENNIT_CHECKED

// Whether the calling strand has called exit(). No handler of exit() is early enough to tell: static objects that were
// made later end before it is called.
bool program_exits() noexcept {
  void* calls[64];
  const int count = backtrace(calls, 64);
  for (int i = 0; i < count; ++i) {
    Dl_info found{};
    // The call does not return, so that what follows it may be another function.
    if (dladdr(static_cast<char*>(calls[i]) - 1, &found) != 0 && found.dli_sname != nullptr &&
        std::strcmp(found.dli_sname, "exit") == 0) {
      return true;
    }
  }
  return false;
}

#endif

detail::runtime_core* make_first_core(const runtime_options& options) {
  const detail::no_fork guard;
  detail::name_unknown_variables();
  return detail::make_core(options);
}

}  // namespace

runtime::runtime(runtime_options options) : options_(std::move(options)), core_(make_first_core(options_)) {}

runtime::~runtime() {
  detail::runtime_core* const core = core_.load(std::memory_order_relaxed);
#if SENNIT_CHECKED
  const detail::worker* const here = detail::worker::current();
  if (here != nullptr && &here->core() == core && !program_exits()) {
    detail::misuse("a runtime is destroyed in a region of its own: let the object outlive its regions.");
  }
#endif
  if (core->outlived_by_fork() || core->in_use()) {
    detail::runtime_access::keep_for_ever(core);
  } else {
    detail::end_core(core);
  }
}

namespace {

std::atomic<runtime*> the_default{nullptr};
bool program_ends = false;  // under no_fork

// Threads that are about to count as guests of the default runtime. The end of the program does not wait for
// threads, so it may come between their look at the_default and their admission.
std::atomic<unsigned> entering{0};

class on_the_way_in {
 public:
  // ORD[D14] seq_cst: counted before the_default is read; pairs with end_of_program, which takes the_default
  // away before it reads the count.
  on_the_way_in() noexcept { entering.fetch_add(1, std::memory_order_seq_cst); }
  // ORD[D14] release: the guest's admission; pairs with the load in end_of_program.
  ~on_the_way_in() { entering.fetch_sub(1, std::memory_order_release); }
  on_the_way_in(const on_the_way_in&) = delete;
  on_the_way_in& operator=(const on_the_way_in&) = delete;
};

// Those of the parent are not on their way here.
[[maybe_unused]] const int forget_in_children =
    pthread_atfork(nullptr, nullptr, [] { entering.store(0, std::memory_order_relaxed); });

// At exit, or as the shared object that holds the library is unloaded.
struct end_of_program {
  ~end_of_program() {
    runtime* last = nullptr;
    {
      const detail::no_fork guard;
      program_ends = true;
      // ORD[D14] seq_cst: see on_the_way_in.
      last = the_default.exchange(nullptr, std::memory_order_seq_cst);
    }
    // Outside the guard: a thread that ends here may run the program's destructors, which may fork strands.
    // ORD[D14] seq_cst: see on_the_way_in.
    if (entering.load(std::memory_order_seq_cst) == 0) {
      delete last;
    } else if (last != nullptr) {
      detail::runtime_access::keep_for_ever(*last);
    }
    detail::remove_overflow_handler();
  }
};

// Under no_fork, once: there is none yet.
runtime& make_default(runtime_options options) {
  static const end_of_program last;
  // A destructor of a static object: threads started now would outlive everything.
  if (program_ends) options.workers = 1;
  auto* const made = new runtime(std::move(options));
  // ORD[D13] release: the runtime as it was made; pairs with the acquire in default_runtime().
  the_default.store(made, std::memory_order_release);
  return *made;
}

}  // namespace

runtime& runtime::default_runtime() {
  // ORD[D13] acquire: the runtime as it was made; pairs with the release in make_default().
  // ORD[D14] seq_cst: see on_the_way_in.
  if (runtime* const made = the_default.load(std::memory_order_seq_cst)) return *made;
  const detail::no_fork guard;
  if (runtime* const made = the_default.load(std::memory_order_relaxed)) return *made;
  return make_default({});
}

void runtime::set_default(runtime_options options) {
  const detail::no_fork guard;
  if (program_ends || the_default.load(std::memory_order_relaxed) != nullptr) {
    detail::fail<std::logic_error>("sennit: runtime::set_default() comes too late: the default runtime has "
                                   "been made, by an earlier call or by a construct, worker_count() or "
                                   "default_runtime() outside any other runtime; set it at the beginning of "
                                   "main()");
  }
  make_default(std::move(options));
}

detail::runtime_core& detail::core_of(runtime* asked) {
  if (asked != nullptr) return runtime_access::core(*asked);
  if (worker* const here = worker::current()) return here->core();
  return runtime_access::core(runtime::default_runtime());
}

bool detail::is_default(const runtime_core& core) noexcept {
  // ORD[D13] acquire: the runtime as it was made; pairs with the release in make_default().
  runtime* const made = the_default.load(std::memory_order_acquire);
  return made != nullptr && runtime_access::is_core(*made, core);
}

detail::worker& detail::admit_to_default() {
  const on_the_way_in counted;
  return runtime_access::core(runtime::default_runtime()).admit_guest();
}

unsigned runtime::workers() const noexcept { return core_.load(std::memory_order_relaxed)->workers(); }
statistics runtime::statistics() const noexcept {
  return core_.load(std::memory_order_relaxed)->statistics();
}
steal_barrier runtime::barrier() const noexcept { return core_.load(std::memory_order_relaxed)->barrier(); }

}  // namespace sennit

// SPDX-License-Identifier: Apache-2.0
// runtime: a set of workers. Most programs need not name one: a construct outside any runtime's run() uses
// the default runtime.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/promotion.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace sennit {

// How a thief makes the owner's latest store visible. `membarrier` is an expedited membarrier(2), which
// costs the owner nothing. `fence` is a full fence of the owner at every join. `automatic` is `membarrier`
// if the kernel supports it, else `fence`.
enum class steal_barrier { automatic, membarrier, fence };

// Where workers may run: anywhere (`none`), on one NUMA node each, or on one core each. `automatic` is `node` on a machine with
// several NUMA nodes, else `none`. The library never binds a thread that the program made.
enum class pin_mode { automatic, none, node, core };

// How to make a runtime. Members left at their defaults come from the environment (SENNIT_WORKERS,
// SENNIT_STACK, SENNIT_BARRIER, SENNIT_PIN, SENNIT_TOPOLOGY, SENNIT_PROMOTION), or else from the machine.
struct runtime_options {
  static constexpr unsigned most_workers = 1024;  // what `workers` may be

  // The number of workers, including the calling thread: 1 to most_workers. 0: one for each CPU of the
  // affinity mask, but no more than the cgroup's CPU quota.
  unsigned workers = 0;
  // Address space of a fiber's stack, in bytes: 64 KiB to 1 TiB. 0: 32 times the main thread's limit, which
  // leaves room for the frames of forks; where address space is limited, the main thread's limit. Only pages
  // that are touched use memory.
  std::size_t stack_bytes = 0;
  steal_barrier barrier = steal_barrier::automatic;
  pin_mode pin = pin_mode::automatic;
  // "synthetic:" and an hwloc synthetic description: the runtime uses the places of that machine, and chooses blocks
  // for its caches, if it gives their sizes. Empty: this machine.
  std::string topology = {};
  // on_demand or heartbeat(period), for regions that do not choose one. Nothing: what the environment says,
  // or else on demand.
  std::optional<sennit::promotion> promotion = {};
};

namespace detail {

SENNIT_EXPORT [[noreturn]] void refuse_workers(const std::string& number);
template <std::integral I>
unsigned to_workers(I number) {
  if (!std::in_range<unsigned>(number)) refuse_workers(std::to_string(number));
  return static_cast<unsigned>(number);
}

}  // namespace detail

// Counts over a runtime's life. A count may not include events that happen during the call.
struct statistics {
  std::uint64_t steals = 0;       // frames that ran on a worker other than the one that pushed them
  std::uint64_t suspensions = 0;  // times that a join or a group waited and its worker took other work
  std::uint64_t wakes = 0;        // sleeping workers woken because there was work
  std::uint64_t vain_wakes = 0;   // wakes after which the worker found no work
  std::uint64_t barriers = 0;     // membarrier system calls
  // Interrupts that these barriers caused on the runtime's own running threads: at most one for each thread
  // and barrier.
  std::uint64_t interrupts = 0;
  std::uint64_t fibers = 0;  // stacks that were made
  // Stacks that exist now: no more than two a worker after two idle seconds.
  std::uint64_t stacks = 0;
  std::uint64_t promotions = 0;  // latent frames that became work for other workers
};

// A set of workers. A construct uses the innermost runtime whose run() it is in, and outside any run() the
// default runtime. Making a runtime changes nothing for calls outside its run(). To choose the number of
// workers for those calls, see set_default().
//
// A runtime starts workers() - 1 threads. The thread that calls run() is the last worker. So one guest at a
// time stays within workers(), and each further guest adds its own thread while its region lasts.
//
// Thread-safety: any thread may call all members. Runtimes are independent of one another. After fork(2) the
// child may use them, too, if the fork was outside regions.
//
// Example:
//   #include <sennit/join.hpp>
//
//   #include <cstdio>
//
//   void compute() {
//     const sennit::runtime_options two{.workers = 2,
//                                       .stack_bytes = 1 << 20,
//                                       .barrier = sennit::steal_barrier::fence,
//                                       .pin = sennit::pin_mode::core};
//     sennit::runtime small(two);
//     const long answer = small.run([] {
//       auto [a, b] = sennit::join([] { return 40L; }, [] { return 2L; });
//       return a + b;
//     });
//     std::printf("%ld by %u workers, %llu steals\n", answer, small.workers(),
//                 static_cast<unsigned long long>(small.statistics().steals));
//   }
class SENNIT_EXPORT runtime {
 public:
  // Throws std::invalid_argument, which names a bad option or variable, its value and the values that are
  // allowed; and std::bad_alloc. If the system refuses a thread, the runtime works without that thread.
  // Cost: some tens of microseconds a thread.
  explicit runtime(runtime_options options = {});
  // A runtime with this number of workers. 0: as many as the environment says, or else as the machine has.
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  explicit runtime(I workers) : runtime(runtime_options{.workers = detail::to_workers(workers)}) {}
  // Precondition: no region of the runtime is running. Joins the runtime's threads.
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  // The runtime of constructs outside any other. It is made at its first use and ended at exit. Throws what
  // the constructor throws.
  static runtime& default_runtime();
  // Makes the default runtime with these options; call it at the beginning of main(). Throws what the
  // constructor throws, and may then be called again. Throws std::logic_error if there is a default runtime
  // already.
  static void set_default(runtime_options options);

  // Runs f as a region of this runtime, on the calling thread and the workers. Returns the result of f,
  // which is movable or a reference. If a strand of this runtime calls run(), f is simply called. A strand
  // of another runtime is a guest of this runtime during the call.
  //
  // Precondition: the caller holds no lock. Throws what f throws; std::bad_alloc if there is no memory for a
  // stack; std::runtime_error if more than 4096 threads, including the runtime's own, would be in the
  // runtime at once. Cost: a few tenths of a microsecond.
  template <class F>
    requires std::invocable<F>
  auto run(F&& f SENNIT_WHERE) -> std::invoke_result_t<F> {
    SENNIT_SITE("runtime::run");
    using result = std::invoke_result_t<F>;
    if constexpr (std::is_void_v<result>) {
      auto body = [&] { std::forward<F>(f)(); };
      detail::run_region(this, body);
    } else if constexpr (std::is_reference_v<result>) {
      std::remove_reference_t<result>* value = nullptr;
      auto body = [&] {
        auto&& referred = std::forward<F>(f)();
        value = std::addressof(referred);
      };
      detail::run_region(this, body);
      return static_cast<result>(*value);
    } else {
      std::optional<result> value;
      auto body = [&] { value.emplace(std::forward<F>(f)()); };
      detail::run_region(this, body);
      return *std::move(value);
    }
  }

  template <class... F>
  void run(const F&...) {
    static_assert(
        detail::never<F...>,
        "runtime::run: the argument is one function that is called without arguments; capture what it "
        "needs, as in run([&] { f(x); })");
  }

  // The number of workers: what the options asked for, or what the environment or the machine gave.
  unsigned workers() const noexcept;
  // Cost: some nanoseconds a worker.
  sennit::statistics statistics() const noexcept;
  // What the runtime uses: membarrier or fence, never `automatic`.
  steal_barrier barrier() const noexcept;

 private:
  friend struct detail::runtime_access;
  runtime_options options_;
  std::atomic<detail::runtime_core*> core_;  // a new one in the child after fork(2)
};

}  // namespace sennit

// runtime: a set of workers. Most programs never name one:
// constructs outside any runtime's run() use the default one.
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

// How a thief makes the owner's latest store visible: an expedited membarrier(2), which costs the owner
// nothing, or a full fence of the owner at every join. `automatic` is membarrier where the kernel has it.
enum class steal_barrier { automatic, membarrier, fence };

// Where workers may run. `automatic` is `node` on a machine with several NUMA nodes, else `none`.
// A thread that the program made is never bound.
enum class pin_mode { automatic, none, node, core };

// How to make a runtime. What is left at its default comes from the environment (SENNIT_WORKERS,
// SENNIT_STACK, SENNIT_BARRIER, SENNIT_PIN, SENNIT_TOPOLOGY, SENNIT_PROMOTION), and else from the machine.
struct runtime_options {
  static constexpr unsigned most_workers = 1024;

  // Threads at work, the calling one included: 1 to most_workers. 0: the CPUs of the affinity mask,
  // at most the cgroup's CPU quota.
  unsigned workers = 0;
  // Address space of a fiber's stack, in bytes: 64 KiB to 1 TiB. 0: 32 times the main thread's limit, which
  // leaves room for what forks take; the limit itself where address space is limited. What is not touched
  // costs nothing.
  std::size_t stack_bytes = 0;
  steal_barrier barrier = steal_barrier::automatic;
  pin_mode pin = pin_mode::automatic;
  // "synthetic:" and an hwloc synthetic description: places as on that machine. Empty: the machine itself.
  std::string topology = {};
  // on_demand or heartbeat(period), for regions that do not say. Nothing: on demand, if the environment does
  // not say.
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

// Sums over a runtime's life. They may lag behind by what is under way.
struct statistics {
  std::uint64_t steals = 0;       // frames that ran on a worker other than the one that pushed them
  std::uint64_t suspensions = 0;  // waits of joins and groups that gave their worker back
  std::uint64_t wakes = 0;        // sleeping workers woken because there was work
  std::uint64_t vain_wakes = 0;   // those of them that found none when they came
  std::uint64_t barriers = 0;     // membarrier system calls
  // Of the runtime's own threads at work, by these: at most one a barrier each.
  std::uint64_t interrupts = 0;
  std::uint64_t fibers = 0;  // stacks made
  // Those of them that are there now: no more than two a worker after two idle seconds.
  std::uint64_t stacks = 0;
  std::uint64_t promotions = 0;  // latent frames that became work for other workers
};

// A construct uses the runtime whose run() it is in, the innermost, and outside any the default one. To make
// a runtime changes nothing for calls outside its run(); to choose how many workers those have, see
// set_default().
//
// A runtime starts workers - 1 threads; the thread that runs a region in it brings the last one. So one guest
// at a time keeps to the limit, and each further guest adds its own thread while its region lasts.
//
// All members may be called from any thread. Runtimes are independent of one another,
// and may be used after fork(2) in the child, too, outside regions.
//
// Example:
//   #include <sennit/join.hpp>
//
//   #include <cstdio>
//
//   void compute() {
//     sennit::runtime small({.workers = 2, .stack_bytes = 1 << 20});
//     const long answer = small.run([] {
//       auto [a, b] = sennit::join([] { return 40L; }, [] { return 2L; });
//       return a + b;
//     });
//     std::printf("%ld by %u workers, %llu steals\n", answer, small.workers(),
//                 static_cast<unsigned long long>(small.statistics().steals));
//   }
class SENNIT_EXPORT runtime {
 public:
  // Throws std::invalid_argument that names a bad option or variable, its value and what it may be,
  // and std::bad_alloc. Threads that the system refuses are done without.
  // Cost: some tens of microseconds a thread.
  explicit runtime(runtime_options options = {});
  // The same with so many workers; 0: as many as the environment says, or the machine has.
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  explicit runtime(I workers) : runtime(runtime_options{.workers = detail::to_workers(workers)}) {}
  // Precondition: no region of the runtime is running. Joins the threads.
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  // The runtime that constructs outside any other use: made at first use, ended at exit.
  // Throws as the constructor does.
  static runtime& default_runtime();
  // Makes the default runtime, with these options: for the beginning of main(). Throws as the constructor
  // does, and may then be called again; std::logic_error if there is a default runtime already.
  static void set_default(runtime_options options);

  // Runs f as a region of this runtime, on the calling thread and the workers, and returns its result,
  // which is movable or a reference. A strand of this runtime may call it too, and then simply calls f;
  // one of another runtime is a guest here meanwhile.
  //
  // Precondition: the caller holds no lock. Throws what f throws; std::bad_alloc if there is no memory for a
  // stack, and std::runtime_error beyond 4096 threads, the runtime's own included, in it at once.
  // Cost: a few tenths of a microsecond.
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

  // How many may be at work, as asked for, or what the environment and the machine came to.
  unsigned workers() const noexcept;
  // Cost: some nanoseconds a worker.
  sennit::statistics statistics() const noexcept;
  // membarrier or fence: what `automatic` came to.
  steal_barrier barrier() const noexcept;

 private:
  friend struct detail::runtime_access;
  runtime_options options_;
  std::atomic<detail::runtime_core*> core_;  // another one after fork(2), in the child
};

}  // namespace sennit

// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/machine_probes.hpp"

#include "tools/sennit/measure.hpp"

#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/runtime.hpp>
#include <sennit/task_group.hpp>

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <random>
#include <thread>
#include <utility>

namespace command {
namespace {

using clock = std::chrono::steady_clock;

constexpr unsigned batches = 9;

double ns_since(clock::time_point start) {
  return std::chrono::duration<double, std::nano>(clock::now() - start).count();
}

// Of the calling thread: other programs that take its CPU meanwhile do not count.
double cpu_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// The nanoseconds of one, where `some(n)` does n on the calling thread. A batch is as long as its share of the budget.
template <class Some>
double each(probe_time budget, const Some& some) {
  const auto time_of = [&](std::uint64_t n) {
    const double start = cpu_ns();
    some(n);
    return cpu_ns() - start;
  };
  const auto share = static_cast<double>((budget / (batches + 1)).count());
  std::uint64_t n = 1;
  for (double took = time_of(n); took < share / 4; took = time_of(n)) n *= 2;
  n = std::max<std::uint64_t>(1, n * 2);
  std::vector<double> samples;
  for (unsigned i = 0; i < batches; ++i) samples.push_back(time_of(n) / static_cast<double>(n));
  return median(std::move(samples));
}

// Of what takes two threads at once: where other programs run, the upper half says how long these have had a CPU.
double lower_quartile(std::vector<double> samples) {
  if (samples.empty()) return 0;
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 4);
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

// The calling thread runs on this CPU only, as far as the system allows it.
class bound_to {
 public:
  explicit bound_to(unsigned cpu) {
    known_ = pthread_getaffinity_np(pthread_self(), sizeof before_, &before_) == 0;
    if (!known_ || cpu >= CPU_SETSIZE) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
  }
  ~bound_to() {
    if (known_) pthread_setaffinity_np(pthread_self(), sizeof before_, &before_);
  }
  bound_to(const bound_to&) = delete;
  bound_to& operator=(const bound_to&) = delete;

 private:
  cpu_set_t before_;
  bool known_ = false;
};

// Runs f on a thread of its own that is bound to the CPU.
template <class F>
std::thread on_cpu(unsigned cpu, F f) {
  return std::thread([cpu, f = std::move(f)]() mutable {
    const bound_to here(cpu);
    f();
  });
}

// About 20 ns of work with nothing in it that depends on memory.
std::uint64_t work(std::uint64_t x) noexcept {
  for (int i = 0; i < 16; ++i) {
    x = x * 6364136223846793005U + 1;
    asm volatile("" : "+r"(x));
  }
  return x;
}
// So many of them.
void work_on(std::uint64_t chunks) noexcept {
  std::uint64_t x = chunks;
  for (std::uint64_t i = 0; i < chunks; ++i) x = work(x);
  asm volatile("" : : "r"(x));
}

// Shows that a thread runs now, and not another program on its CPU.
class pulse {
 public:
  void work_on(std::uint64_t chunks) noexcept {
    std::uint64_t x = chunks;
    for (std::uint64_t i = 0; i < chunks; ++i) {
      x = work(x);
      beats_.store(beats_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    asm volatile("" : : "r"(x));
  }
  // Waits for its next beat, unless `over` holds.
  void wait(const std::atomic<bool>& over) const noexcept {
    const std::uint64_t now = beats_.load(std::memory_order_relaxed);
    while (beats_.load(std::memory_order_relaxed) == now && !over.load(std::memory_order_relaxed)) {
    }
  }

 private:
  alignas(128) std::atomic<std::uint64_t> beats_{0};
};

// How much longer the calling thread's work takes in the slices in which `disturb(true)` holds than in those between: for
// each of `count()`'s disturbances.
template <class Disturb, class Count>
double cost_to_worker(pulse& own, probe_time budget, const Disturb& disturb, const Count& count) {
  const auto work_on = [&](std::uint64_t chunks) { own.work_on(chunks); };
  const double chunk = each(budget / 4, work_on);
  const auto chunks =
      static_cast<std::uint64_t>(static_cast<double>((budget * 3 / 4 / (2 * batches)).count()) / chunk) + 1;
  std::vector<double> samples;
  for (unsigned i = 0; i < batches; ++i) {
    double start = cpu_ns();
    work_on(chunks);
    const double undisturbed = cpu_ns() - start;
    disturb(true);
    const std::uint64_t before = count();
    start = cpu_ns();
    work_on(chunks);
    const double disturbed = cpu_ns() - start;
    const std::uint64_t times = count() - before;
    disturb(false);
    if (times > 0) samples.push_back((disturbed - undisturbed) / static_cast<double>(times));
  }
  return samples.empty() ? 0 : std::max(0.0, median(std::move(samples)));
}

[[gnu::noinline]] long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
[[gnu::noinline]] long forking_fib(long n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  sennit::join([&] { a = forking_fib(n - 1); }, [&] { b = forking_fib(n - 2); });
  return a + b;
}

}  // namespace

double probe_fork(probe_time budget) {
  constexpr long n = 18;
  constexpr double forks = 4180;  // fib(19) - 1
  sennit::runtime alone({.workers = 1});
  return alone.run([&] {
    const auto repeat = [](long (*f)(long)) {
      return [f](std::uint64_t times) {
        for (; times > 0; --times) {
          long from = n;
          asm volatile("" : "+r"(from));
          long result = f(from);
          asm volatile("" : : "r"(result));
        }
      };
    };
    const double serial = each(budget / 2, repeat(&fib));
    return std::max(0.0, (each(budget / 2, repeat(&forking_fib)) - serial) / forks);
  });
}

double probe_fence(probe_time budget) {
  std::atomic<std::uint64_t> word{0};
  const auto stores = [&](auto fence) {
    return [&word, fence](std::uint64_t times) {
      for (; times > 0; --times) {
        word.store(times, std::memory_order_relaxed);
        fence();
        (void)word.load(std::memory_order_relaxed);
      }
    };
  };
  const double without = each(budget / 2, stores([] {}));
  const double with = each(budget / 2, stores([] {
                             std::uint64_t on_stack = 0;
                             std::atomic_ref(on_stack).fetch_add(1, std::memory_order_seq_cst);
                           }));
  return std::max(0.0, with - without);
}

double probe_loop_chunk(probe_time budget) {
  sennit::runtime alone({.workers = 1});
  return alone.run([&] {
    const auto body = [](std::uint64_t first, std::uint64_t last) {
      asm volatile("" : : "r"(first), "r"(last));
    };
    // Smaller ones are claimed several at a time.
    constexpr std::uint64_t grain = 64;
    const double chunks = each(
        budget / 2, [&](std::uint64_t n) { sennit::parallel_for(n * grain, body, sennit::grain(grain)); });
    const double plain = each(budget / 2, [&](std::uint64_t n) {
      for (std::uint64_t i = 0; i < n; ++i) body(i, i + 1);
    });
    return std::max(0.0, chunks - plain);
  });
}

double probe_child(probe_time budget) {
  sennit::runtime alone({.workers = 1});
  return alone.run([&] {
    return each(budget, [](std::uint64_t n) {
      constexpr std::uint64_t together = 64;
      for (std::uint64_t left = n; left > 0;) {
        const std::uint64_t these = std::min(left, together);
        sennit::task_group children;
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < these; ++i) children.spawn([&sum] { ++sum; });
        children.wait();
        left -= these;
      }
    });
  });
}

double probe_lock(probe_time budget) {
  std::mutex lock;
  return each(budget, [&](std::uint64_t n) {
    for (; n > 0; --n) {
      lock.lock();
      lock.unlock();
    }
  });
}

double probe_steal(probe_time budget) {
  sennit::runtime pair({.workers = 2});
  if (pair.workers() < 2) return 0;
  return pair.run([&] {
    std::vector<double> samples;
    const clock::time_point last = clock::now() + budget;
    while (clock::now() < last) {
      // The thief is found searching.
      work_on(100);
      std::atomic<bool> started{false};
      std::thread::id thief;
      clock::time_point arrived;
      const clock::time_point forked = clock::now();
      sennit::join(
          [&] {
            while (!started.load(std::memory_order_acquire) && clock::now() < last)
              sennit::join([] {}, [] {});
          },
          [&] {
            arrived = clock::now();
            thief = std::this_thread::get_id();
            started.store(true, std::memory_order_release);
          });
      if (thief != std::this_thread::get_id())
        samples.push_back(std::chrono::duration<double, std::nano>(arrived - forked).count());
    }
    return lower_quartile(std::move(samples));
  });
}

double probe_transfer(unsigned cpu, unsigned other, probe_time budget) {
  if (cpu == other) return 0;
  struct alignas(128) turns {
    std::atomic<std::uint64_t> turn{0};
  };
  const auto shared = std::make_unique<turns>();
  std::atomic<bool> over{false};
  std::thread answering = on_cpu(other, [&] {
    while (!over.load(std::memory_order_relaxed)) {
      const std::uint64_t turn = shared->turn.load(std::memory_order_acquire);
      if (turn % 2 == 1) shared->turn.store(turn + 1, std::memory_order_release);
    }
  });
  const bound_to here(cpu);
  std::vector<double> samples;
  const clock::time_point last = clock::now() + budget;
  std::uint64_t turn = 0;
  constexpr std::uint64_t together = 64;
  while (clock::now() < last) {
    const clock::time_point start = clock::now();
    for (std::uint64_t i = 0; i < together; ++i) {
      shared->turn.store(turn + 1, std::memory_order_release);
      turn += 2;
      while (shared->turn.load(std::memory_order_acquire) != turn) {
      }
    }
    samples.push_back(ns_since(start) / (2 * together));
  }
  over.store(true, std::memory_order_relaxed);
  answering.join();
  return lower_quartile(std::move(samples));
}

namespace {

std::atomic<std::uint64_t> signals_taken{0};
void take_signal(int) noexcept { signals_taken.fetch_add(1, std::memory_order_relaxed); }

// SIGURG, which is ignored unless somebody wants it, has this handler meanwhile.
class handled_signal {
 public:
  static constexpr int number = SIGURG;
  handled_signal() {
    struct sigaction handler{};
    handler.sa_handler = &take_signal;
    handler.sa_flags = SA_RESTART;
    sigaction(number, &handler, &before_);
  }
  ~handled_signal() { sigaction(number, &before_, nullptr); }
  handled_signal(const handled_signal&) = delete;
  handled_signal& operator=(const handled_signal&) = delete;

 private:
  struct sigaction before_{};
};

}  // namespace

signal_costs probe_signals(unsigned cpu, unsigned other, probe_time budget) {
  const handled_signal handled;
  const bound_to here(cpu);
  const pthread_t receiver = pthread_self();
  pulse own;
  std::atomic<bool> sends{false};
  std::atomic<bool> over{false};
  std::vector<double> calls;
  std::thread sender = on_cpu(other, [&] {
    // Far enough from each other that none comes while the one before it is being handled.
    constexpr std::uint64_t chunks_between = 1000;
    while (!over.load(std::memory_order_relaxed)) {
      work_on(chunks_between);
      if (!sends.load(std::memory_order_relaxed)) continue;
      if (cpu != other) own.wait(over);
      const clock::time_point start = clock::now();
      pthread_kill(receiver, handled_signal::number);
      calls.push_back(ns_since(start));
    }
  });
  signal_costs costs;
  costs.take = cost_to_worker(
      own, budget, [&](bool on) { sends.store(on, std::memory_order_relaxed); },
      [] { return signals_taken.load(std::memory_order_relaxed); });
  over.store(true, std::memory_order_relaxed);
  sender.join();
  costs.send = lower_quartile(std::move(calls));
  return costs;
}

namespace {

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) noexcept {
  return syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

}  // namespace

sleep_costs probe_sleep(unsigned cpu, unsigned other, probe_time budget) {
  // Odd while the sleeper is to run.
  std::atomic<std::uint32_t> word{0};
  std::atomic<bool> over{false};
  std::atomic<std::int64_t> awake_at{0};
  std::vector<double> parks;
  const auto now_ns = [] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now().time_since_epoch()).count();
  };
  std::thread sleeper = on_cpu(other, [&] {
    for (std::uint32_t seen = 0;;) {
      const double before = cpu_ns();
      while (word.load(std::memory_order_acquire) == seen) futex(word, FUTEX_WAIT_PRIVATE, seen);
      seen = word.load(std::memory_order_relaxed);
      awake_at.store(now_ns(), std::memory_order_release);
      parks.push_back(cpu_ns() - before);
      if (over.load(std::memory_order_relaxed)) break;
    }
  });
  std::vector<double> calls;
  std::vector<double> latencies;
  {
    const bound_to here(cpu);
    const clock::time_point last = clock::now() + budget;
    bool go_on = true;
    while (go_on) {
      // By now it sleeps.
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      go_on = clock::now() < last;
      if (!go_on) over.store(true, std::memory_order_relaxed);
      const std::int64_t before = awake_at.load(std::memory_order_relaxed);
      const std::int64_t begin = now_ns();
      word.fetch_add(1, std::memory_order_release);
      futex(word, FUTEX_WAKE_PRIVATE, 1);
      const std::int64_t end = now_ns();
      calls.push_back(static_cast<double>(end - begin));
      std::int64_t awake = before;
      while ((awake = awake_at.load(std::memory_order_acquire)) == before) {
        // With one CPU for both.
        if (cpu == other) std::this_thread::yield();
      }
      latencies.push_back(static_cast<double>(std::max<std::int64_t>(0, awake - end)));
    }
  }
  sleeper.join();
  sleep_costs costs;
  costs.park = lower_quartile(std::move(parks));
  costs.wake_call = lower_quartile(std::move(calls));
  costs.wake_latency = lower_quartile(std::move(latencies));
  return costs;
}

namespace {

long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0); }

}  // namespace

barrier_costs probe_barrier(const std::vector<unsigned>& cpus, probe_time budget) {
  if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) != 0) return {};
  std::atomic<bool> over{false};
  std::atomic<bool> issues{false};
  std::atomic<unsigned> running{0};
  std::vector<double> takes;
  pulse own;
  // The calling thread is on the first CPU, and is interrupted; the second one issues the barriers.
  std::vector<std::thread> others;
  std::atomic<std::uint64_t> issued{0};
  for (std::size_t i = 1; i < cpus.size(); ++i) {
    others.push_back(on_cpu(cpus[i], [&, issuer = i == 1] {
      running.fetch_add(1, std::memory_order_relaxed);
      while (!over.load(std::memory_order_relaxed)) {
        work_on(100);
        if (!issuer || !issues.load(std::memory_order_relaxed)) continue;
        own.wait(over);
        const clock::time_point start = clock::now();
        membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
        takes.push_back(ns_since(start));
        issued.fetch_add(1, std::memory_order_relaxed);
      }
    }));
  }
  const bound_to here(cpus.front());
  barrier_costs costs;
  if (others.empty()) {
    costs.takes = each(budget, [](std::uint64_t n) {
      for (; n > 0; --n) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    });
    return costs;
  }
  while (running.load(std::memory_order_relaxed) < others.size()) std::this_thread::yield();
  costs.interrupts = cost_to_worker(
      own, budget, [&](bool on) { issues.store(on, std::memory_order_relaxed); },
      [&] { return issued.load(std::memory_order_relaxed); });
  over.store(true, std::memory_order_relaxed);
  for (std::thread& t : others) t.join();
  costs.takes = lower_quartile(std::move(takes));
  return costs;
}

namespace {

constexpr std::size_t line_bytes = 64;

// Pages that nobody has touched yet, as large as the system gives them.
class pages {
 public:
  explicit pages(std::size_t bytes) : bytes_(bytes) {
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    madvise(at, bytes, MADV_HUGEPAGE);
    words_ = static_cast<std::uint64_t*>(at);
  }
  ~pages() { munmap(words_, bytes_); }
  pages(const pages&) = delete;
  pages& operator=(const pages&) = delete;

  std::uint64_t* words() const noexcept { return words_; }
  std::size_t lines() const noexcept { return bytes_ / line_bytes; }
  // Of the line.
  std::uint64_t& first_word(std::size_t line) const noexcept {
    return words_[line * (line_bytes / sizeof(std::uint64_t))];
  }

 private:
  std::size_t bytes_;
  std::uint64_t* words_;
};

// Each line has the number of another one, and all are one ring.
void tie(const pages& in) {
  std::vector<std::uint32_t> order(in.lines());
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::minstd_rand(1));
  for (std::size_t i = 0; i < order.size(); ++i) in.first_word(order[i]) = order[(i + 1) % order.size()];
}

// A word of each line: the line comes whole.
std::uint64_t sum_of(const pages& in) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t line = 0; line < in.lines(); ++line) sum += in.first_word(line);
  return sum;
}

}  // namespace

double probe_latency(std::size_t bytes, unsigned home, unsigned cpu, probe_time budget) {
  const pages in(bytes);
  on_cpu(home, [&] { tie(in); }).join();
  double ns = 0;
  on_cpu(cpu, [&] {
    std::uint64_t at = 0;
    const auto follow = [&](std::uint64_t n) {
      for (; n > 0; --n) at = in.first_word(at);
      asm volatile("" : "+r"(at));
    };
    follow(in.lines());
    ns = each(budget, follow);
  }).join();
  return ns;
}

double probe_bandwidth(std::size_t bytes, unsigned home, const std::vector<unsigned>& cpus,
                       probe_time budget) {
  std::vector<std::unique_ptr<pages>> parts;
  for (std::size_t i = 0; i < cpus.size(); ++i) parts.push_back(std::make_unique<pages>(bytes));
  on_cpu(home, [&] {
    for (const auto& part : parts) {
      for (std::size_t line = 0; line < part->lines(); ++line) part->first_word(line) = line;
    }
  }).join();
  std::vector<double> rates(cpus.size());
  std::atomic<std::size_t> here{0};
  std::vector<std::thread> readers;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    readers.push_back(on_cpu(cpus[i], [&, i] {
      const pages& part = *parts[i];
      std::uint64_t sum = sum_of(part);
      here.fetch_add(1, std::memory_order_relaxed);
      while (here.load(std::memory_order_relaxed) < cpus.size()) std::this_thread::yield();
      std::vector<double> samples;
      const clock::time_point last = clock::now() + budget;
      do {
        const clock::time_point start = clock::now();
        sum += sum_of(part);
        asm volatile("" : "+r"(sum));
        samples.push_back(static_cast<double>(part.lines() * line_bytes) * 1e3 / ns_since(start));
      } while (clock::now() < last);
      rates[i] = median(std::move(samples));
    }));
  }
  for (std::thread& t : readers) t.join();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

}  // namespace command

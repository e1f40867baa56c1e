// SPDX-License-Identifier: Apache-2.0
// What recording and following a schedule costs: a region run plainly, recorded, or by the schedule of a run before it.
#include "common/sennit.hpp"

#include "schedule-fib/fib.hpp"

#include <sennit/join.hpp>
#include <sennit/replay.hpp>
#include <sennit/schedule.hpp>
#include <sennit/worker.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

static long fine(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([n] { return fine(n - 1); }, [n] { return fine(n - 2); });
  return a + b;
}

template <bool slowed>
static long coarse(long n) {
  if (n < schedule_fib::cutoff) {
    const bool slow = slowed && sennit::worker_index() == 1;
    for (int extra = slow ? 3 : 0; extra > 0; --extra) bench::opaque(schedule_fib::serial(bench::opaque(n)));
    return schedule_fib::serial(n);
  }
  auto [a, b] = sennit::join([n] { return coarse<slowed>(n - 1); }, [n] { return coarse<slowed>(n - 2); });
  return a + b;
}

class kernel {
 public:
  explicit kernel(bench::program& program) : program_(program), runtime_(program) {
    if (program.input() == "fine") run_ = known_ = fine;
    if (program.input() == "slowed") run_ = coarse<true>;
  }

  void prepare(std::uint64_t n) {
    n_ = static_cast<long>(n);
    if (program_.is("default") || program_.is("record")) return;
    const long recorded = program_.is("larger") && n_ > 6 ? n_ - 6 : n_;
    runtime_.run([&] { schedule_ = sennit::record([&] { known_(recorded); }); });
  }
  void run() {
    runtime_.run([this] {
      if (program_.is("default")) {
        result_ = run_(n_);
      } else if (program_.is("record")) {
        schedule_ = sennit::record([this] { result_ = run_(n_); });
      } else {
        result_ = sennit::replay(schedule_, how(), [this] { return run_(n_); });
      }
    });
  }
  std::uint64_t check() const { return static_cast<std::uint64_t>(result_); }
  std::vector<std::pair<const char*, double>> figures() const {
    const double kib = static_cast<double>(schedule_.without_times().bytes()) / 1024;
    return {{"kib_per_worker", kib / runtime_.workers()}};
  }

 private:
  sennit::fidelity how() const {
    if (program_.is("ordered")) return sennit::strict_ordered;
    if (program_.is("unordered")) return sennit::strict_unordered;
    if (program_.is("relaxed") || program_.is("larger")) return sennit::relaxed;
    bench::program::fail("--variant", "must be default, record, ordered, unordered, relaxed or larger");
  }

  bench::program& program_;
  bench::sennit_runtime runtime_;
  long (*run_)(long) = coarse<false>;
  long (*known_)(long) = coarse<false>;  // what the schedule is recorded from
  sennit::schedule schedule_;
  long n_ = 0;
  long result_ = 0;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  schedule_fib::check_input(program);
  return program.run(kernel(program));
}

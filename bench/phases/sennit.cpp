// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "gallery/ways.hpp"
#include "phases/kernels.hpp"

#include <utility>
#include <vector>

// The ways of gallery/ways.hpp. Schedules that are refined are refined before the time is taken. A schedule is followed from serial
// code, where the caller is always the same worker, as in a program whose phases are loops of main().
template <class Way>
class scheduled {
 public:
  scheduled(bench::program& program, Way way) : runtime_(program), start_(way), way_(std::move(way)) {}

  template <class F>
  void enter(F&& f) {
    if constexpr (Way::follows) {
      f();
    } else {
      runtime_.run(f);
    }
  }
  template <class Kernel>
    requires requires(Way& way, Kernel& kernel) { way.initialize(kernel); }
  void initialize(Kernel& kernel) {
    way_ = start_;
    enter([&] { way_.initialize(kernel); });
    if constexpr (requires { way_.settle(kernel); }) way_.settle(kernel);
  }
  template <class Kernel>
  void step(Kernel& kernel) {
    way_.step(kernel);
  }
  auto figures() const
    requires requires(const Way& way) { way.plan(); }
  {
    const double kib = static_cast<double>(way_.plan().current().without_times().bytes()) / 1024;
    return std::vector<std::pair<const char*, double>>{{"kib_per_worker", kib / runtime_.workers()},
                                                       {"refinements", way_.plan().rounds()}};
  }

 private:
  bench::sennit_default_runtime runtime_;
  Way start_;
  Way way_;
};

template <class Way>
int run(bench::program& program, Way way) {
  return phases::run_with(program, scheduled<Way>(program, std::move(way)));
}

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  using forked = gallery::halves<sennit::parallel>;
  const unsigned workers = program.workers();
  if (program.is("blocks")) return run(program, gallery::by_blocks());
  if (program.is("levels")) return run(program, gallery::by_levels());
  if (program.is("designed")) return run(program, gallery::designed());
  if (program.is("refine")) return run(program, gallery::refined());
  if (program.is("coarse")) return run(program, gallery::refined(forked(workers, true), sennit::coarsening));
  if (program.is("default")) return run(program, gallery::unscheduled());
  program.knows("forked");
  return run(program, gallery::unscheduled(forked(workers)));
}

// SPDX-License-Identifier: Apache-2.0
// The default: functions that declare their effects, spliced. `trees`: declared trees; `chosen`: in blocks that the
// library chooses; `chains`: the same, of four sweeps each, in one loop; `sheared`: of parts that the program shifts from sweep
// to sweep. `slices`: large steps in slices; `chosen-slices`: the library chooses their size.
// `memoized`: trees, by the order found in an earlier run. `refined`: by a schedule of the workers that was refined before.
// `parallel`, `joins`: not spliced, one sweep after the other in parallel.
#include "common/sennit_loops.hpp"
#include "common/sennit_way.hpp"
#include "splice/forms.hpp"
#include "splice/kernels.hpp"

#include <sennit/memoized_splice.hpp>
#include <sennit/refine.hpp>
#include <sennit/splice.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace {

using splice::part;
using splice::range;
using splice::shape;
using splice::sweep_rows;
using splice::tree_of;

template <class Kernel>
sennit::splicing how(const shape& by) {
  return {.together = static_cast<std::uint32_t>(by.together * Kernel::phases)};
}

struct functions {
  template <class Kernel>
  sennit::splice_report operator()(Kernel& kernel, const shape& by, std::int64_t sweeps) const {
    return sennit::splice(how<Kernel>(by), sweeps,
                          [&](std::int64_t s) { sweep_rows(kernel, s, kernel.whole().rows, by.block); });
  }
};

// Steps so large that they are done slice by slice.
template <class Kernel>
void sweep_slices(Kernel& kernel, std::int64_t s, range rows, std::int64_t slice) {
  const sennit::call_effects fx{kernel.effects_of(s, rows)};
  if (rows.size() <= 256 * slice) {
    sennit::step(
        sennit::sliced_range{rows, slice}, [&](range some) { return kernel.effects_of(s, some); },
        [&](range some) { kernel.sweep(s, {some, kernel.whole().columns}); });
  } else {
    sennit::sequence(sennit::call(sweep_slices<Kernel>, kernel, s, rows.left(), slice),
                     sennit::call(sweep_slices<Kernel>, kernel, s, rows.right(), slice));
  }
}

struct slices {
  template <class Kernel>
  sennit::splice_report operator()(Kernel& kernel, const shape& by, std::int64_t sweeps) const {
    return sennit::splice(how<Kernel>(by), sweeps,
                          [&](std::int64_t s) { sweep_slices(kernel, s, kernel.whole().rows, by.block); });
  }
};

// Functions that leave the size of their slices to the library. Halves are for other workers.
template <class Kernel>
void sweep_chosen_slices(Kernel& kernel, std::int64_t s, range rows, std::int64_t most) {
  const sennit::call_effects fx{kernel.effects_of(s, rows)};
  if (rows.size() <= most) {
    sennit::step(
        sennit::sliced_range{rows, 0}, [&](range some) { return kernel.effects_of(s, some); },
        [&](range some) { kernel.sweep(s, {some, kernel.whole().columns}); });
  } else {
    sennit::sequence(sennit::call(sweep_chosen_slices<Kernel>, kernel, s, rows.left(), most),
                     sennit::call(sweep_chosen_slices<Kernel>, kernel, s, rows.right(), most));
  }
}

struct chosen_slices {
  template <class Kernel>
  sennit::splice_report operator()(Kernel& kernel, const shape&, std::int64_t sweeps) const {
    const std::int64_t pieces = sennit::worker_count() == 1 ? 1 : 128 * sennit::worker_count();
    const std::int64_t most = (kernel.whole().rows.size() + pieces - 1) / pieces;
    return sennit::splice(sweeps,
                          [&](std::int64_t s) { sweep_chosen_slices(kernel, s, kernel.whole().rows, most); });
  }
};

struct trees {
  template <class Kernel>
  sennit::splice_report operator()(Kernel& kernel, const shape& by, std::int64_t sweeps) const {
    return sennit::splice(how<Kernel>(by), sweeps,
                          [&](std::int64_t s) { return tree_of(kernel, s, by.block); });
  }
};

// A kernel says the effects of parts of its columns where its rows are large.
template <class Kernel>
concept says_effects_of_parts = requires(Kernel& kernel) { kernel.effects_of(0, kernel.whole()); };

template <says_effects_of_parts Kernel>
auto tree_of_parts(Kernel& kernel, std::int64_t s, std::int64_t cells) {
  const auto part_of = [](sennit::rectangle r) { return part{r.rows, r.columns}; };
  return sennit::divided{sennit::rectangle{kernel.whole().rows, kernel.whole().columns}, cells,
                         [=, &kernel](sennit::rectangle r) { return kernel.effects_of(s, part_of(r)); },
                         [=, &kernel](sennit::rectangle r) { kernel.sweep(s, part_of(r)); }};
}

// The library chooses the blocks, and how many sweeps it takes together.
struct chosen {
  template <class Kernel>
  sennit::splice_report operator()(Kernel& kernel, const shape&, std::int64_t sweeps) const {
    return sennit::splice(sweeps, [&](std::int64_t s) {
      if constexpr (says_effects_of_parts<Kernel>) {
        return tree_of_parts(kernel, s, 0);
      } else {
        return tree_of(kernel, s, 0);
      }
    });
  }
};

// Of sweeps that wait for chains: as many as go in one loop are one tree. So the processor has as many chains to go on with, and
// the library finds how far each tree has to be behind the one before.
struct chains {
  template <class Kernel>
  sennit::splice_report operator()(Kernel& kernel, const shape& by, std::int64_t sweeps) const {
    if constexpr (splice::in_chains<Kernel>) {
      using splice::chains_together;
      const range all = kernel.whole().rows;
      return sennit::splice((sweeps + chains_together - 1) / chains_together, [&](std::int64_t group) {
        const std::int64_t s = group * chains_together;
        const std::int64_t some = std::min(chains_together, sweeps - s);
        return sennit::divided{
            range{all.first, all.last + chains_together - 1}, 0,
            [&kernel, s, all](range rows) {
              return kernel.effects_of(s, range{rows.first - chains_together + 1, rows.last}.within(all));
            },
            [&kernel, s, some](range rows) { splice::sweep_chains(kernel, s, some, rows); }};
      });
    } else {
      return chosen()(kernel, by, sweeps);
    }
  }
};

// A tile of tiled.cpp, or many.
struct sheared_part {
  part all;
  std::int32_t tile_rows;
  std::int32_t tile_columns;

  std::int64_t size() const {
    return all.columns.size() <= tile_columns && all.rows.size() <= tile_rows ? 1 : 2;
  }
  sheared_part left() const { return half(&range::left); }
  sheared_part right() const { return half(&range::right); }

 private:
  sheared_part half(range (range::*which)() const noexcept) const {
    sheared_part some = *this;
    range& cut = all.columns.size() > tile_columns ? some.all.columns : some.all.rows;
    cut = (cut.*which)();
    return some;
  }
};

// The program shifts the parts from sweep to sweep to where their input is, so that no step has to wait. Where rows alone are too large
// for the cache this is the only way, as it is by hand.
struct sheared {
  template <class Kernel>
  sennit::splice_report operator()(Kernel& kernel, const shape& by, std::int64_t sweeps) const {
    const part whole = kernel.whole();
    const std::vector<splice::lead> behind = splice::lags<Kernel>(0, sweeps);
    const sheared_part all{{{whole.rows.first, whole.rows.last + behind.back().rows},
                            {whole.columns.first, whole.columns.last + behind.back().columns}},
                           static_cast<std::int32_t>(by.tile_rows),
                           static_cast<std::int32_t>(std::min(by.tile_columns, std::int64_t{1} << 30))};
    return sennit::splice(how<Kernel>(by), sweeps, [&](std::int64_t s) {
      const auto there = [whole, lag = behind[static_cast<std::size_t>(s)]](const sheared_part& p) {
        return part{splice::shifted(p.all.rows, lag.rows).within(whole.rows),
                    splice::shifted(p.all.columns, lag.columns).within(whole.columns)};
      };
      return sennit::divided{all, 1,
                             [&kernel, s, there](const sheared_part& p) {
                               const part now = there(p);
                               if (now.empty()) return sennit::effects();
                               if constexpr (requires { kernel.effects_of(s, now); }) {
                                 return kernel.effects_of(s, now);
                               } else {
                                 return kernel.effects_of(s, now.rows);
                               }
                             },
                             [&kernel, s, there](const sheared_part& p) {
                               const part now = there(p);
                               if (!now.empty()) kernel.sweep(s, now);
                             }};
    });
  }
};

using figures_of_splice = std::vector<std::pair<const char*, double>>;

figures_of_splice figures_of(const sennit::splice_report& report) {
  return {{"splice_steps", static_cast<double>(report.steps)},
          {"splice_checks", static_cast<double>(report.checks)},
          {"splice_switches", static_cast<double>(report.switches)},
          {"splice_delayed", static_cast<double>(report.delayed)},
          {"splice_dependences", static_cast<double>(report.dependences)},
          {"splice_extra_kib", static_cast<double>(report.extra_bytes) / 1024},
          {"splice_block", static_cast<double>(report.block)},
          {"splice_blocks_tried", report.blocks_tried},
          {"splice_shift", static_cast<double>(report.shift)},
          {"splice_shift_of_columns", static_cast<double>(report.shift_of_columns)}};
}

template <class Splice>
class spliced {
 public:
  explicit spliced(bench::program& program) : runtime_(program) {}

  template <class Kernel>
  void run(Kernel& kernel, const shape& by, std::int64_t sweeps) {
    report_ = runtime_.run([&] { return Splice()(kernel, by, sweeps); });
  }
  figures_of_splice figures() const { return figures_of(report_); }

 private:
  bench::sennit_runtime runtime_;
  sennit::splice_report report_;
};

class memoized {
 public:
  explicit memoized(bench::program& program) : runtime_(program) {}

  template <class Kernel>
  void settle(Kernel& kernel, const shape& by, std::int64_t sweeps) {
    const auto tree = [&kernel, by](std::int64_t s) {
      if constexpr (says_effects_of_parts<Kernel>) {
        return tree_of_parts(kernel, s, by.tile_rows * by.tile_columns);
      } else {
        return tree_of(kernel, s, by.block_in_known_order());
      }
    };
    splice_ = [memo = std::make_shared<sennit::memoized_splice<decltype(tree)>>(tree, how<Kernel>(by))](
                  std::int64_t n) { memo->run(n); };
    run(kernel, by, sweeps);
  }
  template <class Kernel>
  void run(Kernel&, const shape&, std::int64_t sweeps) {
    runtime_.run([&] { splice_(sweeps); });
  }

 private:
  bench::sennit_runtime runtime_;
  std::function<void(std::int64_t)> splice_;
};

class refined {
 public:
  explicit refined(bench::program& program) : runtime_(program) {}

  template <class Kernel>
  void settle(Kernel& kernel, const shape& by, std::int64_t sweeps) {
    plan_ = sennit::refinement({}, {.most_rounds = 4});
    while (!plan_.converged()) plan_.run([&] { trees()(kernel, by, sweeps); });
  }
  template <class Kernel>
  void run(Kernel& kernel, const shape& by, std::int64_t sweeps) {
    sennit::replay(plan_.current(), sennit::relaxed, [&] { report_ = trees()(kernel, by, sweeps); });
  }
  figures_of_splice figures() const { return figures_of(report_); }

 private:
  bench::sennit_default_runtime runtime_;
  sennit::refinement plan_;
  sennit::splice_report report_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("trees")) return splice::run_with(program, spliced<trees>(program));
  if (program.is("slices")) return splice::run_with(program, spliced<slices>(program));
  if (program.is("chosen-slices")) return splice::run_with(program, spliced<chosen_slices>(program));
  if (program.is("chains")) return splice::run_with(program, spliced<chains>(program));
  if (program.is("sheared")) return splice::run_with(program, spliced<sheared>(program));
  if (program.is("chosen")) return splice::run_with(program, spliced<chosen>(program));
  if (program.is("memoized")) return splice::run_with(program, memoized(program));
  if (program.is("refined")) return splice::run_with(program, refined(program));
  if (program.is("parallel"))
    return splice::run_with(program, splice::looped<bench::sennit_loops<sennit::loop_options{}>>(program));
  if (program.is("joins")) return splice::run_with(program, splice::halved<bench::sennit_way>(program));
  return splice::run_with(program, spliced<functions>(program));
}

// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include "stages/items.hpp"

#include <tbb/parallel_pipeline.h>

#include <cstddef>
#include <cstdint>

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::onetbb_version());
  bench::onetbb tbb(program);
  return stages::run_with(program, [&](stages::items& all) {
    tbb.run([&] {
      using value = std::uint64_t;
      using tbb::filter_mode;
      const filter_mode between = all.all_ordered() ? filter_mode::serial_in_order : filter_mode::parallel;
      // As many items as Sennit has by default.
      tbb::parallel_pipeline(
          4 * std::size_t{program.workers()},
          tbb::make_filter<void, value>(filter_mode::serial_in_order, [&](tbb::flow_control& flow) -> value {
            if (all.has_more()) return all.first(all.next());
            flow.stop();
            return 0;
          }) & tbb::make_filter<value, value>(between, [&](value v) {
            return all.second(v);
          }) & tbb::make_filter<value, value>(between, [&](value v) {
            return all.third(v);
          }) & tbb::make_filter<value, void>(filter_mode::serial_in_order, [&](value v) { all.last(v); }));
    });
  });
}

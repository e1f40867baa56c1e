// SPDX-License-Identifier: Apache-2.0
#include "stages/items.hpp"

#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  bench::program program(argc, argv, std::string("Taskflow ") + tf::version());
  tf::Executor executor(program.workers());
  return stages::run_with(program, [&](stages::items& all) {
    // As many items as Sennit has by default.
    const std::size_t lines = 4 * std::size_t{program.workers()};
    std::vector<std::uint64_t> values(lines);
    const tf::PipeType between = all.all_ordered() ? tf::PipeType::SERIAL : tf::PipeType::PARALLEL;
    tf::Pipeline pipeline(
        lines,
        tf::Pipe{tf::PipeType::SERIAL,
                 [&](tf::Pipeflow& flow) {
                   if (!all.has_more()) return flow.stop();
                   values[flow.line()] = all.first(all.next());
                 }},
        tf::Pipe{between, [&](tf::Pipeflow& flow) { values[flow.line()] = all.second(values[flow.line()]); }},
        tf::Pipe{between, [&](tf::Pipeflow& flow) { values[flow.line()] = all.third(values[flow.line()]); }},
        tf::Pipe{tf::PipeType::SERIAL, [&](tf::Pipeflow& flow) { all.last(values[flow.line()]); }});
    tf::Taskflow whole;
    whole.composed_of(pipeline);
    executor.run(whole).wait();
  });
}

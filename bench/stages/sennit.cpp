// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "stages/items.hpp"

#include <sennit/pipeline.hpp>

#include <cstdint>
#include <optional>

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::sennit_runtime runtime(program);
  return stages::run_with(program, [&](stages::items& all) {
    runtime.run([&] {
      using value = std::uint64_t;
      const auto source = sennit::source([&]() -> std::optional<value> {
        if (!all.has_more()) return std::nullopt;
        return all.next();
      });
      const auto first = sennit::stage(sennit::ordered, [&](value v) { return all.first(v); });
      const auto last = sennit::stage(sennit::ordered, [&](value v) { all.last(v); });
      const auto second = [&](value v) { return all.second(v); };
      const auto third = [&](value v) { return all.third(v); };
      if (all.all_ordered()) {
        sennit::pipeline(source, first, sennit::stage(sennit::ordered, second),
                         sennit::stage(sennit::ordered, third), last);
      } else {
        sennit::pipeline(source, first, sennit::stage(second), sennit::stage(third), last);
      }
    });
  });
}

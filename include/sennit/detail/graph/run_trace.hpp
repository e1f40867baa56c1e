// SPDX-License-Identifier: Apache-2.0
// What a traced run does when it begins and when it ends.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/tracing.hpp>

#include <cstddef>
#include <cstdint>

namespace sennit::detail {

// Writes what the run computed into its trace.
template <class Key, class Run, class All, class Calls>
void fill_trace(Run& run, All& all, const Calls& calls, std::uint64_t length, bool failed) {
  trace_filler filler(*calls.given.trace, run.tracing().take(), length);
  if (failed) filler.set_failed();
  if constexpr (Calls::colored) filler.set_colors(calls.given.coloring.of, calls.color_count);
  typename All::supply supply;
  const std::size_t count = filler.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& k = all.key_of(filler.number(i));
    filler.set_key(i, label_of_key(k));
    if constexpr (Calls::colored) filler.set_colors(i, calls.list_of_colors(k));
    if (!filler.wants_predecessors()) continue;
    for (const Key& p : calls.predecessors(k)) filler.add_predecessor(i, all.find_or_make(p, supply));
  }
  filler.finish();
}

// A traced run calls it when it begins, and when it ends, before anything is thrown.
template <class Key, class Run, class All, class Calls>
class tracing_of_run {
 public:
  tracing_of_run(Run& run, All& all, const Calls& calls) : run_(run), all_(all), calls_(calls) {
    clear_trace(*calls.given.trace);
    run_.tracing().begin();
    if constexpr (Calls::colored) run_.tracing().places = calls.given.coloring.of;
  }
  // `failed`: the run throws another exception, which a failure of the trace must not hide.
  void finish(bool failed) {
    const std::uint64_t length = trace_now_ns() - run_.tracing().begun();
#if SENNIT_EXCEPTIONS
    try {
      fill_trace<Key>(run_, all_, calls_, length, failed);
    } catch (...) {
      clear_trace(*calls_.given.trace);
      if (!failed) throw;
    }
#else
    fill_trace<Key>(run_, all_, calls_, length, failed);
#endif
  }

 private:
  Run& run_;
  All& all_;
  const Calls& calls_;
};

}  // namespace sennit::detail

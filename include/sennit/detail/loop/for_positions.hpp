// SPDX-License-Identifier: Apache-2.0
// Loops whose iterations have no value.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/held.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/run.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <cstdint>

namespace sennit::detail {

struct no_value {};

template <class Run>
struct plain_body {
  using value = no_value;
  static constexpr bool whole_chunks = [] {
    if constexpr (requires { Run::whole_chunks; }) return Run::whole_chunks;
    return !requires(const Run& run) { run(position{}, position{}, no_gate()); };
  }();
  Run run_;
  value make() const noexcept { return {}; }
  template <class Gate>
  SENNIT_INLINE position run(value&, position from, position to, Gate gate) const {
    if constexpr (requires { run_(from, to, gate); }) {
      return run_(from, to, gate);
    } else {
      run_(from, to);
      return to;
    }
  }
  SENNIT_INLINE void run_one(value& sum, position at) const {
    if constexpr (requires { run_.one(at); }) {
      run_.one(at);
    } else {
      run(sum, at, at + 1, no_gate());
    }
  }
  std::uintptr_t code() const noexcept {
    if constexpr (requires { run_.code(); }) return run_.code();
    return 0;
  }
  void merge(value&, value&&) const noexcept {}
};

// Calls run(from, to), or run(from, to, gate), which returns where it has stopped, for chunks that cover [0,
// n) without overlap, in parallel. Throws what the lowest chunk that throws threw.
template <class Run>
SENNIT_INLINE void for_positions(position n, Run&& run, const loop_options& how) {
  if (n != 0) run_loop(n, plain_body<held<Run>>{run}, how);
}

template <class Run, partition Partition>
SENNIT_INLINE void for_positions(position n, Run&& run, const Partition& by) {
  if (n != 0) run_loop(n, plain_body<held<Run>>{run}, partition_options{{}, partition_view(by)});
}

template <class Run, loop_follower Follower>
void for_positions(position n, Run&& run, const Follower& by) {
  auto loop = [&] { for_positions(n, run, loop_options{}); };
  auto in_parts = [&] { for_positions(n, run, by.parts()); };
  if (n != 0) by.follow(n, loop, in_parts);
}

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
#include "fork/answer.hpp"

#include "process/contract.hpp"
#include "process/perturb.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/region.hpp>

#include <exception>

namespace sennit::detail {

bool stopped(worker& w) noexcept {
#if SENNIT_EXCEPTIONS
  return (w.frames().sticky() & cancelled) != 0;
#else
  (void)w;
  return false;  // without exceptions a construct has no way to end early
#endif
}

[[noreturn]] void throw_cancelled() {
#if SENNIT_EXCEPTIONS
  throw sennit::cancelled();
#else
  std::terminate();
#endif
}

bool answer_gates(worker& w, bool pushed) noexcept {
  const worker_frames::opened gate = w.frames().open_push_gate(w.core().asleep(), pushed, w.at_hand());
  if (gate.wake) w.core().call_for_work(w.frames().innermost()->region);
  if (gate.handed != nullptr) w.pass_on(*gate.handed);
  if ((w.frames().sticky() & contract) != 0) check_contract();
  if (gate.room && w.leaving()) w.hand_over_strand();
  return gate.room;
}

bool take_newest(worker& w) noexcept {
  if ((w.frames().sticky() & contract) != 0) check_contract();
  perturb();  // a thief may take the frame meanwhile
  const worker_frames::popped newest = w.frames().pop(w.at_hand());
  if (newest.handed != nullptr) w.pass_on(*newest.handed);
  return newest.mine;
}

}  // namespace sennit::detail

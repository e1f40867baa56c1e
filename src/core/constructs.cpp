// The slow paths of fork and join.
#include "core/constructs.hpp"

#include "core/contract.hpp"
#include "core/runtime_core.hpp"
#include "core/views.hpp"
#include "core/worker.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/words.hpp>
#include <sennit/region.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace sennit::detail {

bool stopped(worker& w) noexcept {
#if SENNIT_EXCEPTIONS
  return (w.frames().sticky_reasons() & cancelled) != 0;
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

bool answer_gates(worker& w) noexcept {
  const deque::opened gate = w.frames().open_push_gate();
  if (gate.wake) w.core().asleep().wake_one();
  if (gate.handed != nullptr) w.pass_on(*gate.handed);
  if ((w.frames().sticky_reasons() & contract) != 0) check_contract();
  if (w.leaving()) {
    if (gate.room) {
      w.hand_over_strand();
    } else {
      w.frames().shut_push_gate();  // to be asked again by a push that has room
    }
  }
  return gate.room;
}

bool take_newest(worker& w) noexcept {
  if ((w.frames().sticky_reasons() & contract) != 0) check_contract();
  const deque::popped newest = w.frames().pop();
  if (newest.handed != nullptr) w.pass_on(*newest.handed);
  return newest.mine;
}

namespace {

// Takes back the newest frame. False if somebody else has it.
bool unpush(worker& w, frame& f) noexcept {
  store_tail(load_tail() - 1);
  return take_newest(w) || deque::reclaim(f);
}

// The pop of a frame that met the gate: true if the branch is the strand's own, unstarted; otherwise it has ended.
bool settle(frame& f) noexcept {
  if (take_newest(*worker::current()) || deque::reclaim(f)) return true;
  await_taken(f);
  // Its thief may be looking for more already, and too late to ask before the next fork.
  worker::current()->frames().expect_thief();
  return false;
}

}  // namespace

push_result push_shut(frame& pushed) {
  worker* const w = worker::current();
  if (w == nullptr) {
    leave_outside_slots();
    return push_result::apart;
  }
  if (stopped(*w)) {
    if (unpush(*w, pushed)) throw_cancelled();
    return push_result::taken;
  }
  // A thief that has the frame already settles the matter: it is pushed.
  return answer_gates(*w) || !unpush(*w, pushed) ? push_result::pushed : push_result::apart;
}

void await_taken(frame& branch) noexcept {
  worker::wait(branch.away().done, 1);
  append_views(branch.away().views);
}

bool pop_shut(frame& popped) {
  if (!settle(popped)) return false;
  if (stopped(*worker::current())) throw_cancelled();
  return true;
}

bool pop_unwinding(frame& popped) noexcept {
  slot* const tail = load_tail() - 1;
  store_tail(tail);
  return !pop_gate_shut(tail) || settle(popped);
}

bool in_strand() noexcept { return worker::current() != nullptr; }

void throw_outcome(frame& branch) {
  departure& away = branch.away();
#if SENNIT_EXCEPTIONS
  if (away.result == outcome::thrown) std::rethrow_exception(std::exchange(away.failure, nullptr));
#endif
  (void)away;
  throw_cancelled();
}

#if SENNIT_EXCEPTIONS

namespace {

bool is_cancelled(const std::exception_ptr& failure) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (const sennit::cancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

void keep_exception(std::exception_ptr* kept) noexcept { std::construct_at(kept, std::current_exception()); }

void throw_leftmost(std::exception_ptr* kept, frame* right) {
  std::exception_ptr left = std::move(*kept);
  std::destroy_at(kept);
  if (right != nullptr && right->away().result == outcome::thrown) {
    std::exception_ptr other = std::exchange(right->away().failure, nullptr);
    if (is_cancelled(left)) std::rethrow_exception(std::move(other));
  }
  std::rethrow_exception(std::move(left));
}

#endif

}  // namespace sennit::detail

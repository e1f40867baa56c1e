// The slow paths of the constructs: what a fork or a join calls when it meets a shut gate.
// All are cold functions of the library; the work is in src/fork, src/loop and src/worker.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/frame.hpp>

#include <exception>

namespace sennit {

class runtime;

namespace detail {

class runtime_core;
struct runtime_access;

enum class push_result {
  pushed,      // go on
  not_pushed,  // the frame is not in the deque: run the construct without it
  taken,       // the region is cancelled, but another worker has the branch already: wait for it, and end
};

// What differs where a region is cancelled: code built without exceptions cannot end early, and nothing may
// be thrown through it. A program may have code of both kinds, so each calls its own; the library has both,
// unless it is built without exceptions. Code that has them cannot be linked with that.
namespace ending_early {

// After a push met the shut gate. Throws cancelled, the frame not being in the deque,
// where the region is cancelled.
SENNIT_EXPORT SENNIT_COLD push_result push_shut(frame& pushed);

// After a pop met the shut gate. True: the branch is the caller's to run.
// False: it has run elsewhere and its outcome is in the frame.
// Throws cancelled where the branch has not been started and the region is cancelled.
SENNIT_EXPORT SENNIT_COLD bool pop_shut(frame& popped);

}  // namespace ending_early
namespace ending_late {

// The same, but cancellation changes nothing.
SENNIT_EXPORT SENNIT_COLD push_result push_shut(frame& pushed) noexcept;
SENNIT_EXPORT SENNIT_COLD bool pop_shut(frame& popped) noexcept;

}  // namespace ending_late

#if SENNIT_EXCEPTIONS
using ending_early::pop_shut;
using ending_early::push_shut;
#else
using ending_late::pop_shut;
using ending_late::push_shut;
#endif

// Returns when the branch, which another worker has taken, has ended.
SENNIT_EXPORT SENNIT_COLD void await_taken(frame& branch) noexcept;

// The whole pop, for the way out by an exception: never throws, and true means that
// the branch must be dropped.
SENNIT_EXPORT SENNIT_COLD bool pop_unwinding(frame& popped) noexcept;

// The claimed branch that runs here has come to its end: its views stay in its frame, and the worker leaves
// its region, which may be gone as soon as the branch says that it has finished.
SENNIT_EXPORT SENNIT_COLD void leave_branch(frame& branch) noexcept;

// Whether the calling thread runs a strand of some runtime.
SENNIT_EXPORT SENNIT_COLD bool in_strand() noexcept;

// Runs the action as the root of a region of `home` (null: the default runtime, or that of the calling
// strand), on the calling thread and whoever helps it. What the action throws is thrown here.
SENNIT_EXPORT SENNIT_COLD void run_region(runtime* home, action body);

// Throws the exception that a branch run elsewhere ended with, or cancelled.
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void throw_outcome(frame& branch);

// Makes *kept the exception being handled.
SENNIT_EXPORT SENNIT_COLD void keep_exception(std::exception_ptr* kept) noexcept;

// Throws *left, unless that is only `cancelled` and the branch to its right, run elsewhere, threw an
// exception of its own. Ends *left and the branch's outcome. `right` is null where that branch did not run.
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void throw_leftmost(std::exception_ptr* left, frame* right);

}  // namespace detail
}  // namespace sennit

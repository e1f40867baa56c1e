// SPDX-License-Identifier: Apache-2.0
// Functions of the library that joins and regions call. They are defined in src/fork, src/region and
// src/worker.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/frame.hpp>

#include <exception>

namespace sennit {

class runtime;

namespace detail {

struct region_state;
class runtime_core;
struct runtime_access;

enum class push_result {
  pushed,      // continue
  not_pushed,  // the frame is not in the deque: run the construct without it
  taken,  // the region is cancelled, but another worker has taken the branch: wait for the branch, then throw
};

// Functions that differ in a cancelled region. Code built without exceptions cannot end early, and nothing
// may be thrown through it. A program may have code with and without exceptions, and each calls its own
// functions. The library has both, unless it is built without exceptions; code with exceptions cannot be
// linked with such a library.
namespace ending_early {

// The slow path of a push with a shut gate. If the region is cancelled, it removes the frame from the deque
// and throws cancelled.
SENNIT_EXPORT SENNIT_COLD push_result push_shut(frame& pushed);

// The slow path of a pop with a shut gate. Returns true if the caller has to run the branch. Returns false
// if the branch has run elsewhere; its outcome is then in the frame. Throws cancelled if the region is
// cancelled and the branch has not been started.
SENNIT_EXPORT SENNIT_COLD bool pop_shut(frame& popped);

}  // namespace ending_early
namespace ending_late {

// The same, but cancellation has no effect.
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

// Returns when a branch that another worker has taken has ended.
SENNIT_EXPORT SENNIT_COLD void await_taken(frame& branch) noexcept;

// The whole pop, while an exception unwinds the strand: never throws. Returns true if the caller must drop
// the branch.
SENNIT_EXPORT SENNIT_COLD bool pop_unwinding(frame& popped) noexcept;

// Called when a claimed branch has ended. The branch's views go into its frame, and the worker leaves the
// branch's region, which may be destroyed as soon as the branch is marked as finished.
SENNIT_EXPORT SENNIT_COLD void leave_branch(frame& branch) noexcept;

// Whether the calling thread runs a strand of some runtime.
SENNIT_EXPORT SENNIT_COLD bool in_strand() noexcept;

// The innermost region of the calling strand, and what tells the strand from others in reports. Null where in_strand() is
// false.
SENNIT_EXPORT SENNIT_COLD const region_state* innermost_region() noexcept;
SENNIT_EXPORT SENNIT_COLD const void* strand_in_reports() noexcept;

// Runs the action as the root of a region of `home` on the calling thread and other workers. If `home` is
// null, the runtime is that of the calling strand, or else the default one. Throws what the action throws.
SENNIT_EXPORT SENNIT_COLD void run_region(runtime* home, action body);
// The same, except that children that the action spawns in groups from outside may outlast it. Precondition: the
// runtime outlasts the groups.
SENNIT_EXPORT SENNIT_COLD void run_implied_region(runtime& home, action body);

// Runs the action in the calling strand. In a trace it is one section with that name, and what it does in parallel is not told.
// Throws what the action throws.
SENNIT_EXPORT SENNIT_COLD void run_as_one(const char* name, action body);
// The same for a run of a graph, whose nodes are told as far as the run asks for the graph: claim_told_graph(). `code`: where
// it is in the program; null: where the body is.
SENNIT_EXPORT SENNIT_COLD void run_graph(action body, const void* code = nullptr);

// Throws the exception with which a branch ended on another worker, or cancelled.
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void throw_outcome(frame& branch);

// Stores the exception that is being handled in *kept.
SENNIT_EXPORT SENNIT_COLD void keep_exception(std::exception_ptr* kept) noexcept;

// Throws *left, unless *left is only `cancelled` and the branch to its right threw an exception of its own
// on another worker. Ends *left and the branch's outcome. `right` is null if that branch did not run.
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void throw_leftmost(std::exception_ptr* left, frame* right);

}  // namespace detail
}  // namespace sennit

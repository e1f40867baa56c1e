// SPDX-License-Identifier: Apache-2.0
// fork(2): the child has one thread, and runtimes made before it have none.
#pragma once

namespace sennit::detail {

// Locks that a child of fork(2) may need. `hold` takes them before the process forks, `let_go` frees them
// afterwards, in parent and child. Each folder of src/ that has such locks makes one object, when the library
// is loaded. A thread that holds locks of one kind may wait for those of the next, so `hold` is
// called in this order, `let_go` in the other.
struct held_over_forks {
  enum kind { of_groups, of_workers, of_trace, kinds };
  using action = void (*)() noexcept;
  held_over_forks(kind of, action hold, action let_go) noexcept;
};

// How many forks lie between this process and the one the program began as.
unsigned fork_generation() noexcept;

// The end of a child that was forked inside a region and needs a thread that exists only in the parent.
[[noreturn]] void end_orphan() noexcept;

// Held by a thread that makes or replaces a runtime; no thread forks meanwhile.
class no_fork {
 public:
  no_fork() noexcept;
  ~no_fork();
  no_fork(const no_fork&) = delete;
  no_fork& operator=(const no_fork&) = delete;
};

}  // namespace sennit::detail

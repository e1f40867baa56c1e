// fork(2): the child has one thread, and runtimes made before it have none.
#pragma once

namespace sennit::detail {

// What has locks that a child would have to do without: holds them while the process forks. Made as the program or the
// shared object is loaded; there is one.
struct held_over_forks {
  using action = void (*)() noexcept;
  held_over_forks(action hold, action let_go) noexcept;
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

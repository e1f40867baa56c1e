// SPDX-License-Identifier: Apache-2.0
#include "process/fork_child.hpp"

#include "system/thread_id.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <ranges>

namespace sennit::detail {

namespace {

std::atomic<unsigned> generation{0};

struct held_locks {
  held_over_forks::action hold = nullptr;
  held_over_forks::action let_go = nullptr;
};
constinit std::array<held_locks, held_over_forks::kinds> held{};

// Not a recursive mutex: the child could not unlock that, as its owner has the thread id of the parent. To
// those who count locks (contract.cpp, ThreadSanitizer), a new one in its place would still be locked by the
// parent.
std::mutex forking;
constinit thread_local int depth [[gnu::tls_model("initial-exec")]] = 0;  // of guards of this thread

void enter() noexcept {
  if (depth++ == 0) forking.lock();
}
void leave() noexcept {
  if (--depth == 0) forking.unlock();
}

void before_fork() noexcept {
  enter();
  for (const held_locks& locks : held) {
    if (locks.hold != nullptr) locks.hold();
  }
}
void let_go_of_held() noexcept {
  for (const held_locks& locks : held | std::views::reverse) {
    if (locks.let_go != nullptr) locks.let_go();
  }
}
void in_parent() noexcept {
  let_go_of_held();
  leave();
}
void in_child() noexcept {
  forget_thread_id();
  let_go_of_held();
  generation.fetch_add(1, std::memory_order_relaxed);
  leave();
}

// As the program or the shared object is loaded: before anybody can hold the lock.
[[maybe_unused]] const int registered = pthread_atfork(&before_fork, &in_parent, &in_child);

}  // namespace

held_over_forks::held_over_forks(kind of, action hold, action let_go) noexcept { held[of] = {hold, let_go}; }

unsigned fork_generation() noexcept { return generation.load(std::memory_order_relaxed); }

void end_orphan() noexcept {
  std::fputs("sennit: this process was forked inside a parallel region, which cannot go on without the "
             "threads of the parent: "
             "call exec or _exit in such a child, or fork outside parallel regions.\n",
             stderr);
  std::abort();
}

no_fork::no_fork() noexcept { enter(); }
no_fork::~no_fork() { leave(); }

}  // namespace sennit::detail

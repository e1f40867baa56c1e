#include "core/fork_child.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace sennit::detail {

namespace {

std::atomic<unsigned> generation{0};
std::recursive_mutex forking;

void in_child() noexcept {
  generation.fetch_add(1, std::memory_order_relaxed);
  // Its owner has the thread id of the parent: it cannot be unlocked here, only made anew.
  std::construct_at(&forking);
}

// As the program or the shared object is loaded: before anybody can hold the lock.
[[maybe_unused]] const int registered =
    pthread_atfork([] { forking.lock(); }, [] { forking.unlock(); }, &in_child);

}  // namespace

unsigned fork_generation() noexcept { return generation.load(std::memory_order_relaxed); }

void end_orphan() noexcept {
  std::fputs("sennit: this process was forked inside a parallel region, which cannot go on without the "
             "threads of the parent: "
             "call exec or _exit in such a child, or fork outside parallel regions.\n",
             stderr);
  std::abort();
}

no_fork::no_fork() noexcept { forking.lock(); }
no_fork::~no_fork() { forking.unlock(); }

}  // namespace sennit::detail

#include "core/fork_child.hpp"

#include <pthread.h>

#include <atomic>
#include <mutex>

namespace sennit::detail {

namespace {

std::atomic<unsigned> generation{0};
std::recursive_mutex forking;

}  // namespace

unsigned fork_generation() noexcept {
  static const int registered = pthread_atfork([] { forking.lock(); }, [] { forking.unlock(); },
                                               [] {
                                                 generation.fetch_add(1, std::memory_order_relaxed);
                                                 forking.unlock();
                                               });
  (void)registered;
  return generation.load(std::memory_order_relaxed);
}

no_fork::no_fork() noexcept { forking.lock(); }
no_fork::~no_fork() { forking.unlock(); }

}  // namespace sennit::detail

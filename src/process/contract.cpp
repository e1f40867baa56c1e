// SPDX-License-Identifier: Apache-2.0
#include "process/contract.hpp"

#if SENNIT_SEES_LOCKS

#include "system/replaced_function.hpp"

#include <sennit/detail/misuse.hpp>

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace {

// This library's own replacements of the pthread functions, below, count how many locks the thread holds, and
// note which they are, as far as there is room.
struct held_lock {
  const void* lock;
  const char* kind;
};
constinit thread_local int locks_held [[gnu::tls_model("initial-exec")]] = 0;
constinit thread_local held_lock held [[gnu::tls_model("initial-exec")]][16] = {};

int counted(int result, const void* lock, const char* kind) noexcept {
  if (result != 0) return result;
  if (locks_held >= 0 && locks_held < static_cast<int>(std::size(held))) held[locks_held] = {lock, kind};
  ++locks_held;
  return result;
}

int released(int result, const void* lock) noexcept {
  if (result != 0) return result;
  const int known = std::clamp(locks_held, 0, static_cast<int>(std::size(held)));
  for (int i = known; i-- > 0;) {
    if (held[i].lock != lock) continue;
    std::copy(held + i + 1, held + known, held + i);
    break;
  }
  --locks_held;
  return result;
}

}  // namespace

#define SENNIT_REAL(name) static const auto real = sennit::detail::replaced_function<decltype(name)>(#name)

extern "C" {

SENNIT_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  SENNIT_REAL(pthread_mutex_lock);
  return counted(real(mutex), mutex, "mutex");
}

SENNIT_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  SENNIT_REAL(pthread_mutex_trylock);
  return counted(real(mutex), mutex, "mutex");
}

SENNIT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  SENNIT_REAL(pthread_mutex_timedlock);
  return counted(real(mutex, until), mutex, "mutex");
}

SENNIT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                          const timespec* until) noexcept {
  SENNIT_REAL(pthread_mutex_clocklock);
  return counted(real(mutex, clock, until), mutex, "mutex");
}

SENNIT_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  SENNIT_REAL(pthread_mutex_unlock);
  return released(real(mutex), mutex);
}

SENNIT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  SENNIT_REAL(pthread_rwlock_rdlock);
  return counted(real(lock), lock, "shared mutex");
}

SENNIT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  SENNIT_REAL(pthread_rwlock_wrlock);
  return counted(real(lock), lock, "shared mutex");
}

SENNIT_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  SENNIT_REAL(pthread_rwlock_tryrdlock);
  return counted(real(lock), lock, "shared mutex");
}

SENNIT_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  SENNIT_REAL(pthread_rwlock_trywrlock);
  return counted(real(lock), lock, "shared mutex");
}

SENNIT_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  SENNIT_REAL(pthread_rwlock_timedrdlock);
  return counted(real(lock, until), lock, "shared mutex");
}

SENNIT_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  SENNIT_REAL(pthread_rwlock_timedwrlock);
  return counted(real(lock, until), lock, "shared mutex");
}

SENNIT_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* until) noexcept {
  SENNIT_REAL(pthread_rwlock_clockrdlock);
  return counted(real(lock, clock, until), lock, "shared mutex");
}

SENNIT_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* until) noexcept {
  SENNIT_REAL(pthread_rwlock_clockwrlock);
  return counted(real(lock, clock, until), lock, "shared mutex");
}

SENNIT_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  SENNIT_REAL(pthread_rwlock_unlock);
  return released(real(lock), lock);
}
}

#undef SENNIT_REAL

namespace sennit::detail {

void check_contract() noexcept {
  if (in_signal_handler()) {
    misuse("a construct in a signal handler: it would change the data of the construct that the signal "
           "interrupted. Set a flag, or call region::cancel() from a thread that waits with sigwait().");
  }
  if (locks_held > 0) {
    const held_lock& newest = held[std::min(locks_held, static_cast<int>(std::size(held))) - 1];
    char address[32];
    snprintf(address, sizeof address, "%p", newest.lock);
    const std::string kind = newest.kind;
    misuse(
        "a " + kind + " (at " + address +
        ") is held across a construct. The strand may go on on another thread, and this thread may run other "
        "work that takes the same " +
        kind +
        ", and gets it at once if that is recursive: unlock it before join, spawn, wait, run, a loop or the "
        "end of a branch.");
  }
}

}  // namespace sennit::detail

#endif

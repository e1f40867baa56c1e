#include "core/contract.hpp"

#if defined(SENNIT_LOCK_CHECK)

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>

namespace {

// By this library's own replacements of the pthread functions, below.
constinit thread_local int locks_held [[gnu::tls_model("initial-exec")]] = 0;
constinit thread_local void* newest_lock [[gnu::tls_model("initial-exec")]] = nullptr;

template <class Function>
Function* next(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int counted(int result, pthread_mutex_t* mutex) noexcept {
  if (result == 0) {
    ++locks_held;
    newest_lock = mutex;
  }
  return result;
}

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto real = next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  return counted(real(mutex), mutex);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  static const auto real = next<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  return counted(real(mutex), mutex);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  static const auto real = next<int(pthread_mutex_t*, const timespec*)>("pthread_mutex_timedlock");
  return counted(real(mutex, until), mutex);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) noexcept {
  static const auto real = next<int(pthread_mutex_t*, clockid_t, const timespec*)>("pthread_mutex_clocklock");
  return counted(real(mutex, clock, until), mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static const auto real = next<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  const int result = real(mutex);
  if (result == 0) --locks_held;
  return result;
}
}

namespace sennit::detail {

bool can_check_contract() noexcept { return true; }

void check_contract() noexcept {
  if (locks_held <= 0) return;
  std::fprintf(
      stderr,
      "sennit: a mutex (at %p) is held across a construct. The strand may go on on another thread, and this "
      "one may run other work that takes the mutex: unlock it before join, spawn, wait or run.\n",
      newest_lock);
  std::abort();
}

}  // namespace sennit::detail

#else

namespace sennit::detail {

bool can_check_contract() noexcept { return false; }
void check_contract() noexcept {}

}  // namespace sennit::detail

#endif

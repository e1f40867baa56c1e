// SPDX-License-Identifier: Apache-2.0
// What the compiler's instrumentation for ThreadSanitizer calls, and what the linker puts in the place of some functions
// of the C library. Outside an explored program each does what it always does.
#include "machine.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace explore {

namespace {

template <class T>
T perform(operation op, T (*otherwise)(operation&)) {
  if (machine* const m = machine::current()) {
    op.size = sizeof(T);
    m->weaken(op);
    m->operate(op);
    return static_cast<T>(op.result);
  }
  return otherwise(op);
}

template <class T>
T load(const volatile T* at, int order, const void* caller) {
  return perform<T>(
      {.what = action::load, .order = order, .at = const_cast<const T*>(at), .caller = caller},
      [](operation& op) { return __atomic_load_n(static_cast<const T*>(op.at), __ATOMIC_SEQ_CST); });
}

template <class T>
void store(volatile T* at, T value, int order, const void* caller) {
  perform<T>({.what = action::store,
              .order = order,
              .at = const_cast<const T*>(at),
              .operand = static_cast<std::uint64_t>(value),
              .caller = caller},
             [](operation& op) {
               __atomic_store_n(static_cast<T*>(const_cast<void*>(op.at)), static_cast<T>(op.operand),
                                __ATOMIC_SEQ_CST);
               return T{};
             });
}

template <class T>
T modify(volatile T* at, change_by how, T operand, int order, const void* caller) {
  return perform<T>({.what = action::modify,
                     .how = how,
                     .order = order,
                     .at = const_cast<const T*>(at),
                     .operand = static_cast<std::uint64_t>(operand),
                     .caller = caller},
                    [](operation& op) {
                      T* const object = static_cast<T*>(const_cast<void*>(op.at));
                      const T value = static_cast<T>(op.operand);
                      switch (op.how) {
                        case change_by::add: return __atomic_fetch_add(object, value, __ATOMIC_SEQ_CST);
                        case change_by::subtract: return __atomic_fetch_sub(object, value, __ATOMIC_SEQ_CST);
                        case change_by::conjunction:
                          return __atomic_fetch_and(object, value, __ATOMIC_SEQ_CST);
                        case change_by::disjunction:
                          return __atomic_fetch_or(object, value, __ATOMIC_SEQ_CST);
                        case change_by::difference:
                          return __atomic_fetch_xor(object, value, __ATOMIC_SEQ_CST);
                        default: return __atomic_exchange_n(object, value, __ATOMIC_SEQ_CST);
                      }
                    });
}

template <class T>
bool compare(volatile T* at, T* expected, T desired, int order, int order_of_failure, const void* caller) {
  if (machine* const m = machine::current()) {
    operation op{.what = action::modify,
                 .how = change_by::compare,
                 .size = sizeof(T),
                 .order = order,
                 .order_of_failure = order_of_failure,
                 .at = const_cast<const T*>(at),
                 .operand = static_cast<std::uint64_t>(desired),
                 .expected = static_cast<std::uint64_t>(*expected),
                 .caller = caller};
    m->weaken(op);
    m->operate(op);
    if (!op.done) *expected = static_cast<T>(op.result);
    return op.done;
  }
  return __atomic_compare_exchange_n(const_cast<T*>(at), expected, desired, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

template <class T>
bool compare_weakly(volatile T* at, T* expected, T desired, int order, int order_of_failure,
                    const void* caller) {
  machine* const m = machine::current();
  if (m == nullptr || !m->fails_spuriously())
    return compare(at, expected, desired, order, order_of_failure, caller);
  *expected = load(at, order_of_failure, caller);
  return false;
}

void note(const void* at, std::size_t size, bool writes, const void* caller) {
  if (machine* const m = machine::current()) m->access_plainly(at, size, writes, caller);
}

bool perform_on_mutex(action what, const void* mutex, const void* caller, bool& taken) {
  machine* const m = machine::current();
  if (m == nullptr) return false;
  const int order = what == action::unlock ? __ATOMIC_RELEASE : __ATOMIC_ACQUIRE;
  operation op{.what = what, .order = order, .at = mutex, .caller = caller};
  m->weaken(op);
  m->operate(op);
  taken = op.done;
  return true;
}

}  // namespace

}  // namespace explore

#define SENNIT_CALLER __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-address"
void __tsan_func_exit() {
  // The instrumented code keeps its frame pointers.
  if (explore::machine* const m = explore::machine::current()) m->leave_function(__builtin_frame_address(1));
}
#pragma GCC diagnostic pop
void __tsan_vptr_update(void** at, void*) { explore::note(at, sizeof *at, true, SENNIT_CALLER); }
void __tsan_vptr_read(void** at) { explore::note(at, sizeof *at, false, SENNIT_CALLER); }
void __tsan_read_range(void* at, std::size_t size) { explore::note(at, size, false, SENNIT_CALLER); }
void __tsan_write_range(void* at, std::size_t size) { explore::note(at, size, true, SENNIT_CALLER); }
void* __tsan_memset(void* at, int value, std::size_t size) {
  explore::note(at, size, true, SENNIT_CALLER);
  return std::memset(at, value, size);
}
void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  explore::note(from, size, false, SENNIT_CALLER);
  explore::note(to, size, true, SENNIT_CALLER);
  return std::memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  explore::note(from, size, false, SENNIT_CALLER);
  explore::note(to, size, true, SENNIT_CALLER);
  return std::memmove(to, from, size);
}

#define SENNIT_PLAIN(bytes)                                                                                  \
  void __tsan_read##bytes(void* at) { explore::note(at, bytes, false, SENNIT_CALLER); }                      \
  void __tsan_write##bytes(void* at) { explore::note(at, bytes, true, SENNIT_CALLER); }                      \
  void __tsan_unaligned_read##bytes(void* at) { explore::note(at, bytes, false, SENNIT_CALLER); }            \
  void __tsan_unaligned_write##bytes(void* at) { explore::note(at, bytes, true, SENNIT_CALLER); }
SENNIT_PLAIN(1)
SENNIT_PLAIN(2)
SENNIT_PLAIN(4)
SENNIT_PLAIN(8)
SENNIT_PLAIN(16)

#define SENNIT_ATOMIC(bits, type)                                                                            \
  type __tsan_atomic##bits##_load(const volatile type* at, int order) {                                      \
    return explore::load(at, order, SENNIT_CALLER);                                                          \
  }                                                                                                          \
  void __tsan_atomic##bits##_store(volatile type* at, type value, int order) {                               \
    explore::store(at, value, order, SENNIT_CALLER);                                                         \
  }                                                                                                          \
  type __tsan_atomic##bits##_exchange(volatile type* at, type value, int order) {                            \
    return explore::modify(at, explore::change_by::exchange, value, order, SENNIT_CALLER);                   \
  }                                                                                                          \
  type __tsan_atomic##bits##_fetch_add(volatile type* at, type value, int order) {                           \
    return explore::modify(at, explore::change_by::add, value, order, SENNIT_CALLER);                        \
  }                                                                                                          \
  type __tsan_atomic##bits##_fetch_sub(volatile type* at, type value, int order) {                           \
    return explore::modify(at, explore::change_by::subtract, value, order, SENNIT_CALLER);                   \
  }                                                                                                          \
  type __tsan_atomic##bits##_fetch_and(volatile type* at, type value, int order) {                           \
    return explore::modify(at, explore::change_by::conjunction, value, order, SENNIT_CALLER);                \
  }                                                                                                          \
  type __tsan_atomic##bits##_fetch_or(volatile type* at, type value, int order) {                            \
    return explore::modify(at, explore::change_by::disjunction, value, order, SENNIT_CALLER);                \
  }                                                                                                          \
  type __tsan_atomic##bits##_fetch_xor(volatile type* at, type value, int order) {                           \
    return explore::modify(at, explore::change_by::difference, value, order, SENNIT_CALLER);                 \
  }                                                                                                          \
  bool __tsan_atomic##bits##_compare_exchange_strong(volatile type* at, type* expected, type desired,        \
                                                     int order, int order_of_failure) {                      \
    return explore::compare(at, expected, desired, order, order_of_failure, SENNIT_CALLER);                  \
  }                                                                                                          \
  bool __tsan_atomic##bits##_compare_exchange_weak(volatile type* at, type* expected, type desired,          \
                                                   int order, int order_of_failure) {                        \
    return explore::compare_weakly(at, expected, desired, order, order_of_failure, SENNIT_CALLER);           \
  }                                                                                                          \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* at, type expected, type desired, int order, \
                                                  int order_of_failure) {                                    \
    explore::compare(at, &expected, desired, order, order_of_failure, SENNIT_CALLER);                        \
    return expected;                                                                                         \
  }
SENNIT_ATOMIC(8, unsigned char)
SENNIT_ATOMIC(16, unsigned short)
SENNIT_ATOMIC(32, unsigned)
SENNIT_ATOMIC(64, unsigned long)

void __tsan_atomic_signal_fence(int) {}
void __tsan_atomic_thread_fence(int order) {
  explore::machine* const m = explore::machine::current();
  if (m == nullptr) return;
  explore::operation op{.what = explore::action::fence, .order = order, .caller = SENNIT_CALLER};
  m->weaken(op);
  if (op.order == __ATOMIC_SEQ_CST) {
    m->operate(op);
  } else {
    m->order_accesses(op.order);
  }
}

int __real_pthread_mutex_lock(void* mutex);
int __real_pthread_mutex_trylock(void* mutex);
int __real_pthread_mutex_unlock(void* mutex);
int __wrap_pthread_mutex_lock(void* mutex) {
  bool taken = true;
  if (explore::perform_on_mutex(explore::action::lock, mutex, SENNIT_CALLER, taken)) return 0;
  return __real_pthread_mutex_lock(mutex);
}
int __wrap_pthread_mutex_trylock(void* mutex) {
  bool taken = true;
  if (explore::perform_on_mutex(explore::action::try_lock, mutex, SENNIT_CALLER, taken))
    return taken ? 0 : 16;
  return __real_pthread_mutex_trylock(mutex);
}
int __wrap_pthread_mutex_unlock(void* mutex) {
  bool taken = true;
  if (explore::perform_on_mutex(explore::action::unlock, mutex, SENNIT_CALLER, taken)) return 0;
  return __real_pthread_mutex_unlock(mutex);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long given[6];
  for (long& argument : given) argument = va_arg(arguments, long);
  va_end(arguments);
  explore::machine* const m = explore::machine::current();
  if (number == SYS_membarrier && given[0] == MEMBARRIER_CMD_PRIVATE_EXPEDITED) {
    if (m == nullptr) return 0;  // there are no threads yet
    explore::operation op{
        .what = explore::action::barrier, .order = __ATOMIC_SEQ_CST, .caller = SENNIT_CALLER};
    m->weaken(op);
    if (op.order != __ATOMIC_SEQ_CST) return 0;
    // The kernel begins with a fence of the caller. Each other thread has its fence at a time of its own.
    op.what = explore::action::fence;
    m->operate(op);
    for (unsigned i = 0; i < m->threads(); ++i) {
      if (i == m->running()) continue;
      op = {.what = explore::action::barrier, .operand = i, .caller = SENNIT_CALLER};
      m->operate(op);
    }
    return 0;
  }
  if (m != nullptr && number == SYS_futex) {
    const auto* const word = reinterpret_cast<const void*>(given[0]);
    const bool waits = (given[1] & ~FUTEX_PRIVATE_FLAG) == FUTEX_WAIT;
    if (waits && m->sleep_is_interrupted()) return -1;
    explore::operation op{.what = waits ? explore::action::sleep : explore::action::wake,
                          .size = 4,
                          .at = word,
                          .expected = static_cast<std::uint64_t>(given[2]),
                          .caller = SENNIT_CALLER};
    m->operate(op);
    if (waits && op.done) {
      op = {.what = explore::action::woken, .at = word, .caller = SENNIT_CALLER};
      m->operate(op);
    }
    return 0;
  }
  return __real_syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

// operator delete
void __real__ZdlPv(void* memory);
void __wrap__ZdlPv(void* memory) {
  explore::machine* const m = explore::machine::current();
  if (m == nullptr || memory == nullptr) {
    __real__ZdlPv(memory);
  } else {
    m->give_back(memory, SENNIT_CALLER);
  }
}
void __wrap__ZdlPvm(void* memory, std::size_t) { __wrap__ZdlPv(memory); }

// std::chrono::steady_clock::now(), whose value is returned as the number of nanoseconds that it is.
std::int64_t __real__ZNSt6chrono3_V212steady_clock3nowEv();
std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
  explore::machine* const m = explore::machine::current();
  return m == nullptr ? __real__ZNSt6chrono3_V212steady_clock3nowEv()
                      : static_cast<std::int64_t>(m->now_ns());
}

}  // extern "C"

namespace explore {

void check(bool holds, const char* what) {
  machine* const m = machine::any();
  if (holds || m == nullptr) return;
  m->fail("check failed: ", what);
  if (m->inside()) m->stop();
  throw fault_at_end();
}
void name(const void* object, std::string called) {
  if (machine* const m = machine::any()) m->call(object, std::move(called));
}
unsigned here() noexcept { return machine::any() != nullptr ? machine::any()->running() : 0; }
namespace {

void wait(bool gives_up, const void* caller) noexcept {
  machine* const m = machine::current();
  if (m == nullptr) {
    // At the end there is nobody to change anything.
    if (!gives_up) std::abort();
    return;
  }
  operation op{.what = action::change, .operand = gives_up ? 1U : 0U, .caller = caller};
  m->operate(op);
}

}  // namespace

void wait_for_change() noexcept { wait(false, __builtin_return_address(0)); }
void spin() noexcept { wait(true, __builtin_return_address(0)); }

}  // namespace explore

// SPDX-License-Identifier: Apache-2.0
// The functions that compilers call before each access under -fsanitize=thread.
#include "checker/accesses.hpp"

#include <cstddef>
#include <cstdint>

namespace {

namespace checker = sennit::checker;

// Inlined, so that the return address is that of the access.
[[gnu::always_inline]] inline void read(const volatile void* address, std::size_t bytes) noexcept {
  if (checker::idle()) [[likely]]
    return;
  checker::examine(address, bytes, false, __builtin_return_address(0));
}
[[gnu::always_inline]] inline void written(const volatile void* address, std::size_t bytes) noexcept {
  if (checker::idle()) [[likely]]
    return;
  checker::examine(address, bytes, true, __builtin_return_address(0));
}

}  // namespace

extern "C" {

void __tsan_init() { checker::install(); }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define SENNIT_ACCESSES(n)                                                                                   \
  void __tsan_read##n(void* p) { read(p, n); }                                                               \
  void __tsan_write##n(void* p) { written(p, n); }                                                           \
  void __tsan_unaligned_read##n(void* p) { read(p, n); }                                                     \
  void __tsan_unaligned_write##n(void* p) { written(p, n); }                                                 \
  void __tsan_read_write##n(void* p) { written(p, n); }                                                      \
  void __tsan_unaligned_read_write##n(void* p) { written(p, n); }                                            \
  void __tsan_volatile_read##n(void* p) { read(p, n); }                                                      \
  void __tsan_volatile_write##n(void* p) { written(p, n); }                                                  \
  void __tsan_unaligned_volatile_read##n(void* p) { read(p, n); }                                            \
  void __tsan_unaligned_volatile_write##n(void* p) { written(p, n); }
SENNIT_ACCESSES(1)
SENNIT_ACCESSES(2)
SENNIT_ACCESSES(4)
SENNIT_ACCESSES(8)
SENNIT_ACCESSES(16)
#undef SENNIT_ACCESSES

void __tsan_read_range(void* p, unsigned long n) { read(p, n); }
void __tsan_write_range(void* p, unsigned long n) { written(p, n); }
void __tsan_vptr_read(void** p) { read(p, sizeof *p); }
void __tsan_vptr_update(void** p, void*) { written(p, sizeof *p); }

// The checker also performs atomic accesses: always sequentially consistent.
#define SENNIT_FETCH(bits, type, name)                                                                       \
  type __tsan_atomic##bits##_fetch_##name(volatile type* p, type v, int) {                                   \
    written(p, sizeof v);                                                                                    \
    return __atomic_fetch_##name(p, v, __ATOMIC_SEQ_CST);                                                    \
  }
#define SENNIT_COMPARE_EXCHANGE(bits, type, strength)                                                        \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile type* p, type* expected, type v, int,       \
                                                        int) {                                               \
    written(p, sizeof v);                                                                                    \
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
  }
#define SENNIT_ATOMICS(bits, type)                                                                           \
  type __tsan_atomic##bits##_load(const volatile type* p, int) {                                             \
    read(p, sizeof *p);                                                                                      \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                             \
  }                                                                                                          \
  void __tsan_atomic##bits##_store(volatile type* p, type v, int) {                                          \
    written(p, sizeof v);                                                                                    \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                                \
  }                                                                                                          \
  type __tsan_atomic##bits##_exchange(volatile type* p, type v, int) {                                       \
    written(p, sizeof v);                                                                                    \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                          \
  SENNIT_FETCH(bits, type, add)                                                                              \
  SENNIT_FETCH(bits, type, sub)                                                                              \
  SENNIT_FETCH(bits, type, and)                                                                              \
  SENNIT_FETCH(bits, type, or)                                                                               \
  SENNIT_FETCH(bits, type, xor)                                                                              \
  SENNIT_FETCH(bits, type, nand)                                                                             \
  SENNIT_COMPARE_EXCHANGE(bits, type, strong)                                                                \
  SENNIT_COMPARE_EXCHANGE(bits, type, weak)                                                                  \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* p, type expected, type v, int, int) {       \
    written(p, sizeof v);                                                                                    \
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                 \
    return expected;                                                                                         \
  }
SENNIT_ATOMICS(8, std::uint8_t)
SENNIT_ATOMICS(16, std::uint16_t)
SENNIT_ATOMICS(32, std::uint32_t)
SENNIT_ATOMICS(64, std::uint64_t)
#undef SENNIT_FETCH
#undef SENNIT_COMPARE_EXCHANGE
#undef SENNIT_ATOMICS

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// Called under TSan by the standard library's headers for locks.
void __tsan_acquire(void*) {}
void __tsan_release(void*) {}
void __tsan_mutex_create(void*, unsigned) {}
void __tsan_mutex_destroy(void*, unsigned) {}
void __tsan_mutex_pre_lock(void*, unsigned) {}
void __tsan_mutex_post_lock(void*, unsigned, int) {}
int __tsan_mutex_pre_unlock(void*, unsigned) { return 0; }
void __tsan_mutex_post_unlock(void*, unsigned) {}
void __tsan_mutex_pre_signal(void*, unsigned) {}
void __tsan_mutex_post_signal(void*, unsigned) {}
void __tsan_mutex_pre_divert(void*, unsigned) {}
void __tsan_mutex_post_divert(void*, unsigned) {}
}

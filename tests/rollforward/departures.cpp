// SPDX-License-Identifier: Apache-2.0
#include "tests/rollforward/departures.hpp"

#include <sennit/promotion_point.hpp>

#include <dlfcn.h>
#include <pthread.h>

#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#define NOINLINE [[gnu::noinline]]

namespace departures {

long taken = 0;
void (*at_end)(long answer) = nullptr;

namespace {

void take() { ++taken; }

// The compiler is not to know it.
volatile long opaque_zero = 0;

struct guard {
  long& count;
  ~guard() { count += 1 + opaque_zero; }
};

NOINLINE long fails(long n) {
  SENNIT_PROMOTION_POINT(take());
  if (n + opaque_zero == 3) throw std::runtime_error("as asked");
  return n;
}

NOINLINE long passes_on(long n, long& destroyed) {
  const guard g{destroyed};
  const long x = fails(n);
  SENNIT_PROMOTION_POINT(take());
  return x;
}

NOINLINE long catches(long n) {
  long destroyed = 0;
  long caught = 0;
  try {
    const guard g{destroyed};
    passes_on(n, destroyed);
    SENNIT_PROMOTION_POINT(take());
  } catch (const std::runtime_error& e) {
    caught += static_cast<long>(std::strlen(e.what()));
    SENNIT_PROMOTION_POINT(take());
  }
  return caught * 10 + destroyed;
}

long throws() {
  const long x = catches(3);
  SENNIT_PROMOTION_POINT(take());
  return x;
}

NOINLINE long rethrows(long n) {
  long caught = 0;
  long destroyed = 0;
  try {
    try {
      passes_on(n, destroyed);
    } catch (const std::exception&) {
      ++caught;
      throw;
    }
  } catch (...) {
    ++caught;
  }
  SENNIT_PROMOTION_POINT(take());
  return caught * 10 + destroyed;
}

long throws_again() {
  const long x = rethrows(3);
  SENNIT_PROMOTION_POINT(take());
  return x;
}

// Without promotion points: the walk has to find its way out of here, past what the unwinder does.
NOINLINE long fails_plainly(long n) {
  if (n + opaque_zero == 3) throw n;
  return n;
}

NOINLINE long catches_plainly(long n, const long* numbers) {
  long s = 0;
  double x = 1;
  for (long i = 0; i < 2; ++i) {
    try {
      s += fails_plainly(n);
      x *= 2;
    } catch (long thrown) {
      s += thrown + numbers[i];
      x += 3;
    }
  }
  return s + static_cast<long>(x);
}

NOINLINE long passes_it_on(long n) {
  const long numbers[] = {n * 5, n * 7 + opaque_zero};
  return catches_plainly(n, numbers) + numbers[opaque_zero];
}

long throws_plainly() {
  const long x = passes_it_on(3);
  SENNIT_PROMOTION_POINT(take());
  return x;
}

std::jmp_buf place;

NOINLINE void jumps(long n) {
  SENNIT_PROMOTION_POINT(take());
  if (n + opaque_zero == 3) std::longjmp(place, 5);
}

NOINLINE long leaves_by_jump() {
  const int came = setjmp(place);
  if (came == 0) jumps(3);
  SENNIT_PROMOTION_POINT(take());
  return came;
}

long long_jump() {
  const long x = leaves_by_jump();
  SENNIT_PROMOTION_POINT(take());
  return x;
}

// Called nowhere else, so that the dynamic linker binds them here.
NOINLINE long calls_for_the_first_time() {
  char text[] = "abc";
  const long x = static_cast<long>(std::strspn(text, opaque_zero == 0 ? "ab" : "c"));
  SENNIT_PROMOTION_POINT(take());
  return x + std::atoi("40");
}

long lazy_binding() {
  const long x = calls_for_the_first_time();
  SENNIT_PROMOTION_POINT(take());
  return x;
}

NOINLINE long allocates() {
  long s = 0;
  for (long i = 1; i <= 2; ++i) {
    const std::string text(static_cast<std::size_t>(i * 100 + opaque_zero), 'x');
    s += static_cast<long>(text.size());
    SENNIT_PROMOTION_POINT(take());
  }
  return s;
}

long allocation() {
  const long x = allocates();
  SENNIT_PROMOTION_POINT(take());
  return x;
}

NOINLINE long loads() {
  void* const library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return 0;
  SENNIT_PROMOTION_POINT(take());
  return 7 + dlclose(library);
}

long loading() {
  const long x = loads();
  SENNIT_PROMOTION_POINT(take());
  return x;
}

// Unwinds by force, through frames that clean up.
struct last {
  long destroyed = 0;
  ~last() { at_end(destroyed); }
};

NOINLINE void ends_in(long& destroyed) {
  const guard g{destroyed};
  SENNIT_PROMOTION_POINT(take());
  if (opaque_zero == 0) pthread_exit(nullptr);
  SENNIT_PROMOTION_POINT(take());
}

long thread_end() {
  last l;
  ends_in(l.destroyed);
  SENNIT_PROMOTION_POINT(take());
  return 0;
}

}  // namespace

const departure all[] = {
    {"throw", throws, 82, true, true, false},
    {"plain throw", throws_plainly, 64, false, true, true},
    {"first throw", throws, 82, true, false, true},
    {"throw again", throws_again, 21, true, true, true},
    {"longjmp", long_jump, 5, true, true, false},
    {"lazy binding", lazy_binding, 42, false, false, false},
    {"allocation", allocation, 300, false, true, false},
    {"dlopen", loading, 7, false, true, true},
    {"thread end", thread_end, 1, true, false, true},
    {nullptr, nullptr, 0, false, false, false},
};

}  // namespace departures

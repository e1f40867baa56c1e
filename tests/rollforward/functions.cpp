// SPDX-License-Identifier: Apache-2.0
#include "tests/rollforward/functions.hpp"

#include <sennit/promotion_point.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#define NOINLINE [[gnu::noinline]]

namespace marked {

std::atomic<long> taken{0};

namespace {

void take() { taken.fetch_add(1, std::memory_order_relaxed); }

// The compiler is not to know them.
volatile long opaque_zero = 0;
long opaque(long x) { return x + opaque_zero; }

// All in registers.
NOINLINE long loop(long n, long step) {
  long s = 0;
  long t = 1;
  for (long i = 0; i < n; i += step) {
    s += i ^ t;
    t = t * 3 + s;
    SENNIT_PROMOTION_POINT(take());
  }
  return s + t;
}

// The statements change what the loop does next: half of what is left is done apart, as a program would hand it over.
NOINLINE long halves(const int* data, long begin, long end) {
  long s = 0;
  for (long i = begin; i < end; ++i) {
    s += data[i];
    SENNIT_PROMOTION_POINT({
      take();
      const long middle = i + 1 + (end - i - 1) / 2;
      for (long j = middle; j < end; ++j) s += data[j];
      end = middle;
    });
  }
  return s;
}

NOINLINE long fib(long n) {
  if (n < 2) return n;
  const long a = fib(n - 1);
  SENNIT_PROMOTION_POINT(take());
  return a + fib(n - 2);
}

NOINLINE long callee(long x, long y) { return x * 7 - y; }

NOINLINE long calls(long n) {
  long s = 0;
  char text[24];
  for (long i = 0; i < n; ++i) {
    s += callee(s, i);
    std::memset(text, static_cast<int>('a' + i), sizeof text);
    s += text[opaque(i)];
    SENNIT_PROMOTION_POINT(take());
    s ^= std::labs(callee(i, s));
  }
  return s;
}

NOINLINE long table(const unsigned char* program, long n) {
  long a = 1;
  for (long i = 0; i < n; ++i) {
    switch (program[i]) {
      case 0: a += 3; break;
      case 1: a *= 5; break;
      case 2: a ^= 0x55; break;
      case 3: a -= i; break;
      case 4: a = callee(a, i); break;
      case 5: a = ~a; break;
      case 6: a <<= 1; break;
      case 7: a |= 9; break;
      default: a = 17;
    }
    if (i % 4 == 3) SENNIT_PROMOTION_POINT(take());
  }
  return a;
}

// Jumps to addresses that it computes, which are those of the first copy.
NOINLINE long computed(const unsigned char* program, long n) {
  static const void* const places[] = {&&add, &&twice, &&flip, &&done};
  long a = 1;
  long i = 0;
next:
  goto* places[i < n ? program[i] % 3 : 3];
add:
  a += ++i;
  goto next;
twice:
  a *= 2;
  ++i;
  SENNIT_PROMOTION_POINT(take());
  goto next;
flip:
  a ^= ++i;
  goto next;
done:
  return a;
}

// In vector registers.
NOINLINE double floats(const double* x, long n) {
  double a = 1;
  double b = 0.5;
  for (long i = 0; i < n; ++i) {
    a = a * x[i] + b;
    b = std::sqrt(a * a + b);
    SENNIT_PROMOTION_POINT(take());
  }
  return a + b;
}

// A result in an x87 register, and one in memory; no promotion point on the way back.
NOINLINE long double extended(long double x, long n) {
  for (long i = 0; i < n; ++i) {
    x = x * 1.25L + static_cast<long double>(i);
    if (i == 100) SENNIT_PROMOTION_POINT(take());
  }
  return x;
}

struct triple {
  double x;
  long y;
  long z;
};

NOINLINE triple in_memory(long n) {
  triple t{0.5, 1, n};
  for (long i = 0; i < n; ++i) {
    t.x += static_cast<double>(t.y);
    t.y += t.z;
    if (i == 100) SENNIT_PROMOTION_POINT(take());
  }
  return t;
}

// A call as the last act, to functions with and without promotion points.
NOINLINE long last_call(long n) {
  if (n == 100) SENNIT_PROMOTION_POINT(take());
  return n % 2 == 0 ? loop(n, 1) : callee(n, 4);
}

NOINLINE long last_call_of(long (*f)(long, long), long n) {
  if (n == 100) SENNIT_PROMOTION_POINT(take());
  return f(n, 2);
}

// The frame is aligned, and has parts of unknown size.
NOINLINE long frames(long n) {
  alignas(64) volatile long a[8] = {};
  auto* b = static_cast<long*>(__builtin_alloca(static_cast<std::size_t>(n + 1) * sizeof(long)));
  for (long i = 0; i < n; ++i) {
    b[i] = i * i;
    a[i % 8] = a[i % 8] + b[i];
    SENNIT_PROMOTION_POINT(take());
  }
  return a[0] + a[1] + a[2] + b[n - 1] + static_cast<long>(reinterpret_cast<std::uintptr_t>(&a) % 64);
}

thread_local long of_thread = 5;

NOINLINE long locals_of_thread(long n) {
  for (long i = 0; i < n; ++i) {
    of_thread = of_thread * 3 % 1000 + i;
    SENNIT_PROMOTION_POINT(take());
  }
  const long result = of_thread;
  of_thread = 5;
  return result;
}

template <class T>
inline T twice(T x) {
  SENNIT_PROMOTION_POINT(take(); take(); taken.fetch_sub(1, std::memory_order_relaxed));
  return x + x;
}

NOINLINE long allocate(long n) {
  long s = 0;
  for (long i = 1; i <= n; ++i) {
    const std::string text(static_cast<std::size_t>(opaque(i * 20)), 'x');
    s += static_cast<long>(text.size());
    SENNIT_PROMOTION_POINT(take());
  }
  return s;
}

struct guard {
  long& count;
  ~guard() { ++count; }
};

NOINLINE long throws_at(long n) {
  for (long i = 0; i < n; ++i) {
    SENNIT_PROMOTION_POINT(take());
    if (opaque(i) == n - 1) throw std::runtime_error("as asked");
  }
  return 0;
}

// A throw through its frame, whose object has to be destroyed once.
NOINLINE long throws_through(long n, long& destroyed) {
  const guard g{destroyed};
  SENNIT_PROMOTION_POINT(take());
  return throws_at(n) + 1;
}

NOINLINE long catches(long n) {
  long destroyed = 0;
  long s = 0;
  for (long i = 0; i < n; ++i) {
    try {
      s += throws_through(i + 1, destroyed);
      SENNIT_PROMOTION_POINT(take());
    } catch (const std::runtime_error& e) {
      s += static_cast<long>(std::strlen(e.what())) + i;
      SENNIT_PROMOTION_POINT(take());
    }
  }
  return s * 100 + destroyed;
}

long scaled(double x) { return std::lround(x * 1e6); }

constexpr int numbers[] = {3, 1, 4, 1, 5, 9, 2, 6};
constexpr unsigned char program[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 4, 1, 0};
constexpr double reals[] = {0.5, 1.5, 2.25, 0.75};

long of_triple(const triple& t) { return scaled(t.x) + t.y * 3 + t.z; }

template <long (*body)()>
NOINLINE long outer() {
  const long result = body();
  SENNIT_PROMOTION_POINT(take());
  return result;
}

}  // namespace

const function functions[] = {
    {"loop", outer<[] { return loop(opaque(12), 2); }>, 9029, false},
    {"halves", outer<[] { return halves(numbers, opaque(0), 8); }>, 31, false},
    {"fib", outer<[] { return fib(opaque(6)); }>, 8, false},
    {"calls", outer<[] { return calls(opaque(3)); }>, 0, false},
    {"table", outer<[] { return table(program, opaque(12)); }>, 0, false},
    {"computed", outer<[] { return computed(program, opaque(12)); }>, 0, false},
    {"floats", outer<[] { return scaled(floats(reals, opaque(4))); }>, 0, false},
    {"extended", outer<[] { return scaled(static_cast<double>(extended(1.5L, opaque(5)))); }>, 0, false},
    {"in_memory", outer<[] { return of_triple(in_memory(opaque(4))); }>, 0, false},
    {"last_call", outer<[] { return last_call(opaque(5)) + last_call(opaque(4)); }>, 0, false},
    {"last_call_of", outer<[] { return last_call_of(loop, opaque(4)) + last_call_of(callee, opaque(3)); }>, 0,
     false},
    {"frames", outer<[] { return frames(opaque(5)); }>, 0, false},
    {"locals_of_thread", outer<[] { return locals_of_thread(opaque(4)); }>, 0, false},
    {"twice",
     outer<[] { return twice(opaque(4)) + static_cast<long>(twice(static_cast<double>(opaque(3)))); }>, 14,
     false},
    {"allocate", outer<[] { return allocate(opaque(3)); }>, 120, false},
    {"catches", outer<[] { return catches(opaque(2)); }>, 1702, true},
    {nullptr, nullptr, 0, false},
};

}  // namespace marked

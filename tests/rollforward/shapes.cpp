// SPDX-License-Identifier: Apache-2.0
#include "tests/rollforward/shapes.hpp"

#include <sennit/promotion_point.hpp>

#include <coroutine>

#define NOINLINE [[gnu::noinline]]

namespace shapes {

void (*take)() = nullptr;

namespace {

// What the compiler does not know.
volatile long opaque_zero = 0;

enum opcode : unsigned char { add, twice, flip, less, back, stop };

// A loop of four opcodes and a jump back; the round is over when the counter is.
constexpr unsigned char program[] = {add, twice, flip, less, back, stop};

struct machine {
  const unsigned char* at = program;
  long left = 0;
  long value = 1;
};

// The opcode that jumps back has the promotion point first.
NOINLINE long with_switch(long rounds) {
  machine m{program, rounds};
  for (;;) {
    switch (*m.at++) {
      case add: m.value += 3; break;
      case twice: m.value *= 2; break;
      case flip: m.value ^= 0x55; break;
      case less: --m.left; break;
      case back:
        SENNIT_PROMOTION_POINT(take());
        if (m.left > 0) m.at = program;
        break;
      case stop: return m.value;
      default: m.value = ~m.value;
    }
  }
}

NOINLINE long with_computed_goto(long rounds) {
  static const void* const places[] = {&&at_add, &&at_twice, &&at_flip, &&at_less, &&at_back, &&at_stop};
  machine m{program, rounds};
  goto* places[*m.at++];
at_add:
  m.value += 3;
  goto* places[*m.at++];
at_twice:
  m.value *= 2;
  goto* places[*m.at++];
at_flip:
  m.value ^= 0x55;
  goto* places[*m.at++];
at_less:
  --m.left;
  goto* places[*m.at++];
at_back:
  SENNIT_PROMOTION_POINT(take());
  if (m.left > 0) m.at = program;
  goto* places[*m.at++];
at_stop:
  return m.value;
}

// Each opcode is a function that ends with a call of the next.
#if defined(__clang__)
#define LAST_CALL [[clang::musttail]] return
#else
#define LAST_CALL return
#endif
using handler = long(const unsigned char* at, long left, long value);
extern handler* const handlers[];

long do_add(const unsigned char* at, long left, long value) {
  LAST_CALL handlers[*at](at + 1, left, value + 3);
}
long do_twice(const unsigned char* at, long left, long value) {
  LAST_CALL handlers[*at](at + 1, left, value * 2);
}
long do_flip(const unsigned char* at, long left, long value) {
  LAST_CALL handlers[*at](at + 1, left, value ^ 0x55);
}
long do_less(const unsigned char* at, long left, long value) {
  LAST_CALL handlers[*at](at + 1, left - 1, value);
}
long do_back(const unsigned char* at, long left, long value) {
  SENNIT_PROMOTION_POINT(take());
  if (left > 0) at = program;
  LAST_CALL handlers[*at](at + 1, left, value);
}
long do_stop(const unsigned char*, long, long value) { return value; }

handler* const handlers[] = {do_add, do_twice, do_flip, do_less, do_back, do_stop};

NOINLINE long with_last_calls(long rounds) { return handlers[*program](program + 1, rounds, 1); }

// Two states that go to each other by name, and one that each round passes by a table.
NOINLINE long automaton(long rounds) {
  long value = 1;
  long state = opaque_zero;
  while (rounds > 0) {
    switch (state) {
      case 0:
        SENNIT_PROMOTION_POINT(take());
        value += 3;
        state = 1 + (value & 3);
        break;
      case 1:
        value ^= 7;
        state = 5;
        break;
      case 2:
        value *= 3;
        state = 5;
        break;
      case 3:
        value -= 9;
        state = 6;
        break;
      case 4:
        value <<= 1;
        state = 6;
        break;
      case 5:
        value |= 1;
        state = 7;
        break;
      case 6:
        value = ~value;
        state = 7;
        break;
      default: --rounds; state = 0;
    }
  }
  return value;
}

// The label is a loop's head, where a jump from below and one from the side meet.
NOINLINE long loop_head(long rounds) {
  long value = 1;
  if ((opaque_zero & 1) != 0) goto inside;
head:
  SENNIT_PROMOTION_POINT(take());
  value += rounds ^ 5;
inside:
  value ^= value << 1;
  if (--rounds > 0) goto head;
  return value;
}

struct task {
  struct promise_type {
    long value = 1;
    task get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept {}
    std::suspend_always yield_value(long v) noexcept {
      value = v;
      return {};
    }
  };
  std::coroutine_handle<promise_type> handle;
};

NOINLINE long some_rounds(long value) {
  for (long i = 0; i < 1000; ++i) {
    value ^= value << 1;
#ifdef __clang__
    SENNIT_PROMOTION_POINT(take());
#endif
  }
  return value;
}

// clang compiles no promotion point in a coroutine itself.
task suspended_rounds(long rounds) {
  long value = 1;
  for (; rounds > 0; rounds -= 1000) {
    value = some_rounds(value);
#ifndef __clang__
    for (long i = 0; i < 1000; ++i) {
      value += i ^ 5;
      SENNIT_PROMOTION_POINT(take());
    }
#endif
    co_yield value;
  }
}

NOINLINE long coroutine(long rounds) {
  const task t = suspended_rounds(rounds);
  while (t.handle.resume(), !t.handle.done()) {
  }
  const long value = t.handle.promise().value;
  t.handle.destroy();
  return value;
}

}  // namespace

const shape all[] = {
    {"switch", with_switch},
    {"computed goto", with_computed_goto},
    {"last calls", with_last_calls},
    {"automaton", automaton},
    {"loop head", loop_head},
    {"coroutine", coroutine},
    {nullptr, nullptr},
};

}  // namespace shapes

// SPDX-License-Identifier: Apache-2.0
// Runs a small program of several threads in every order that matters: docs/protocols/exploring.md.
//
// The program is compiled with the instrumentation of ThreadSanitizer and linked with the explorer in its place. So
// each atomic operation of the real code is a step that the explorer chooses, and each plain access is checked for a
// data race. Threads are simulated on fibers; an exploration is deterministic.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace explore {

struct program {
  std::vector<std::pair<std::string, std::function<void()>>> threads;  // a name and what the thread does
  std::function<void()> at_end = [] {};                                // after all threads
};

enum class memory : std::uint8_t {
  // Each thread has a store buffer, as on x86.
  total_store_order,
  // As the C++ model allows: a load may read any store that no order hides from it.
  weak
};

// As SENNIT_EXPLORE_MEMORY says: weak, or else total store order.
memory usual_memory();
// As SENNIT_EXPLORE_PASSED says; else 2.
unsigned usual_most_passed();
// As SENNIT_EXPLORE_MOST says; else 200,000.
std::uint64_t usual_most_executions();
// As SENNIT_EXPLORE_RANDOM says; else none.
std::uint64_t usual_random_orders();
// As SENNIT_EXPLORE_SPURIOUS says; else none.
unsigned usual_spurious_failures();
// SENNIT_EXPLORE_MOST or SENNIT_EXPLORE_RANDOM has been given: a case need not be complete.
bool is_cut_off();

struct options {
  memory model = usual_memory();
  // In weak memory: so many times in one execution a step may pass over the newest store.
  unsigned most_passed = usual_most_passed();
  std::uint64_t most_executions = usual_most_executions();
  // So many orders at random instead of the search.
  std::uint64_t random_orders = usual_random_orders();
  // An unlock is a plain store that may wait in the store buffer, as the memory model allows. Else it drains the buffer,
  // as on x86.
  bool plain_unlock = true;
  // What a thread's clock has gone on by each time that it looks at it.
  std::uint64_t look_ns = 10'000;
  // Orders that make no difference are left out. Else all are explored: to check the explorer.
  bool reduces = true;
  // So many times a thread that is to sleep comes back at once, as if a signal had come.
  unsigned interrupted_sleeps = 0;
  // So many times a compare_exchange_weak() of a thread fails although it has read what it expects.
  unsigned spurious_failures = usual_spurious_failures();
  // More steps than that in one execution: it does not end.
  unsigned most_steps = 4000;
};

struct findings {
  std::uint64_t executions = 0;  // that came to their end
  std::uint64_t cut_short = 0;   // that would have been equivalent to others
  std::uint64_t steps = 0;
  bool complete = false;  // every order was explored
  std::string fault;      // empty: none
};

// Runs what `make` returns, made anew for each execution, in all orders up to the first fault. A fault comes with the
// trace that leads to it, and with the schedule that SENNIT_EXPLORE_SCHEDULE replays.
findings explore(const std::function<program()>& make, const options& limits = {});

// --- For the threads of the program, and at its end.
// A fault unless it holds.
void check(bool holds, const char* what);
// Calls the object by a name in traces.
void name(const void* object, std::string called);
// The number of the thread that runs the call; before the program and at its end, the first.
unsigned here() noexcept;
// The thread has looked at something in vain: it goes on once another thread has changed what it has read since it
// wrote last.
void wait_for_change() noexcept;
// The same, but only for so long: it goes on, too, once no other thread can.
void spin() noexcept;
template <class Condition>
void wait_until(Condition&& holds) {
  while (!holds()) wait_for_change();
}

}  // namespace explore

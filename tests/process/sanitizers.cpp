// SPDX-License-Identifier: Apache-2.0
// What sanitizers ask the program. Not inline functions, as these lose to the tools' own defaults.
#include "support.hpp"

extern "C" {

int __lsan_is_turned_off() { return process::leaks_are_apparent ? 1 : 0; }

// ThreadSanitizer refuses threads in a child of a program with threads, unless told. And it has each process
// wait for a second before it ends, lest other threads be about to run into a race; here are hundreds of
// processes.
const char* __tsan_default_options() { return "die_after_fork=0:atexit_sleep_ms=50"; }

}  // extern "C"

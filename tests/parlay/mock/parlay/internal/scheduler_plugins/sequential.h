// SPDX-License-Identifier: Apache-2.0
// Under the guard that ParlayLib's has; and nothing may be left of it.
#ifndef PARLAY_INTERNAL_SCHEDULER_PLUGINS_SEQUENTIAL_H_
#define PARLAY_INTERNAL_SCHEDULER_PLUGINS_SEQUENTIAL_H_
#error "the sequential scheduler was included"
#endif

// SPDX-License-Identifier: Apache-2.0
// worker_index, worker_count: which worker the calling strand runs on.
#pragma once

#include <sennit/detail/config.hpp>

namespace sennit {

// A number that no other thread in the same runtime has at the same time. It is 0 for the thread that
// entered the runtime (of several, the first), and 1 and up for the runtime's own threads. It is also 0 for
// a thread that is in no region.
//
// The number is always less than worker_index_bound. It may exceed worker_count(), so it is no index into an
// array of that size. It stays below worker_count() only while one thread at a time is in the runtime and
// nothing calls blocking(). Each further thread in a region of the runtime, and each running call of
// blocking(), takes a further number. For storage with a part for each worker use sennit::per_worker, which
// always has enough parts.
//
// Example:
//   #include <sennit/join.hpp>
//
//   #include <cstdio>
//
//   void who_runs_what() {
//     const auto say = [](const char* branch) { std::printf("%s: worker %u\n", branch, sennit::worker_index()); };
//     sennit::join([&] { say("left"); }, [&] { say("right"); });
//   }
//
// The number is constant between constructs. After a construct the strand may run on another thread, so call
// worker_index() again. The lowest free number is given first. Throws nothing. Thread-safety: any thread may
// call it. Cost: a call and a few loads.
SENNIT_EXPORT unsigned worker_index() noexcept;

// How many threads can be in one runtime at once, including its own threads and those that replace blocked
// ones.
//
// Example:
//   #include <array>
//
//   // A place for each worker, where per_worker would be too much.
//   std::array<unsigned char, sennit::worker_index_bound> has_come{};
//   void note() { has_come[sennit::worker_index()] = 1; }
inline constexpr unsigned worker_index_bound = 4096;

// The number of workers of the calling strand's runtime. Outside any runtime, the number of the default
// runtime, which the call starts. The number is constant for each runtime; for a thread outside any runtime
// it is constant for the life of the process. Throws what runtime::default_runtime() throws. Thread-safety:
// any thread may call it. Cost: a call and a few loads.
SENNIT_EXPORT unsigned worker_count();

}  // namespace sennit

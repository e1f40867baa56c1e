// Which worker the calling strand is on.
#pragma once

#include <sennit/detail/config.hpp>

namespace sennit {

// A number that no other thread at work in the same runtime has: 0 for the thread that entered it (of
// several, the first), 1 and up for the runtime's own threads. On a thread that is in no region: 0.
//
// Always less than worker_index_bound. It is no index into an array of worker_count() elements: it is less
// than that only while one thread at a time is in the runtime and nothing calls blocking(). Each further
// thread that is in a region of it meanwhile, and each call of blocking() under way, counts on from there.
// Storage that each worker has its own part of is sennit::per_worker, which always fits.
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
// Constant between constructs; stale after one, as the strand may be on another thread then: ask again. The
// lowest number that is free is given first. Throws nothing. Cost: a call and a few loads.
SENNIT_EXPORT unsigned worker_index() noexcept;

// How many threads can be in one runtime at once, its own and those that stand in for blocked ones included.
inline constexpr unsigned worker_index_bound = 4096;

// The workers of the runtime whose strand calls, or else of the default runtime, which it starts. Constant
// for each runtime, and on threads outside any for the life of the process. Throws as
// runtime::default_runtime() does. Any thread may call it. Cost: a call and a few loads.
SENNIT_EXPORT unsigned worker_count();

}  // namespace sennit

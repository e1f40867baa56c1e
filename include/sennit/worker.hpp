// Which worker the calling strand is on: for storage that each worker has its own part of.
#pragma once

#include <sennit/detail/config.hpp>

namespace sennit {

// A number that no other thread at work in the same runtime has: 0 for the thread that entered it (of
// several, the first), 1 and up for the runtime's own threads. On a thread that is in no region: 0.
//
// Example:
//   #include <sennit/join.hpp>
//
//   #include <vector>
//
//   struct alignas(64) counter {
//     long count = 0;
//   };
//
//   std::vector<counter> count_by_worker() {
//     std::vector<counter> counts(sennit::worker_count());  // by the thread that starts the region
//     const auto branch = [&] { ++counts[sennit::worker_index()].count; };
//     sennit::join(branch, branch);
//     return counts;
//   }
//
// Constant between constructs; stale after one, as the strand may be on another thread then: ask again, and
// keep no reference to a worker's part across a construct. Less than worker_count() while one thread at a
// time is in the runtime; each further thread that is in a region of it meanwhile, and each call of
// blocking() under way, counts on from there. The lowest number that is free is given first. Throws nothing.
// Cost: a call and a few loads.
SENNIT_EXPORT unsigned worker_index() noexcept;

// The workers of the runtime whose strand calls, or else of the default runtime, which it starts. Constant
// for each runtime, and on threads outside any for the life of the process. Throws as
// runtime::default_runtime() does. Any thread may call it. Cost: a call and a few loads.
SENNIT_EXPORT unsigned worker_count();

}  // namespace sennit

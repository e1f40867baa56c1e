// SPDX-License-Identifier: Apache-2.0
// All of oneTBB but the flow graph: what runs in parallel on Sennit, the rest from oneTBB.
#pragma once
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>
#include <oneapi/tbb/collaborative_call_once.h>
#include <oneapi/tbb/combinable.h>
#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <oneapi/tbb/cache_aligned_allocator.h>
#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/concurrent_map.h>
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/concurrent_set.h>
#include <oneapi/tbb/concurrent_unordered_map.h>
#include <oneapi/tbb/concurrent_unordered_set.h>
#include <oneapi/tbb/null_mutex.h>
#include <oneapi/tbb/null_rw_mutex.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <oneapi/tbb/tbb_allocator.h>
#include <oneapi/tbb/tick_count.h>
#include <oneapi/tbb/version.h>

#if TBB_PREVIEW_BLOCKED_RANGE_ND
#include <oneapi/tbb/blocked_rangeNd.h>
#endif
#if TBB_PREVIEW_CONCURRENT_LRU_CACHE
#include <oneapi/tbb/concurrent_lru_cache.h>
#endif
#if TBB_PREVIEW_MUTEXES
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#endif

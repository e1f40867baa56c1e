// SPDX-License-Identifier: Apache-2.0
// What comes before all else: oneTBB's own types that its containers share with its algorithms, and the guards of those of
// its headers that Sennit replaces. A header of oneTBB that includes one of them finds it included already.
#pragma once

#include <version>

#if __cplusplus < 202002L
#error "sennit::tbb: Sennit needs C++20; compile the program with -std=c++20"
#endif

#if defined(__TBB_parallel_for_H) || defined(__TBB_task_group_H) || defined(__TBB_task_arena_H) ||           \
    defined(__TBB_blocked_range_H) || defined(__TBB_partitioner_H) || defined(__TBB_parallel_reduce_H)
#error                                                                                                       \
    "sennit::tbb: oneTBB's own headers were found first; put Sennit's directory before oneTBB's, or link sennit::tbb first"
#endif
#define __TBB_blocked_range_H
#define __TBB_blocked_range2d_H
#define __TBB_blocked_range3d_H
#define __TBB_blocked_rangeNd_H
#define __TBB_collaborative_call_once_H
#define __TBB_flow_graph_H
#define __TBB_flow_graph_abstractions_H
#define __TBB_global_control_H
#define __TBB_info_H
#define __TBB_parallel_for_H
#define __TBB_parallel_for_each_H
#define __TBB_parallel_invoke_H
#define __TBB_parallel_pipeline_H
#define __TBB_parallel_reduce_H
#define __TBB_parallel_scan_H
#define __TBB_parallel_sort_H
#define __TBB_partitioner_H
#define __TBB_task_H
#define __TBB_task_arena_H
#define __TBB_task_group_H
#define __TBB_task_scheduler_observer_H

#if !__has_include(<oneapi/tbb/detail/_range_common.h>)
#error                                                                                                       \
    "sennit::tbb: oneTBB's headers are not found; install them (Debian: libtbb-dev), as its containers and ranges are used"
#endif
#include <oneapi/tbb/detail/_config.h>
#include <oneapi/tbb/detail/_namespace_injection.h>
#include <oneapi/tbb/detail/_range_common.h>
#include <oneapi/tbb/detail/_utils.h>
#include <oneapi/tbb/version.h>

// An enumerable_thread_specific that is told by points of suspension would ask oneTBB's scheduler for them.
#undef __TBB_RESUMABLE_TASKS
#define __TBB_RESUMABLE_TASKS 0

namespace tbb {
inline namespace v1 {
using detail::proportional_split;
using detail::split;
}  // namespace v1
}  // namespace tbb

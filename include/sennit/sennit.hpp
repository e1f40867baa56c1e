// All of Sennit.
#pragma once

// clang-format off
// First: what compilers say of joins and groups begins with the headers between them and the program.
#include <sennit/join.hpp>
#include <sennit/task_group.hpp>
// clang-format on

#include <sennit/affinity.hpp>
#include <sennit/algorithm/integer_sort.hpp>
#include <sennit/algorithm/merge.hpp>
#include <sennit/algorithm/select.hpp>
#include <sennit/beats.hpp>
#include <sennit/blocking.hpp>
#include <sennit/data_regions.hpp>
#include <sennit/distribution.hpp>
#include <sennit/divided.hpp>
#include <sennit/doctor.hpp>
#include <sennit/effects.hpp>
#include <sennit/graph.hpp>
#include <sennit/graph_replay.hpp>
#include <sennit/graph_trace.hpp>
#include <sennit/latent_for.hpp>
#include <sennit/latent_join.hpp>
#include <sennit/latent_range.hpp>
#include <sennit/latent_reduce.hpp>
#include <sennit/limit.hpp>
#include <sennit/longest_paths.hpp>
#include <sennit/memoized_splice.hpp>
#include <sennit/nest.hpp>
#include <sennit/numa_array.hpp>
#include <sennit/parallel_fold.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/parallel_reduce.hpp>
#include <sennit/parallel_scan.hpp>
#include <sennit/parallel_sort.hpp>
#include <sennit/parallel_transform.hpp>
#include <sennit/partition.hpp>
#include <sennit/per_worker.hpp>
#include <sennit/pipeline.hpp>
#include <sennit/placement.hpp>
#include <sennit/promotion.hpp>
#include <sennit/promotion_point.hpp>
#include <sennit/reducer.hpp>
#include <sennit/refine.hpp>
#include <sennit/region.hpp>
#include <sennit/replay.hpp>
#include <sennit/runtime.hpp>
#include <sennit/schedule.hpp>
#include <sennit/serial.hpp>
#include <sennit/space.hpp>
#include <sennit/splice.hpp>
#include <sennit/splice_report.hpp>
#include <sennit/splice_schedule.hpp>
#include <sennit/splicing.hpp>
#include <sennit/split.hpp>
#include <sennit/static_graph.hpp>
#include <sennit/task_flow.hpp>
#include <sennit/task_graph.hpp>
#include <sennit/tiling.hpp>
#include <sennit/version.hpp>
#include <sennit/worker.hpp>

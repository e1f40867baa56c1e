// All of Sennit.
#pragma once

#include <sennit/blocking.hpp>
#include <sennit/distribution.hpp>
#include <sennit/doctor.hpp>
#include <sennit/graph.hpp>
#include <sennit/join.hpp>
#include <sennit/nest.hpp>
#include <sennit/numa_array.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/parallel_reduce.hpp>
#include <sennit/parallel_scan.hpp>
#include <sennit/parallel_sort.hpp>
#include <sennit/parallel_transform.hpp>
#include <sennit/reducer.hpp>
#include <sennit/refine.hpp>
#include <sennit/region.hpp>
#include <sennit/replay.hpp>
#include <sennit/runtime.hpp>
#include <sennit/schedule.hpp>
#include <sennit/serial.hpp>
#include <sennit/space.hpp>
#include <sennit/split.hpp>
#include <sennit/static_graph.hpp>
#include <sennit/task_group.hpp>
#include <sennit/version.hpp>
#include <sennit/worker.hpp>

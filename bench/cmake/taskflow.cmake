# SPDX-License-Identifier: Apache-2.0
# Taskflow's headers, where a folder of the compiler or SENNIT_BENCH_TASKFLOW has them. No Debian package does.

macro(bench_find_taskflow)
  find_path(SENNIT_BENCH_TASKFLOW taskflow/taskflow.hpp DOC "The folder that has taskflow/taskflow.hpp")
endmacro()

# bench_taskflow_program(KERNEL SYSTEM SOURCE)
function(bench_taskflow_program kernel system source)
  if(NOT SENNIT_BENCH_TASKFLOW)
    bench_absent(${kernel}-${system} "Taskflow's headers are not installed (-DSENNIT_BENCH_TASKFLOW=FOLDER says where they are)")
    return()
  endif()
  bench_program(${kernel} ${system} ${source})
  target_include_directories(${kernel}-${system} SYSTEM PRIVATE ${SENNIT_BENCH_TASKFLOW})
endfunction()

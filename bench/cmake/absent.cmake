# SPDX-License-Identifier: Apache-2.0
# What was left out and why, for the driver's report.

# bench_absent(PROGRAM REASON)
function(bench_absent program reason)
  set_property(GLOBAL APPEND_STRING PROPERTY BENCH_ABSENT ",\n\"${program}\": \"${reason}\"")
endfunction()

function(bench_write_absent)
  get_property(absent GLOBAL PROPERTY BENCH_ABSENT)
  string(REGEX REPLACE "^," "" absent "${absent}")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/absent.json "{${absent}\n}\n")
endfunction()

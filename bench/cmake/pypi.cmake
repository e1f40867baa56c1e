# SPDX-License-Identifier: Apache-2.0
# What PyPI has, in a virtual environment of the build directory: oneTBB, usually years newer than Debian's, and Boost's headers.

macro(bench_find_pypi)
  set(bench_pypi ${CMAKE_CURRENT_BINARY_DIR}/pypi)
  set(bench_pypi_reason "")
  set(bench_pypi_tbb_reason "")
  if(NOT SENNIT_BENCH_PYPI)
    set(bench_pypi_reason "SENNIT_BENCH_PYPI is off")
  elseif(NOT EXISTS ${bench_pypi}/bin/pip)
    bench_make_pypi()
  endif()
  if(bench_pypi_reason)
    set(bench_pypi_tbb_reason "${bench_pypi_reason}")
  elseif(NOT EXISTS ${bench_pypi}/include/oneapi/tbb.h)
    bench_install_pypi(tbb-devel bench_pypi_tbb_reason)
  endif()
endmacro()

function(bench_make_pypi)
  find_program(SENNIT_BENCH_PYTHON NAMES python3 DOC "The Python that installs what PyPI has")
  set(reason "python3 is not installed")
  if(SENNIT_BENCH_PYTHON)
    execute_process(
      COMMAND ${SENNIT_BENCH_PYTHON} -m venv --clear ${bench_pypi}
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET
    )
    if(status EQUAL 0)
      return()
    endif()
    set(reason "python3 -m venv failed (Debian: python3-venv)")
  endif()
  message(STATUS "Benchmarks without PyPI's packages: ${reason}")
  set(bench_pypi_reason ${reason} PARENT_SCOPE)
endfunction()

# bench_install_pypi(PACKAGE VARIABLE): sets VARIABLE to the reason, if it fails.
function(bench_install_pypi package variable)
  message(STATUS "Installing ${package} from PyPI for the benchmarks")
  execute_process(
    COMMAND ${bench_pypi}/bin/pip install --quiet ${package}
    TIMEOUT 180 RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET
  )
  if(NOT status EQUAL 0)
    set(reason "pip could not install ${package} from PyPI")
    message(STATUS "${reason}")
    set(${variable} ${reason} PARENT_SCOPE)
  endif()
endfunction()

# bench_pypi_program(KERNEL SYSTEM SOURCE): with oneTBB.
function(bench_pypi_program kernel system source)
  if(bench_pypi_tbb_reason)
    bench_absent(${kernel}-${system} "${bench_pypi_tbb_reason}")
    return()
  endif()
  bench_program(${kernel} ${system} ${source} ${bench_pypi}/lib/libtbb.so)
  target_include_directories(${kernel}-${system} SYSTEM BEFORE PRIVATE ${bench_pypi}/include)
endfunction()

# oneTBB as PyPI has it, usually years newer than Debian's, in a virtual environment of the build directory.

macro(bench_find_pypi_tbb)
  set(bench_pypi ${CMAKE_CURRENT_BINARY_DIR}/pypi)
  set(bench_pypi_reason "")
  if(NOT SENNIT_BENCH_PYPI)
    set(bench_pypi_reason "SENNIT_BENCH_PYPI is off")
  elseif(NOT EXISTS ${bench_pypi}/include/oneapi/tbb.h)
    bench_install_pypi_tbb()
  endif()
endmacro()

function(bench_install_pypi_tbb)
  find_program(SENNIT_BENCH_PYTHON NAMES python3 DOC "The Python that installs oneTBB")
  set(reason "python3 is not installed")
  if(SENNIT_BENCH_PYTHON)
    message(STATUS "Installing oneTBB from PyPI for the benchmarks")
    execute_process(
      COMMAND ${SENNIT_BENCH_PYTHON} -m venv --clear ${bench_pypi}
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET
    )
    set(reason "python3 -m venv failed (Debian: python3-venv)")
    if(status EQUAL 0)
      execute_process(
        COMMAND ${bench_pypi}/bin/pip install --quiet tbb-devel
        TIMEOUT 180 RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET
      )
      set(reason "pip could not install tbb-devel from PyPI")
    endif()
  endif()
  if(NOT EXISTS ${bench_pypi}/include/oneapi/tbb.h)
    message(STATUS "Benchmarks without PyPI's oneTBB: ${reason}")
    set(bench_pypi_reason ${reason} PARENT_SCOPE)
  endif()
endfunction()

# bench_pypi_program(KERNEL SYSTEM SOURCE)
function(bench_pypi_program kernel system source)
  if(bench_pypi_reason)
    bench_absent(${kernel}-${system} "${bench_pypi_reason}")
    return()
  endif()
  bench_program(${kernel} ${system} ${source} ${bench_pypi}/lib/libtbb.so)
  target_include_directories(${kernel}-${system} SYSTEM BEFORE PRIVATE ${bench_pypi}/include)
endfunction()

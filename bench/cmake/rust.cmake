# SPDX-License-Identifier: Apache-2.0
# The Rust runtimes: one crate with a program per kernel and system, built by cargo as Cargo.lock says.

macro(bench_find_cargo)
  find_program(SENNIT_BENCH_CARGO NAMES cargo DOC "The cargo of the benchmarks")
  set(bench_rust_reason "")
  set(bench_rust_oldest 1.85)
  if(NOT SENNIT_BENCH_RUST)
    set(bench_rust_reason "SENNIT_BENCH_RUST is off")
  elseif(NOT SENNIT_BENCH_CARGO)
    set(bench_rust_reason "cargo is not installed")
  else()
    execute_process(COMMAND ${SENNIT_BENCH_CARGO} --version OUTPUT_VARIABLE bench_cargo_version ERROR_QUIET)
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" bench_cargo_version "${bench_cargo_version}")
    if(NOT bench_cargo_version VERSION_GREATER_EQUAL bench_rust_oldest)
      set(bench_rust_reason "cargo is older than ${bench_rust_oldest}")
    endif()
  endif()
  if(NOT bench_rust_reason)
    bench_fetch_crates()
  endif()
endmacro()

# At configuration, so that a machine without a network builds everything else.
function(bench_fetch_crates)
  execute_process(
    COMMAND ${SENNIT_BENCH_CARGO} fetch --quiet --locked --manifest-path ${CMAKE_CURRENT_SOURCE_DIR}/rust/Cargo.toml
    TIMEOUT 180 RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET
  )
  if(NOT status EQUAL 0)
    set(bench_rust_reason "cargo could not fetch the crates" PARENT_SCOPE)
  endif()
endfunction()

# bench_rust_programs(KERNEL...)
function(bench_rust_programs)
  set(programs "")
  file(GLOB sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS rust/src/*.rs)
  list(APPEND sources rust/Cargo.toml rust/Cargo.lock)
  foreach(kernel IN LISTS ARGN)
    file(GLOB files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${kernel}/*.rs)
    list(APPEND sources ${files})
    foreach(system IN ITEMS serial rayon chili forte)
      if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${kernel}/${system}.rs)
        list(APPEND programs ${kernel}-${system})
      endif()
    endforeach()
  endforeach()
  if(bench_rust_reason)
    message(STATUS "Benchmarks without Rust: ${bench_rust_reason}")
    foreach(program IN LISTS programs)
      string(REGEX REPLACE "-serial$" "-serial-rust" program ${program})
      bench_absent(${program} "${bench_rust_reason}")
    endforeach()
    return()
  endif()

  # Alignment as the loops in C++ have it, see CMakeLists.txt.
  set(flags "-C llvm-args=-align-all-functions=6 -C llvm-args=-align-loops=64")

  # cargo's own names, except that the serial ones must not hide the C++ ones.
  set(outputs "")
  set(copies "")
  foreach(program IN LISTS programs)
    string(REGEX REPLACE "-serial$" "-serial-rust" output ${CMAKE_CURRENT_BINARY_DIR}/${program})
    list(APPEND outputs ${output})
    list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_BINARY_DIR}/cargo/release/${program} ${output})
  endforeach()
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND
      ${CMAKE_COMMAND} -E env "RUSTFLAGS=${flags}" ${SENNIT_BENCH_CARGO} build --quiet --release --locked --manifest-path
      ${CMAKE_CURRENT_SOURCE_DIR}/rust/Cargo.toml --target-dir ${CMAKE_CURRENT_BINARY_DIR}/cargo
    ${copies}
    DEPENDS ${sources}
    COMMENT "Building the Rust runtimes' programs with cargo"
    VERBATIM
  )
  add_custom_target(bench_rust ALL DEPENDS ${outputs})
endfunction()

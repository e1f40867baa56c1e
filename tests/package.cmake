# SPDX-License-Identifier: Apache-2.0
# Installs this build into a prefix of its own, moves that to a folder with a blank in its name, and then builds and runs consume/
# against it in both ways a user can. Catches: a file that names the folder it was installed to, and a name that is taken apart.
set(first_prefix ${CMAKE_CURRENT_BINARY_DIR}/consume/prefix)
set(prefix "${CMAKE_CURRENT_BINARY_DIR}/consume/moved prefix")
set(flags "")
if(NOT SENNIT_EXCEPTIONS)
  set(flags -fno-exceptions)
endif()

add_test(NAME package.install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${first_prefix})
set_tests_properties(package.install PROPERTIES FIXTURES_SETUP installed_first)
add_test(
  NAME package.move
  COMMAND sh -c [[rm -rf "$2" && mv "$1" "$2" && ! grep -rlF -e "$1" "$2"]] move ${first_prefix} ${prefix}
)
set_tests_properties(package.move PROPERTIES FIXTURES_REQUIRED installed_first FIXTURES_SETUP installed LABELS package TIMEOUT 60)

if(CMAKE_GENERATOR STREQUAL "Ninja" AND PROJECT_IS_TOP_LEVEL)
  add_test(
    NAME package.installed_is_built
    COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/installed_is_built.sh ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}
  )
  set_tests_properties(package.installed_is_built PROPERTIES LABELS package TIMEOUT 60)
endif()

add_test(
  NAME package.find_package
  COMMAND
    ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consume ${CMAKE_CURRENT_BINARY_DIR}/consume/build
    --build-generator ${CMAKE_GENERATOR}
    --build-options -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DSENNIT_VERSION=${PROJECT_VERSION}
                    -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_CXX_FLAGS=${flags}
    --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure
)
add_test(
  NAME package.pkg_config
  COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/consume/pkg_config.sh ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER} ${flags}
  WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/consume
)
set_tests_properties(
  package.pkg_config
  PROPERTIES ENVIRONMENT "LIBDIR=${prefix}/${CMAKE_INSTALL_LIBDIR};VERSION=${PROJECT_VERSION}"
)
set_tests_properties(package.find_package package.pkg_config PROPERTIES FIXTURES_REQUIRED installed)
set_tests_properties(package.install package.find_package package.pkg_config PROPERTIES LABELS package TIMEOUT 300)

# Catches: a project that asks for a part that is not there, and is told so by the linker only.
add_test(
  NAME package.missing_component
  COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_SOURCE_DIR}/consume/component -B ${CMAKE_CURRENT_BINARY_DIR}/consume/component
          -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
)
set_tests_properties(
  package.missing_component
  PROPERTIES FIXTURES_REQUIRED installed LABELS package TIMEOUT 60 PASS_REGULAR_EXPRESSION "there is no component 'braider'"
)

# Each of examples/ is a project of its own, as a user's is. Catches: a page that shows what an installation does not have.
file(GLOB examples RELATIVE ${PROJECT_SOURCE_DIR}/examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*/CMakeLists.txt)
list(TRANSFORM examples REPLACE "/.*" "")
if(NOT SENNIT_EXCEPTIONS)
  set(examples "")  # they tell of bad arguments by exceptions
endif()
foreach(example IN LISTS examples)
  add_test(
    NAME package.example.${example}
    COMMAND
      ${CMAKE_CTEST_COMMAND} --build-and-test ${PROJECT_SOURCE_DIR}/examples/${example}
      ${CMAKE_CURRENT_BINARY_DIR}/examples/${example} --build-generator ${CMAKE_GENERATOR}
      --build-options -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror"
      --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure
  )
  set_tests_properties(package.example.${example} PROPERTIES FIXTURES_REQUIRED installed LABELS package TIMEOUT 300)
endforeach()
# Catches: a command that is installed without its page for man(1), or without its words for a shell.
if(TARGET sennit_tool_manual_and_completion)
  set(pages ${prefix}/${CMAKE_INSTALL_MANDIR}/man1)
  set(data ${prefix}/${CMAKE_INSTALL_DATADIR})
  add_test(
    NAME package.manual_and_completion
    COMMAND ${CMAKE_COMMAND} -E cat ${pages}/sennit.1 ${pages}/tpal.1 ${pages}/rollforward.1
            ${data}/bash-completion/completions/sennit ${data}/zsh/site-functions/_sennit
            ${data}/fish/vendor_completions.d/sennit.fish
  )
  set_tests_properties(package.manual_and_completion PROPERTIES FIXTURES_REQUIRED installed LABELS package TIMEOUT 60)
endif()

# Programs for the variants that this build has; a few, as each compiles the headers once more.
set(fits_asan -DCMAKE_CXX_FLAGS=-fsanitize=address)
set(fits_tsan -DCMAKE_CXX_FLAGS=-fsanitize=thread)
set(fits_checked -DSENNIT_VARIANT=checked)
foreach(variant IN LISTS installed_variants)
  add_test(
    NAME package.${variant}
    COMMAND
      ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consume/variant
      ${CMAKE_CURRENT_BINARY_DIR}/consume/${variant} --build-generator ${CMAKE_GENERATOR}
      --build-options -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} ${fits_${variant}}
      --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure
  )
  set_tests_properties(package.${variant} PROPERTIES FIXTURES_REQUIRED installed LABELS package TIMEOUT 300)
endforeach()

# Catches: a program built for one variant that links another, and then crashes or reports what is not there.
add_test(
  NAME package.tsan_program_with_plain_library
  COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/consume/link_fails.sh needs_library_sennit_tsan ${CMAKE_CXX_COMPILER} ${flags}
          -fsanitize=thread
  WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/consume
)
set_tests_properties(
  package.tsan_program_with_plain_library
  PROPERTIES FIXTURES_REQUIRED installed LABELS package TIMEOUT 300 ENVIRONMENT "LIBDIR=${prefix}/${CMAKE_INSTALL_LIBDIR}"
)
if(NOT "asan" IN_LIST installed_variants)
  # Catches: a project built for a variant that is not there, and gets another one without a word.
  add_test(
    NAME package.missing_variant
    COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_SOURCE_DIR}/consume/variant -B ${CMAKE_CURRENT_BINARY_DIR}/consume/missing
            -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} ${fits_asan}
  )
  set_tests_properties(
    package.missing_variant
    PROPERTIES FIXTURES_REQUIRED installed LABELS package TIMEOUT 60
               PASS_REGULAR_EXPRESSION "variant 'asan' of sennit"
  )
endif()

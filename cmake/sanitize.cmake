# SPDX-License-Identifier: Apache-2.0
# SENNIT_SANITIZE instruments the library, the tests and the tools alike: a sanitizer that sees half of a program
# reports what is not there and misses what is.
if(SENNIT_SANITIZE)
  if("thread" IN_LIST SENNIT_SANITIZE AND "address" IN_LIST SENNIT_SANITIZE)
    message(FATAL_ERROR "SENNIT_SANITIZE=${SENNIT_SANITIZE}: thread and address exclude each other; choose one")
  endif()
  string(JOIN "," sanitizers ${SENNIT_SANITIZE})
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
endif()

// SPDX-License-Identifier: Apache-2.0
// How the library reports that something cannot be done.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

namespace sennit::detail {

// Throws the exception. Built without exceptions, prints its message and ends the program.
template <class Exception>
[[noreturn]] void fail_with(Exception&& failure) {
#if SENNIT_EXCEPTIONS
  throw std::forward<Exception>(failure);
#else
  std::fprintf(stderr, "%s\n", failure.what());
  std::abort();
#endif
}

// Throws Exception(message). Built without exceptions, prints the message and ends the program.
template <class Exception>
[[noreturn]] void fail(const std::string& message) {
#if SENNIT_EXCEPTIONS
  throw Exception(message);
#else
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
#endif
}

// Reports in the same way that there is no memory.
[[noreturn]] inline void fail_for_memory() {
#if SENNIT_EXCEPTIONS
  throw std::bad_alloc();
#else
  std::fputs("sennit: out of memory\n", stderr);
  std::abort();
#endif
}

// Calls work(). Returns false if work() threw an Exception, which is dropped. Built without exceptions,
// always returns true.
template <class Exception, class Work>
bool attempt(Work&& work) noexcept {
#if SENNIT_EXCEPTIONS
  try {
    work();
  } catch (const Exception&) {
    return false;
  }
#else
  work();
#endif
  return true;
}

}  // namespace sennit::detail

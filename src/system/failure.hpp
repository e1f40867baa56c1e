// How the library says that something cannot be done.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

namespace sennit::detail {

// Throws it; built without exceptions, prints its message and ends the program.
template <class Exception>
[[noreturn]] void fail_with(Exception&& failure) {
#if SENNIT_EXCEPTIONS
  throw std::forward<Exception>(failure);
#else
  std::fprintf(stderr, "%s\n", failure.what());
  std::abort();
#endif
}

// Throws Exception(message); built without exceptions, prints the message and ends the program.
template <class Exception>
[[noreturn]] void fail(const std::string& message) {
#if SENNIT_EXCEPTIONS
  throw Exception(message);
#else
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
#endif
}

// The same for memory.
[[noreturn]] inline void fail_for_memory() {
#if SENNIT_EXCEPTIONS
  throw std::bad_alloc();
#else
  std::fputs("sennit: out of memory\n", stderr);
  std::abort();
#endif
}

// Whether `work` came to its end: an Exception from it is swallowed. Built without exceptions there is none.
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

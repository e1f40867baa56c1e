// SPDX-License-Identifier: Apache-2.0
// Which of the program's functions threw, on the way from the call to the strand that reports it.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/key_text.hpp>

#include <exception>
#include <string>
#include <utility>

namespace sennit::detail {

// Thrown in place of what the function threw.
struct SENNIT_EXPORT failed_call {
  std::string doing;  // "hashing 7"
  bool for_key;       // of a key that a node names, or that is the sink; else for the node itself
  std::exception_ptr thrown;
};

// Calls a function of the program for a node, as `doing` its key. A handler adds no instruction to a call
// that does not throw.
template <class Key, class Call>
SENNIT_INLINE decltype(auto) call_for_node(const char* doing, const Key& k, Call&& call) {
#if SENNIT_EXCEPTIONS
  try {
    return std::forward<Call>(call)();
  } catch (...) {
    throw failed_call{doing + text_of_key(k), false, std::current_exception()};
  }
#else
  static_cast<void>(doing);
  static_cast<void>(k);
  return std::forward<Call>(call)();
#endif
}

// Calls an operation of a key's type.
template <class Key, class Call>
SENNIT_INLINE decltype(auto) call_for_key(const char* doing, const Key& k, Call&& call) {
#if SENNIT_EXCEPTIONS
  try {
    return std::forward<Call>(call)();
  } catch (...) {
    throw failed_call{doing + text_of_key(k), true, std::current_exception()};
  }
#else
  static_cast<void>(doing);
  static_cast<void>(k);
  return std::forward<Call>(call)();
#endif
}

// Calls something for a function of the program, which gets what was thrown as it is.
template <class Call>
SENNIT_INLINE decltype(auto) call_for_program(Call&& call) {
#if SENNIT_EXCEPTIONS
  try {
    return std::forward<Call>(call)();
  } catch (const failed_call& f) {
    std::rethrow_exception(f.thrown);
  }
#else
  return std::forward<Call>(call)();
#endif
}

}  // namespace sennit::detail

// SPDX-License-Identifier: Apache-2.0
// The exception with which a run ends if one of the graph's functions threw.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/declarations.hpp>
#include <sennit/detail/graph/failed_call.hpp>
#include <sennit/detail/graph/key_text.hpp>

#include <exception>
#include <string>
#include <utility>

namespace sennit::detail {

#if SENNIT_EXCEPTIONS

// Called in a catch handler. Throws what is being handled as a node_error that begins with `doing`, except
// for std::bad_alloc and sennit::cancelled, which it throws as they are.
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void rethrow_as_node_error(const std::string& doing);

// Called in a catch handler: the exception with which the run will end.
template <class Key>
SENNIT_COLD std::exception_ptr failure_of_node(bool computing, const Key& k) noexcept {
  try {
    try {
      throw;
    } catch (const failed_call& f) {
      const std::string doing = f.for_key ? f.doing + ", a predecessor of " + text_of_key(k) : f.doing;
      try {
        std::rethrow_exception(f.thrown);
      } catch (...) {
        rethrow_as_node_error(doing);
      }
    } catch (...) {
      rethrow_as_node_error((computing ? "computing the node " : "listing the predecessors of ") +
                            text_of_key(k));
    }
  } catch (...) {
    return std::current_exception();
  }
}

#endif

// Calls a part of a run that is no strand's.
template <class Call>
decltype(auto) call_for_run(Call&& call) {
#if SENNIT_EXCEPTIONS
  try {
    return std::forward<Call>(call)();
  } catch (const failed_call& f) {
    try {
      std::rethrow_exception(f.thrown);
    } catch (...) {
      rethrow_as_node_error(f.doing);
    }
  }
#else
  return std::forward<Call>(call)();
#endif
}

}  // namespace sennit::detail

// The exception with which a run ends if one of the graph's functions threw.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/declarations.hpp>
#include <sennit/detail/graph/keys.hpp>
#include <sennit/region.hpp>

#include <exception>
#include <new>
#include <string>

namespace sennit::detail {

#if SENNIT_EXCEPTIONS

template <class Error>
[[noreturn]] void wrap_failure(bool computing, const std::string& key, const char* thrown) {
  std::throw_with_nested(Error(std::string("sennit: ") +
                               (computing ? "computing the node " : "asking for the predecessors of ") + key +
                               ": " + thrown));
}

// Called in a catch handler: the exception with which the run will end.
template <class Key, class Error = graph::node_error>
std::exception_ptr failure_of_node(bool computing, const Key& k) noexcept {
  try {
    try {
      throw;
    } catch (const sennit::cancelled&) {
      return std::current_exception();
    } catch (const std::bad_alloc&) {
      return std::current_exception();
    } catch (const std::exception& thrown) {
      wrap_failure<Error>(computing, text_of_key(k), thrown.what());
    } catch (...) {
      wrap_failure<Error>(computing, text_of_key(k), "something that is no std::exception");
    }
  } catch (...) {
    return std::current_exception();
  }
}

#endif

}  // namespace sennit::detail

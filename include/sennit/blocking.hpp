// blocking: calls that wait for something outside the runtime.
#pragma once

#include <sennit/detail/config.hpp>

#include <concepts>
#include <utility>

namespace sennit {
namespace detail {

class runtime_core;

// While one exists on a worker's strand, the runtime has one more thread at work.
class blocking_scope {
 public:
  SENNIT_COLD blocking_scope() noexcept;
  SENNIT_COLD ~blocking_scope();
  blocking_scope(const blocking_scope&) = delete;
  blocking_scope& operator=(const blocking_scope&) = delete;

 private:
  runtime_core* core_;
};

}  // namespace detail

// Calls f, which may block its thread (a read, a lock, a sleep), and returns its result; meanwhile another
// thread takes the worker's place. Outside the runtime it only calls f. Throws what f throws.
//   auto bytes = sennit::blocking([&] { return ::read(file, buffer, size); });
//
// f runs on the calling thread and no construct may be called in it. Cost: a microsecond or two,
// and a thread that is kept for the next time.
template <class F>
  requires std::invocable<F>
decltype(auto) blocking(F&& f) {
  const detail::blocking_scope scope;
  return std::forward<F>(f)();
}

}  // namespace sennit

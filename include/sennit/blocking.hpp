// blocking: calls that wait for something outside the runtime.
#pragma once

#include <sennit/detail/config.hpp>

#include <concepts>
#include <utility>

namespace sennit {
namespace detail {

class runtime_core;

// While one exists on a worker's strand, the runtime has one more thread at work.
class SENNIT_EXPORT blocking_scope {
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
// thread takes the worker's place. Outside the runtime it only calls f.
//
// f runs on the calling thread. Precondition: it calls no construct. Throws what f throws. May be called from
// any thread. Where the system refuses a thread, and for calls beyond 256 at a time, nobody takes the place.
// Cost: up to a few microseconds, to wake the other thread. That is started when first needed, and kept.
//
// Example:
//   #include <unistd.h>
//
//   ssize_t read_beside_work(int file, char* buffer, size_t size) {
//     return sennit::blocking([&] { return read(file, buffer, size); });
//   }
template <class F>
  requires std::invocable<F>
decltype(auto) blocking(F&& f) {
  const detail::blocking_scope scope;
  return std::forward<F>(f)();
}

}  // namespace sennit

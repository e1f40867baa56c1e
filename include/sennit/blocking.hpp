// SPDX-License-Identifier: Apache-2.0
// blocking: calls that wait for something outside the runtime.
#pragma once

#include <sennit/detail/config.hpp>

#include <concepts>
#include <utility>

namespace sennit {
namespace detail {

class runtime_core;

// While an object exists on a worker's strand, the runtime has one more thread at work.
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

// Calls f, which may block its thread (a read, a lock, a sleep), and returns its result. Meanwhile another
// thread takes the worker's place. Outside any runtime, it only calls f.
//
// f runs on the calling thread. Precondition: f calls no construct. Throws what f throws. Thread-safety: any
// thread may call it. No thread takes the worker's place if the system refuses to make one, or if 256 calls
// are running already. Cost: up to a few microseconds, to wake the other thread. The other thread is started
// at its first use, and kept.
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

// SPDX-License-Identifier: Apache-2.0
// How the C interface says what went wrong: statuses, and a text for each thread.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/region.hpp>

#include <sennit.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#if SENNIT_EXCEPTIONS
#include <cxxabi.h>
#endif

namespace sennit::detail {

// What sennit_fail() becomes once the body has returned.
class body_failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Keeps the text for the calling thread, and returns the status. Opaque, because a strand that has been in a
// construct may be on another thread than before.
SENNIT_COLD sennit_status note_status(sennit_status status, const char* text) noexcept;
// For an argument that cannot be meant.
SENNIT_COLD sennit_status refuse_argument(const char* function, const char* complaint) noexcept;
// Whether the body that runs on this thread has called sennit_fail().
bool body_has_failed() noexcept;
// Throws a body_failure if so. Called when a body has returned.
void rethrow_failure_of_body();

// While an object exists, the thread is in a body, although it may be in no runtime.
class body_outside {
 public:
  body_outside() noexcept;
  ~body_outside();
  body_outside(const body_outside&) = delete;
  body_outside& operator=(const body_outside&) = delete;

 private:
  const bool before_;
};

// A body that has failed still has to wait for what it began, and to end it. What it failed with is put aside meanwhile.
class failure_put_aside {
 public:
  failure_put_aside() noexcept;
  failure_put_aside(const failure_put_aside&) = delete;
  failure_put_aside& operator=(const failure_put_aside&) = delete;
  ~failure_put_aside();

 private:
  const bool had_failed_;
  sennit_status status_;
  std::string text_;
};

// The status of f(). `invalid` is that of a std::invalid_argument, which may be a body's.
template <class F>
sennit_status status_of(const F& f, [[maybe_unused]] sennit_status invalid = SENNIT_FAILED) {
  // A body that has failed goes no further, whatever it calls.
  if (body_has_failed()) return SENNIT_FAILED;
#if SENNIT_EXCEPTIONS
  try {
    return f();
  } catch (const cancelled& e) {
    return note_status(SENNIT_CANCELLED, e.what());
  } catch (const std::bad_alloc&) {
    return note_status(SENNIT_NO_MEMORY, "sennit: there is no memory for this");
  } catch (const std::invalid_argument& e) {
    return note_status(invalid, e.what());
  } catch (const std::exception& e) {
    return note_status(SENNIT_FAILED, e.what());
  } catch (const abi::__forced_unwind&) {
    throw;  // the thread ends
  } catch (...) {
    return note_status(SENNIT_FAILED, "sennit: a body has thrown something that is no std::exception");
  }
#else
  return f();
#endif
}

}  // namespace sennit::detail

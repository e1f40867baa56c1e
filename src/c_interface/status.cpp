// SPDX-License-Identifier: Apache-2.0
#include "c_interface/status.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/misuse.hpp>
#include <sennit/per_worker.hpp>
#include <sennit/version.hpp>

#include <new>
#include <string>
#include <utility>

namespace sennit::detail {

namespace {

// Only this is in the thread's own storage, of which a shared object that is loaded late gets little.
constinit thread_local sennit_status latest =
    SENNIT_OK;  // of the calls that have failed; SENNIT_OK: none has
constinit thread_local bool has_failed = false;
constinit thread_local bool in_body_outside = false;

// Made when a call first fails. A thread may get that of a thread that has ended: `latest` says whether it counts.
per_worker<std::string>& texts() {
  static per_worker<std::string> all;
  return all;
}

}  // namespace

sennit_status note_status(sennit_status status, const char* text) noexcept {
  latest = status;
#if SENNIT_EXCEPTIONS
  try {
    texts().local() = text;
  } catch (...) {
    latest = SENNIT_OK;  // no memory: the status has to do
  }
#else
  texts().local() = text;
#endif
  return status;
}

sennit_status refuse_argument(const char* function, const char* complaint) noexcept {
#if SENNIT_EXCEPTIONS
  try {
    return note_status(SENNIT_INVALID_ARGUMENT, (std::string(function) + ": " + complaint).c_str());
  } catch (...) {
    return note_status(SENNIT_INVALID_ARGUMENT, complaint);
  }
#else
  return note_status(SENNIT_INVALID_ARGUMENT, (std::string(function) + ": " + complaint).c_str());
#endif
}

body_outside::body_outside() noexcept : before_(std::exchange(in_body_outside, true)) {}
body_outside::~body_outside() { in_body_outside = before_; }

bool body_has_failed() noexcept { return has_failed; }

failure_put_aside::failure_put_aside() noexcept
    : had_failed_(std::exchange(has_failed, false)), status_(latest) {
  if (had_failed_ && status_ != SENNIT_OK) text_.swap(texts().local());
}
failure_put_aside::~failure_put_aside() {
  if (!had_failed_) return;
  has_failed = true;
  latest = status_;
  if (status_ != SENNIT_OK) text_.swap(texts().local());
}

void rethrow_failure_of_body() {
  if (!has_failed) [[likely]]
    return;
  has_failed = false;
#if SENNIT_EXCEPTIONS
  if (latest == SENNIT_CANCELLED) throw cancelled();
  if (latest == SENNIT_NO_MEMORY) throw std::bad_alloc();
  throw body_failure(sennit_last_error());
#else
  misuse(std::string("a body has failed, and this library was built without exceptions: ") +
         sennit_last_error());
#endif
}

}  // namespace sennit::detail

using namespace sennit::detail;

extern "C" {

const char* sennit_last_error() { return latest != SENNIT_OK ? texts().local().c_str() : ""; }

void sennit_fail(const char* text) {
  if (text != nullptr) {
    note_status(SENNIT_FAILED, text);
  } else if (latest == SENNIT_OK) {
    note_status(SENNIT_FAILED, "sennit_fail: a body has failed, and has not said why");
  }
  has_failed = in_strand() || in_body_outside;
}

const char* sennit_version() { return sennit::version(); }
}

// SPDX-License-Identifier: Apache-2.0
// What a strand waits for, and what is said of that to people and to a trace.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/messages_in_trace.hpp>
#include <sennit/event.hpp>
#include <sennit/mpi/error.hpp>
#include <sennit/region.hpp>

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <source_location>
#include <sstream>
#include <string>

namespace sennit::mpi::detail {

// A call that waits, for people.
struct purpose {
  const char* call;
  std::source_location where;
  bool of_message = false;  // whether it has a peer and a tag
  int peer = MPI_PROC_NULL;
  int tag = MPI_ANY_TAG;
};

// What a strand waits for: on its stack.
class awaited {
 public:
  explicit awaited(const purpose& what) noexcept
      : what_(what),
        strand_(sennit::detail::strand_in_reports()),
        region_(sennit::detail::innermost_region()) {}
  awaited(const awaited&) = delete;
  awaited& operator=(const awaited&) = delete;

  MPI_Status status{};
  int code = MPI_SUCCESS;
  bool cancelled = false;

  // Once it has come or was cancelled.
  void check() const {
#if SENNIT_EXCEPTIONS
    if (cancelled) throw sennit::cancelled();
#endif
    if (code != MPI_SUCCESS) [[unlikely]]
      fail(code, text(), what_.where);
  }

 private:
  friend class requests;

  std::string text() const {
    std::ostringstream text;
    text << what_.call;
    if (what_.of_message) {
      text << (what_.peer == MPI_ANY_SOURCE ? std::string(" any rank")
                                            : " rank " + std::to_string(what_.peer));
      text << (what_.tag == MPI_ANY_TAG ? std::string(", any tag") : ", tag " + std::to_string(what_.tag));
    }
    return text.str();
  }
  std::string line() const {
    std::ostringstream line;
    line << "    ";
    if (strand_ != nullptr) line << "strand " << strand_ << ", ";
    line << text() << ", at " << text_of(what_.where) << "\n";
    return line.str();
  }
  // Without memory of its own.
  void trace_wait(std::uint64_t since) const noexcept {
    char name[80];
    if (what_.of_message && what_.peer >= 0)
      std::snprintf(name, sizeof name, "%s rank %d", what_.call, what_.peer);
    else
      std::snprintf(name, sizeof name, "%s%s", what_.call, what_.of_message ? " any rank" : "");
    sennit::detail::trace_outside_wait(name, since);
  }
  bool to_be_cancelled() const noexcept { return region_ != nullptr && region_->stopped(); }

  const purpose what_;
  const void* const strand_;
  const sennit::detail::region_state* const region_;
  bool cancel_asked_ = false;
  event come_;
};

class request_awaited : public awaited {
 public:
  // `ends_early`: a receive, which MPI can cancel.
  request_awaited(MPI_Request& of, const purpose& what, bool ends_early) noexcept
      : awaited(what), request_(of), ends_early_(ends_early) {}

 private:
  friend class requests;
  MPI_Request& request_;
  const bool ends_early_;
};

// A message that is to be received once its size is known.
class message_awaited : public awaited {
 public:
  // `ends_early`: by the cancellation of the region.
  message_awaited(int from, int tag, MPI_Comm comm, const std::source_location& where,
                  bool ends_early = true) noexcept
      : awaited({.call = "probe for a message from",
                 .where = where,
                 .of_message = true,
                 .peer = from,
                 .tag = tag}),
        from_(from),
        tag_(tag),
        comm_(comm),
        ends_early_(ends_early) {}
  MPI_Message message = MPI_MESSAGE_NULL;

 private:
  friend class requests;
  const int from_;
  const int tag_;
  const MPI_Comm comm_;
  const bool ends_early_;
};

}  // namespace sennit::mpi::detail

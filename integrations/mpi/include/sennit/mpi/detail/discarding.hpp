// SPDX-License-Identifier: Apache-2.0
// Messages that nobody wants any more, or for which there is no memory: received, so that their sends complete.
#pragma once

#include <sennit/mpi/detail/packing.hpp>
#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/messages.hpp>

#include <mpi.h>

#include <source_location>

namespace sennit::mpi::detail {

// So that a failing call of MPI does not end the program.
class errors_returned {
 public:
  explicit errors_returned(MPI_Comm comm) noexcept : comm_(comm) {
    requests::of_process().call([&] {
      MPI_Comm_get_errhandler(comm_, &before_);
      MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    });
  }
  errors_returned(const errors_returned&) = delete;
  errors_returned& operator=(const errors_returned&) = delete;
  ~errors_returned() {
    requests::of_process().call([&] {
      MPI_Comm_set_errhandler(comm_, before_);
      MPI_Errhandler_free(&before_);
    });
  }

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

// Received into nothing, which MPI counts as an error of that receive. Precondition: the communicator's errors are returned.
inline void discard(MPI_Message& message) noexcept {
  requests& all = requests::of_process();
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = all.call([&] { return MPI_Imrecv(nullptr, 0, MPI_BYTE, &message, &request); });
  if (code != MPI_SUCCESS) return;
  request_awaited a(request, {.call = "discard a message", .where = std::source_location::current()}, false);
  all.wait(a);
}

// For the bytes of a message that has been found. Throws std::bad_alloc; then the message is discarded, as its send would never
// complete otherwise.
inline packed_bytes room_for(MPI_Message& message, const MPI_Status& status) {
  try {
    return packed_bytes(byte_buffer(size_of(status)));
  } catch (...) {
    discard(message);
    throw;
  }
}

// A message that has come, and that is nobody else's from then on.
struct found_message {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status{};

  // False: there is none.
  bool look(int from, int tag, MPI_Comm comm) noexcept {
    int found = 0;
    const int code =
        requests::of_process().call([&] { return MPI_Improbe(from, tag, comm, &found, &message, &status); });
    return code == MPI_SUCCESS && found != 0;
  }
};

// False: there is no such message. Otherwise `source` is its rank.
inline bool discard_if_there(int from, int tag, MPI_Comm comm, int& source) noexcept {
  found_message found;
  if (!found.look(from, tag, comm)) return false;
  source = found.status.MPI_SOURCE;
  discard(found.message);
  return true;
}

}  // namespace sennit::mpi::detail

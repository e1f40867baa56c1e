// SPDX-License-Identifier: Apache-2.0
// error: what MPI says went wrong.
#pragma once

#include <mpi.h>

#include <source_location>
#include <stdexcept>
#include <string>

namespace sennit::mpi {

// A call of MPI that failed. MPI returns errors only on communicators whose error handler is MPI_ERRORS_RETURN, and ends the
// program otherwise; a session sets that handler.
//
// Example:
//   #include <sennit/mpi.hpp>
//   #include <cstdio>
//
//   bool sent(const double (&values)[4], int to) {
//     try {
//       sennit::mpi::send(values, to, 7);
//       return true;
//     } catch (const sennit::mpi::error& e) {
//       std::fprintf(stderr, "%s (class %d)\n", e.what(), e.error_class());
//       return false;
//     }
//   }
class error : public std::runtime_error {
 public:
  error(const std::string& message, int code) : std::runtime_error(message), code_(code) {}
  // As MPI returned it, and its class, such as MPI_ERR_TRUNCATE.
  int code() const noexcept { return code_; }
  int error_class() const noexcept {
    int known = MPI_ERR_UNKNOWN;
    MPI_Error_class(code_, &known);
    return known;
  }

 private:
  int code_;
};

namespace detail {

inline std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "error " + std::to_string(code);
  return std::string(text, static_cast<std::size_t>(length));
}

inline std::string text_of(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

// `what`: the call, with what it was for.
[[noreturn]] inline void fail(int code, const std::string& what, const std::source_location& where) {
  throw error("sennit::mpi: " + what + " at " + text_of(where) + ": " + text_of(code), code);
}

inline void check(int code, const char* what, const std::source_location& where) {
  if (code != MPI_SUCCESS) [[unlikely]]
    fail(code, what, where);
}

}  // namespace detail
}  // namespace sennit::mpi

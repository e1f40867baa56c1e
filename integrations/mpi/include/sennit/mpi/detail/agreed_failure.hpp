// SPDX-License-Identifier: Apache-2.0
// A failure of one rank, as all ranks throw it.
#pragma once

#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/detail/types.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

namespace sennit::mpi::detail {

// Of a fixed size: a rank without memory tells the others all the same.
using failure_text = std::array<char, 4096>;

inline void write_text(const std::exception_ptr& failure, failure_text& into) noexcept {
  const auto copy = [&into](std::string_view text) {
    const std::size_t size = std::min(text.size(), into.size() - 1);
    std::copy_n(text.data(), size, into.data());
    into[size] = '\0';
  };
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    copy(e.what());
  } catch (...) {
    copy("something that is no std::exception");
  }
}

// MPI failed in a collective on this rank: the others wait for it there, and nothing of MPI ends their wait.
[[noreturn]] inline void end_all_ranks(const std::exception& e, MPI_Comm comm) noexcept {
  std::fprintf(stderr, "%s: rank %d is no longer in step with the others, which wait for it; all ranks end\n",
               e.what(), rank_in(comm));
  MPI_Abort(comm, 1);
  std::abort();
}

// All ranks call it, with the rank that failed first, and throw Error(text, rank).
template <class Error>
[[noreturn]] void throw_failure_of(int first, const std::exception_ptr& failure, MPI_Comm comm) {
  failure_text text{};
  if (failure != nullptr) write_text(failure, text);
  bcast(text, first, comm);
  const Error error("sennit::mpi: on rank " + std::to_string(first) + ": " + text.data(), first);
  if (failure == nullptr || first != rank_in(comm)) throw error;
  try {
    std::rethrow_exception(failure);
  } catch (...) {
    std::throw_with_nested(error);
  }
}

}  // namespace sennit::mpi::detail

// SPDX-License-Identifier: Apache-2.0
// What collectives move and combine, as MPI's types.
#pragma once

#include <sennit/mpi/detail/bytes.hpp>
#include <sennit/mpi/detail/requests.hpp>

#include <mpi.h>

#include <climits>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <source_location>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace sennit::mpi::detail {

template <class T>
concept arithmetic = std::integral<T> || std::floating_point<T> || std::same_as<T, std::complex<float>> ||
                     std::same_as<T, std::complex<double>>;

template <class Range>
concept arithmetic_message = message<Range> && arithmetic<std::ranges::range_value_t<Range>>;

template <arithmetic T>
MPI_Datatype type_of() {
  if constexpr (std::same_as<T, bool>)
    return MPI_CXX_BOOL;
  else if constexpr (std::same_as<T, float>)
    return MPI_FLOAT;
  else if constexpr (std::same_as<T, double>)
    return MPI_DOUBLE;
  else if constexpr (std::same_as<T, long double>)
    return MPI_LONG_DOUBLE;
  else if constexpr (std::same_as<T, std::complex<float>>)
    return MPI_CXX_FLOAT_COMPLEX;
  else if constexpr (std::same_as<T, std::complex<double>>)
    return MPI_CXX_DOUBLE_COMPLEX;
  else if constexpr (std::signed_integral<T>)
    return sizeof(T) == 1   ? MPI_INT8_T
           : sizeof(T) == 2 ? MPI_INT16_T
           : sizeof(T) == 4 ? MPI_INT32_T
                            : MPI_INT64_T;
  else
    return sizeof(T) == 1   ? MPI_UINT8_T
           : sizeof(T) == 2 ? MPI_UINT16_T
           : sizeof(T) == 4 ? MPI_UINT32_T
                            : MPI_UINT64_T;
}

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline std::size_t ranks_of(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return static_cast<std::size_t>(ranks);
}

// The values of a range. Numbers are numbers to MPI, other values a type of so many bytes.
class elements {
 public:
  template <message Range>
  elements(const Range& values, const std::source_location& where) {
    using value = std::ranges::range_value_t<Range>;
    const std::size_t size = std::ranges::size(values);
    if (size > INT_MAX) {
      throw std::length_error("sennit::mpi: " + std::to_string(size) + " values at " + text_of(where) +
                              ": a collective of MPI takes 2^31 - 1 at most; call it for parts");
    }
    count_ = static_cast<int>(size);
    if constexpr (arithmetic<value>) {
      type_ = type_of<value>();
    } else {
      requests::of_process().call([&] {
        check(MPI_Type_contiguous(static_cast<int>(sizeof(value)), MPI_BYTE, &type_), "a type of bytes",
              where);
        check(MPI_Type_commit(&type_), "a type of bytes", where);
      });
      made_ = true;
    }
  }
  elements(const elements&) = delete;
  elements& operator=(const elements&) = delete;
  ~elements() {
    // Messages under way keep it.
    if (made_) requests::of_process().call([&] { MPI_Type_free(&type_); });
  }

  int count() const noexcept { return count_; }
  MPI_Datatype type() const noexcept { return type_; }

  // Throws std::invalid_argument unless there is room for so many times as many values.
  void insist(std::size_t room, std::size_t times, const char* call,
              const std::source_location& where) const {
    const std::size_t needed = static_cast<std::size_t>(count_) * times;
    if (room == needed) return;
    throw std::invalid_argument("sennit::mpi: " + std::string(call) + " at " + text_of(where) + " needs " +
                                std::to_string(needed) + " values, and was given " + std::to_string(room));
  }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool made_ = false;
};

}  // namespace sennit::mpi::detail

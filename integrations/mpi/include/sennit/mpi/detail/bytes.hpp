// SPDX-License-Identifier: Apache-2.0
// Any number of bytes, as MPI counts them: an int of some type.
#pragma once

#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/error.hpp>

#include <mpi.h>

#include <climits>
#include <cstddef>
#include <ranges>
#include <source_location>
#include <type_traits>

namespace sennit::mpi {

// Values that lie one after the other in memory, and that can be copied byte by byte.
template <class Range>
concept message = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
                  std::is_trivially_copyable_v<std::ranges::range_value_t<Range>>;

namespace detail {

// Up to 2 GiB are so many bytes; more are one element of a type with gigabytes, and a rest.
class byte_count {
 public:
  byte_count(std::size_t bytes, const std::source_location& where) {
    if (bytes <= INT_MAX) {
      count_ = static_cast<int>(bytes);
      return;
    }
    requests::of_process().call([&] { make_type(bytes, where); });
    count_ = 1;
  }
  byte_count(const byte_count&) = delete;
  byte_count& operator=(const byte_count&) = delete;
  ~byte_count() {
    // Messages under way keep it.
    if (type_ != MPI_BYTE) requests::of_process().call([&] { MPI_Type_free(&type_); });
  }

  int count() const noexcept { return count_; }
  MPI_Datatype type() const noexcept { return type_; }

 private:
  void make_type(std::size_t bytes, const std::source_location& where) {
    constexpr std::size_t part = std::size_t{1} << 30;
    const std::size_t parts = bytes / part;
    const auto rest = static_cast<int>(bytes % part);
    MPI_Datatype gigabyte = MPI_DATATYPE_NULL;
    MPI_Datatype gigabytes = MPI_DATATYPE_NULL;
    check(MPI_Type_contiguous(static_cast<int>(part), MPI_BYTE, &gigabyte), "a type of a gigabyte", where);
    check(MPI_Type_contiguous(static_cast<int>(parts), gigabyte, &gigabytes), "a type of gigabytes", where);
    const int lengths[] = {1, rest};
    const MPI_Aint offsets[] = {0, static_cast<MPI_Aint>(parts * part)};
    const MPI_Datatype types[] = {gigabytes, MPI_BYTE};
    check(MPI_Type_create_struct(2, lengths, offsets, types, &type_), "a type of all bytes", where);
    check(MPI_Type_commit(&type_), "a type of all bytes", where);
    MPI_Type_free(&gigabytes);
    MPI_Type_free(&gigabyte);
  }

  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

template <message Range>
std::size_t bytes_of(const Range& values) {
  return std::ranges::size(values) * sizeof(std::ranges::range_value_t<Range>);
}

}  // namespace detail
}  // namespace sennit::mpi

// SPDX-License-Identifier: Apache-2.0
// grid: rows of values that all ranks name alike, each with memory for the rows that it uses.
#pragma once

#include <sennit/data_regions.hpp>
#include <sennit/mpi/detail/bytes.hpp>
#include <sennit/mpi/detail/types.hpp>
#include <sennit/mpi/messages.hpp>

#include <mpi.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::mpi {

// Rows [0, rows), in blocks whose sizes differ by at most one: block r is of rank r.
class row_blocks {
 public:
  // Throws std::invalid_argument for a negative number of rows.
  explicit row_blocks(std::int64_t rows, MPI_Comm comm = MPI_COMM_WORLD)
      : rows_(rows),
        comm_(comm),
        rank_(detail::rank_in(comm)),
        ranks_(static_cast<int>(detail::ranks_of(comm))) {
    if (rows < 0) throw std::invalid_argument("sennit::mpi::row_blocks: " + std::to_string(rows) + " rows");
  }

  // The rows of a rank, and of this rank.
  range of(int rank) const noexcept {
    const std::int64_t each = rows_ / ranks_;
    const std::int64_t more = rows_ % ranks_;
    const std::int64_t first = rank * each + std::min<std::int64_t>(rank, more);
    return {first, first + each + (rank < more ? 1 : 0)};
  }
  range mine() const noexcept { return of(rank_); }
  // What the blocks were made of, and this rank among the ranks.
  std::int64_t rows() const noexcept { return rows_; }
  int rank() const noexcept { return rank_; }
  int ranks() const noexcept { return ranks_; }
  MPI_Comm comm() const noexcept { return comm_; }

 private:
  std::int64_t rows_;
  MPI_Comm comm_;
  int rank_;
  int ranks_;
};

// `rows` rows of `width` values. Each rank has address space for all of them, and memory for the pages that it touches. So code
// for one machine, and its effects, hold for a rank: a row has the same place from data() everywhere. The values are 0 at
// first, and each rank is to touch only its own rows, besides those that sweep() copies to it.
//
// Throws std::bad_alloc if the address space does not suffice (a rank has some 100 TiB). Thread-safety: that of an array.
template <class T>
class grid {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>,
                "grid: the values travel between ranks as bytes, and begin as bytes of zero");

 public:
  using value_type = T;

  grid(std::int64_t rows, std::int64_t width) : rows_(rows), width_(width) {
    if (rows < 0 || width <= 0 ||
        (rows > 0 && width > PTRDIFF_MAX / rows / static_cast<std::int64_t>(sizeof(T)))) {
      throw std::invalid_argument("sennit::mpi::grid: " + std::to_string(rows) + " rows of " +
                                  std::to_string(width) + " values");
    }
    if (bytes() == 0) return;
    void* const at =
        mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(at);
    (void)madvise(at, bytes(), MADV_HUGEPAGE);
  }
  grid(grid&& other) noexcept
      : rows_(other.rows_), width_(other.width_), data_(std::exchange(other.data_, nullptr)) {}
  grid& operator=(grid&& other) noexcept {
    std::swap(rows_, other.rows_);
    std::swap(width_, other.width_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~grid() {
    if (data_ != nullptr) munmap(data_, bytes());
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  T* row(std::int64_t r) noexcept { return data_ + r * width_; }
  const T* row(std::int64_t r) const noexcept { return data_ + r * width_; }
  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t width() const noexcept { return width_; }
  // These rows' values: for effects, and for messages.
  memory_range region(range of) const noexcept { return {data_, range{of.first * width_, of.last * width_}}; }
  std::span<T> values(range of) noexcept {
    return {row(of.first), static_cast<std::size_t>(of.size() * width_)};
  }
  std::span<const T> values(range of) const noexcept {
    return {row(of.first), static_cast<std::size_t>(of.size() * width_)};
  }

 private:
  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(rows_) * static_cast<std::size_t>(width_) * sizeof(T);
  }

  std::int64_t rows_;
  std::int64_t width_;
  T* data_ = nullptr;
};

// Brings all rows to `root`. All ranks of the blocks call it. Throws mpi::error.
template <class T>
void gather(grid<T>& of, const row_blocks& blocks, int root,
            std::source_location where = std::source_location::current()) {
  constexpr int tag = 0;
  if (blocks.rank() != root) {
    send(of.values(blocks.mine()), root, tag, blocks.comm(), where);
    return;
  }
  for (int r = 0; r < blocks.ranks(); ++r) {
    if (r != root) recv(of.values(blocks.of(r)), r, tag, blocks.comm(), where);
  }
}

}  // namespace sennit::mpi

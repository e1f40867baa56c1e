// sweep: steps over the rows of grids, on all ranks, with messages once in many steps.
#pragma once

#include <sennit/divided.hpp>
#include <sennit/mpi/detail/halo.hpp>
#include <sennit/mpi/detail/noting.hpp>
#include <sennit/mpi/grid.hpp>
#include <sennit/mpi/messages.hpp>
#include <sennit/mpi/wait.hpp>
#include <sennit/splice.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

namespace sennit::mpi {

struct sweeping {
  // Steps between two exchanges of rows. A rank computes the rows that those steps need of its neighbors for itself. More steps
  // make fewer messages and more of these rows.
  std::int64_t together = 16;
  // Rows that are done at once. 0: the library chooses.
  std::int64_t block = 0;
  // The tag of the messages, on the communicator of the blocks.
  int tag = 0;
};

// What a rank did.
struct sweep_report {
  std::uint64_t messages = 0;        // that it sent
  std::uint64_t bytes = 0;           // in these
  std::uint64_t rows = 0;            // that it computed, all steps together
  std::uint64_t rows_of_others = 0;  // of these
};

namespace detail {

// The rows of all grids that go from one rank to another, in one message.
template <class... T>
class parcel {
 public:
  parcel(const std::array<range, sizeof...(T)>& rows, grid<T>&... grids) : rows_(rows) {
    std::size_t i = 0;
    std::size_t bytes = 0;
    ((bytes += grids.values(rows_[i++]).size_bytes()), ...);
    bytes_.resize(bytes);
  }
  bool empty() const noexcept { return bytes_.empty(); }
  std::vector<std::byte>& bytes() noexcept { return bytes_; }
  void pack(grid<T>&... grids) {
    move([](std::byte* packed, auto values) { std::memcpy(packed, values.data(), values.size_bytes()); },
         grids...);
  }
  void unpack(grid<T>&... grids) {
    move(
        [](const std::byte* packed, auto values) { std::memcpy(values.data(), packed, values.size_bytes()); },
        grids...);
  }

 private:
  template <class Move>
  void move(const Move& copy, grid<T>&... grids) {
    std::byte* at = bytes_.data();
    std::size_t i = 0;
    const auto one = [&](auto& g) {
      const auto values = g.values(rows_[i++]);
      if (!values.empty()) copy(at, values);
      at += values.size_bytes();
    };
    (one(grids), ...);
  }

  std::array<range, sizeof...(T)> rows_;
  std::vector<std::byte> bytes_;
};

// What rank `to` needs of the rows of rank `from`. Of a rank that needs nothing there, no range has rows.
template <std::size_t Grids>
std::array<range, Grids> part_of(const halo<Grids>& needs, range rows_of_from) {
  std::array<range, Grids> parts;
  for (std::size_t i = 0; i < Grids; ++i) {
    parts[i] = needs.needed[i].within(rows_of_from);
    if (parts[i].size() == 0) parts[i] = {};
  }
  return parts;
}

}  // namespace detail

// Steps 0 to `steps` - 1 over the rows `swept`, on all ranks of the blocks. A step of some rows is body(s, rows), with the
// effects effects_of(s, rows). Each rank does the steps for its own rows of all grids. Before it does the next `together`
// steps, it gets the rows of other ranks that these steps need; how many that are is found from the effects. The steps of one
// exchange are spliced. Afterwards each rank's own rows are as after the same sweep on one rank, bit by bit, if body computes
// each row from its effects alone.
//
// Preconditions: all ranks call it with the same arguments and grids of the same sizes; effects_of is pure, and names all of the
// grids that steps touch; if a rank needs rows of another one, the ranks in between exchange rows with both of them, as they do where
// steps reach equally far everywhere. Throws mpi::error, what body throws, and std::invalid_argument for less than one step together,
// or if a grid has not as many rows as the blocks. After an exception on one rank, the others wait for its rows: end the job then
// (MPI_Abort).
// Thread-safety: one sweep of a grid at a time. Cost: for each exchange, some 10 us, and copies of the rows that are sent.
//
// Example:
//   #include <sennit/mpi.hpp>
//
//   void heat(sennit::mpi::grid<double> (&u)[2], long steps) {
//     const long n = u[0].rows();
//     const long m = u[0].width();
//     sennit::mpi::sweep(
//         sennit::mpi::row_blocks(n), {}, steps, {1, n - 1},
//         [&](std::int64_t s, sennit::range rows) {
//           return sennit::effects(sennit::reads(u[s % 2].region(rows.grown(1))),
//                                  sennit::writes(u[(s + 1) % 2].region(rows)));
//         },
//         [&](std::int64_t s, sennit::range rows) {
//           for (auto i = rows.first; i < rows.last; ++i) {
//             const double* const in = u[s % 2].row(i);
//             double* const out = u[(s + 1) % 2].row(i);
//             for (long j = 1; j + 1 < m; ++j) out[j] = 0.25 * (in[j - 1] + in[j + 1] + in[j - m] + in[j + m]);
//           }
//         },
//         u[0], u[1]);
//   }
template <class EffectsOf, class Body, class... T>
sweep_report sweep(const row_blocks& blocks, const sweeping& how, std::int64_t steps, range swept,
                   EffectsOf&& effects_of, Body&& body, grid<T>&... grids) {
  if (how.together < 1) {
    throw std::invalid_argument("sennit::mpi::sweep: " + std::to_string(how.together) +
                                " steps together; give 1 at least");
  }
  [[maybe_unused]] const auto insist = [&](std::int64_t rows) {
    if (rows == blocks.rows()) return;
    throw std::invalid_argument("sennit::mpi::sweep: a grid of " + std::to_string(rows) +
                                " rows, and blocks of " + std::to_string(blocks.rows()) +
                                " rows; give the blocks as many rows as each grid has");
  };
  (insist(grids.rows()), ...);
  sweep_report took;
  const range own = blocks.mine();
  for (std::int64_t first = 0; first < steps; first += how.together) {
    const std::int64_t last = std::min(steps, first + how.together);
    const auto halo_of_rank = [&](int r) {
      return detail::halo_of(first, last, swept, blocks.of(r), effects_of, grids...);
    };
    const auto mine = halo_of_rank(blocks.rank());

    std::vector<detail::parcel<T...>> in;
    std::vector<detail::parcel<T...>> out;
    std::vector<int> peers;
    std::vector<MPI_Request> requests;
    for (const int side : {-1, 1}) {
      for (int r = blocks.rank() + side; r >= 0 && r < blocks.ranks(); r += side) {
        if (blocks.of(r).size() == 0) continue;
        peers.push_back(r);
        in.emplace_back(detail::part_of(mine, blocks.of(r)), grids...);
        out.emplace_back(detail::part_of(halo_of_rank(r), own), grids...);
        if (in.back().empty() && out.back().empty()) break;  // and so it is with those farther away
        out.back().pack(grids...);
        if (out.back().empty()) continue;
        ++took.messages;
        took.bytes += out.back().bytes().size();
        detail::note_message(&detail::noted::sent, r, how.tag, out.back().bytes().size());
      }
    }
    // All that may throw is done: effects, memory. From the first receive on, MPI writes to the parcels.
    requests.reserve(2 * peers.size());
    const auto begin = [&](auto call, std::vector<std::byte>& bytes, int peer) {
      if (bytes.empty()) return;
      const detail::byte_count count(bytes.size(), std::source_location::current());
      requests.push_back(MPI_REQUEST_NULL);
      detail::check(exclusive([&] {
                      return call(bytes.data(), count.count(), count.type(), peer, how.tag, blocks.comm(),
                                  &requests.back());
                    }),
                    "sweep", std::source_location::current());
    };
    for (std::size_t i = 0; i < peers.size(); ++i) begin(MPI_Irecv, in[i].bytes(), peers[i]);
    for (std::size_t i = 0; i < peers.size(); ++i) begin(MPI_Isend, out[i].bytes(), peers[i]);
    wait_all(requests);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i].empty()) continue;
      in[i].unpack(grids...);
      detail::note_message(&detail::noted::received, peers[i], how.tag, in[i].bytes().size());
    }

    for (const range& rows : mine.computed) {
      took.rows += static_cast<std::uint64_t>(rows.size());
      took.rows_of_others += static_cast<std::uint64_t>(rows.size() - rows.within(own).size());
    }
    const detail::note_stretch note(&detail::noted::computing);
    splice({.together = static_cast<std::uint32_t>(last - first)}, last - first, [&](std::int64_t i) {
      const std::int64_t s = first + i;
      return divided{mine.computed[static_cast<std::size_t>(i)], how.block,
                     [&effects_of, s](range rows) { return effects_of(s, rows); },
                     [&body, s](range rows) { body(s, rows); }};
    });
  }
  return took;
}

}  // namespace sennit::mpi

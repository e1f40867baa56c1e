// SPDX-License-Identifier: Apache-2.0
// sweep: steps over the rows of grids, on all ranks, with messages once in many steps.
#pragma once

#include <sennit/divided.hpp>
#include <sennit/mpi/detail/agreed_failure.hpp>
#include <sennit/mpi/detail/halo.hpp>
#include <sennit/mpi/detail/sweep_messages.hpp>
#include <sennit/mpi/detail/traced_messages.hpp>
#include <sennit/mpi/grid.hpp>
#include <sennit/mpi/messages.hpp>
#include <sennit/mpi/sweep_error.hpp>
#include <sennit/splice.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sennit::mpi {

// How sweep() exchanges rows.
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

// Whether rank `from`, which looks for its peers from itself outwards, comes to this rank: it does not look beyond a rank with
// which it exchanges nothing.
template <std::size_t Grids>
void insist_on_neighbors(const row_blocks& blocks, int from, const halo<Grids>& needs,
                         const std::vector<std::pair<int, halo<Grids>>>& between) {
  const auto nothing = [](const std::array<range, Grids>& parts) {
    return std::ranges::all_of(parts, [](range part) { return part.size() == 0; });
  };
  for (const auto& [r, theirs] : between) {
    if (!nothing(part_of(needs, blocks.of(r))) || !nothing(part_of(theirs, blocks.of(from)))) continue;
    throw std::invalid_argument(
        "sennit::mpi::sweep: rank " + std::to_string(blocks.rank()) + " needs rows of rank " +
        std::to_string(from) + ", and rank " + std::to_string(r) + " between them exchanges none with rank " +
        std::to_string(from) + "; give the ranks larger blocks, or the steps effects that reach equally far");
  }
}

// What it throws says where.
template <class Body>
void step_of_rows(Body& body, std::int64_t s, range rows) {
  try {
    body(s, rows);
  } catch (const std::exception& e) {
    std::throw_with_nested(std::runtime_error("step " + std::to_string(s) + ", rows [" +
                                              std::to_string(rows.first) + ", " + std::to_string(rows.last) +
                                              "): " + e.what()));
  }
}

// The rows of each of the steps [first, last) that this rank computes, once it has what they need of other ranks. Nothing: some
// rank has failed.
template <class EffectsOf, class... T>
std::optional<std::vector<range>>
exchange_rows(sweep_messages& messages, sweep_report& took, const row_blocks& blocks, int tag,
              std::int64_t first, std::int64_t last, range swept, EffectsOf& effects_of, grid<T>&... grids) {
  const range own = blocks.mine();
  const auto halo_of_rank = [&](int r) {
    return halo_of(first, last, swept, blocks.of(r), effects_of, grids...);
  };
  auto mine = halo_of_rank(blocks.rank());

  std::vector<parcel<T...>> in;
  std::vector<parcel<T...>> out;
  std::vector<int> peers;
  for (const int side : {-1, 1}) {
    std::vector<std::pair<int, halo<sizeof...(T)>>> nearer;
    for (int r = blocks.rank() + side; r >= 0 && r < blocks.ranks(); r += side) {
      if (blocks.of(r).size() == 0) continue;
      auto theirs = halo_of_rank(r);
      peers.push_back(r);
      in.emplace_back(part_of(mine, blocks.of(r)), grids...);
      out.emplace_back(part_of(theirs, own), grids...);
      if (in.back().empty() && out.back().empty()) break;  // and so it is with those farther away
      out.back().pack(grids...);
      if (!in.back().empty()) insist_on_neighbors(blocks, r, theirs, nearer);
      nearer.emplace_back(r, std::move(theirs));
    }
  }
  const auto transfers_of = [&peers](std::vector<parcel<T...>>& parcels) {
    std::vector<transfer> all;
    for (std::size_t i = 0; i < peers.size(); ++i)
      if (!parcels[i].empty()) all.push_back({peers[i], parcels[i].bytes()});
    return all;
  };
  const auto received = transfers_of(in);
  const auto sent = transfers_of(out);
  for (const transfer& t : sent) {
    ++took.messages;
    took.bytes += t.bytes.size();
    trace_sent(t.peer, tag, t.bytes.size(), blocks.comm());
  }
  if (!messages.exchange(received, sent)) return std::nullopt;
  for (const transfer& t : received) trace_received(t.peer, tag, t.bytes.size(), blocks.comm());
  for (parcel<T...>& p : in) {
    if (!p.empty()) p.unpack(grids...);
  }
  for (const range& rows : mine.computed) {
    took.rows += static_cast<std::uint64_t>(rows.size());
    took.rows_of_others += static_cast<std::uint64_t>(rows.size() - rows.within(own).size());
  }
  return std::move(mine.computed);
}

template <class EffectsOf, class Body>
void do_steps(const std::vector<range>& computed, std::int64_t first, std::int64_t block,
              EffectsOf& effects_of, Body& body) {
  splice({.together = static_cast<std::uint32_t>(computed.size())},
         static_cast<std::int64_t>(computed.size()), [&](std::int64_t i) {
           const std::int64_t s = first + i;
           return divided{computed[static_cast<std::size_t>(i)], block,
                          [&effects_of, s](range rows) { return effects_of(s, rows); },
                          [&body, s](range rows) { step_of_rows(body, s, rows); }};
         });
}

}  // namespace detail

// Steps 0 to `steps` - 1 over the rows `swept`, on all ranks of the blocks. A step of some rows is body(s, rows), with the
// effects effects_of(s, rows). Each rank does the steps for its own rows of all grids. Before it does the next `together`
// steps, it gets the rows of other ranks that these steps need; how many that are is found from the effects. The steps of one
// exchange are spliced. Afterwards each rank's own rows are as after the same sweep on one rank, bit by bit, if body computes
// each row from its effects alone.
//
// Preconditions: all ranks call it with the same arguments and grids of the same sizes; effects_of is pure, and names all of the
// grids that steps touch; no other message of the communicator has the sweep's tag meanwhile. If a rank needs rows of another one,
// the ranks in between have to exchange rows with that one, as they do where steps reach equally far everywhere: otherwise the sweep
// fails. Throws std::invalid_argument for less than one step together, or if a grid has not as many rows as the blocks. Throws
// sweep_error on all ranks if a step, its effects or MPI failed on one: with the rank, the step and its rows. The grids' values are
// unspecified then, and MPI can be used. The cancellation of the surrounding region on one rank is a failure of that rank.
// Thread-safety: one sweep of a grid at a time. A sweep ends with a collective, so sweeps that run beside each other use blocks of
// communicators of their own. Cost: for each exchange, some 10 us, and copies of the rows that are sent.
//
// Example:
//   #include <sennit/mpi.hpp>
//   #include <cstdio>
//
//   void heat(sennit::mpi::grid<double> (&u)[2], long steps) {
//     const long n = u[0].rows();
//     const long m = u[0].width();
//     const sennit::mpi::sweeping how{.together = 8};
//     const sennit::mpi::sweep_report did = sennit::mpi::sweep(
//         sennit::mpi::row_blocks(n), how, steps, {1, n - 1},
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
//     std::printf("%zu messages\n", std::size_t{did.messages});
//   }
//   bool ended(sennit::mpi::grid<double> (&u)[2]) {
//     try {
//       heat(u, 100);
//       return true;
//     } catch (const sennit::mpi::sweep_error& e) {
//       std::fprintf(stderr, "%s (rank %d)\n", e.what(), e.rank());
//       return false;
//     }
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
  detail::sweep_messages messages(blocks.comm(), how.tag);
  std::exception_ptr failure;
  bool all_came = true;
  try {
    for (std::int64_t first = 0; first < steps && all_came; first += how.together) {
      const std::int64_t last = std::min(steps, first + how.together);
      const auto computed =
          detail::exchange_rows(messages, took, blocks, how.tag, first, last, swept, effects_of, grids...);
      if (computed)
        detail::do_steps(*computed, first, how.block, effects_of, body);
      else
        all_came = false;
    }
  } catch (...) {
    failure = std::current_exception();
  }
  const int failed = messages.end(failure != nullptr, failure != nullptr || !all_came);
  if (failed != blocks.ranks()) detail::throw_failure_of<sweep_error>(failed, failure, blocks.comm());
  return took;
}

}  // namespace sennit::mpi

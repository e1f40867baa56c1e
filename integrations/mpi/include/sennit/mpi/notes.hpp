// notes: what a rank did and when, for programs that show it.
#pragma once

#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/detail/noting.hpp>
#include <sennit/mpi/messages.hpp>

#include <mpi.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sennit::mpi {

// While it lives, this rank notes when it computes (nodes of graphs, steps of sweeps, and what is in computing()), when strands
// wait for MPI, and each message of graphs, sweeps, send(), recv() and sendrecv(). Times are nanoseconds of rank 0's clock, as
// a few messages there and back tell it: right to some microseconds.
//
// Preconditions: all ranks make it; one at a time in a process; it is made, read and ended while no strand uses sennit::mpi.
// Cost: some 100 ns and 16 to 24 bytes for each thing that is noted. Without notes, one comparison each.
//
// Example:
//   #include <sennit/mpi.hpp>
//   #include <cstdio>
//
//   void show(const sennit::mpi::notes& taken) {
//     for (const auto& m : taken.sent()) std::printf("%zu bytes to rank %d\n", std::size_t{m.bytes}, m.peer);
//   }
//   double noted(double (*compute)()) { return sennit::mpi::computing(compute); }
class notes {
 public:
  // From when to when, and a message: its peer, tag, bytes and time.
  using stretch = detail::noted::stretch;
  using message = detail::noted::message;

  explicit notes(MPI_Comm comm = MPI_COMM_WORLD) {
    set_clock(comm);
    barrier(comm);
    detail::notes_of_rank = &all_;
  }
  notes(const notes&) = delete;
  notes& operator=(const notes&) = delete;
  ~notes() { detail::notes_of_rank = nullptr; }

  // What was noted so far, in order, and the time on rank 0's clock.
  const std::vector<stretch>& computing() const noexcept { return all_.computing; }
  const std::vector<stretch>& waiting() const noexcept { return all_.waiting; }
  const std::vector<message>& sent() const noexcept { return all_.sent; }
  const std::vector<message>& received() const noexcept { return all_.received; }
  std::int64_t now() const { return all_.now(); }

 private:
  // Of some questions for the time, the one that was answered soonest tells it best.
  void set_clock(MPI_Comm comm) {
    constexpr int questions = 20;
    const int rank = detail::rank_in(comm);
    std::int64_t time = 0;
    if (rank != 0) {
      std::int64_t least = INT64_MAX;
      std::int64_t ahead = 0;
      for (int i = 0; i < questions; ++i) {
        const std::int64_t asked = all_.now();
        send(std::span(&time, 1), 0, 0, comm);
        recv(std::span(&time, 1), 0, 0, comm);
        const std::int64_t answered = all_.now();
        if (answered - asked >= least) continue;
        least = answered - asked;
        ahead = time - (asked + answered) / 2;
      }
      all_.ahead = ahead;
      return;
    }
    for (int r = 1; r < static_cast<int>(detail::ranks_of(comm)); ++r) {
      for (int i = 0; i < questions; ++i) {
        recv(std::span(&time, 1), r, 0, comm);
        time = all_.now();
        send(std::span(&time, 1), r, 0, comm);
      }
    }
  }

  detail::noted all_;
};

// Calls f, and notes that this rank computed meanwhile.
template <class F>
decltype(auto) computing(F&& f) {
  const detail::note_stretch note(&detail::noted::computing);
  return std::forward<F>(f)();
}

}  // namespace sennit::mpi

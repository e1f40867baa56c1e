// What a rank notes about itself while there are sennit::mpi::notes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace sennit::mpi::detail {

struct noted {
  // Nanoseconds since an unknown time, which is the same on all ranks.
  struct stretch {
    std::int64_t begin;
    std::int64_t end;
  };
  struct message {
    std::int64_t at;
    int peer;
    int tag;
    std::uint64_t bytes;
  };

  std::int64_t now() const {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1) + ahead;
  }

  std::int64_t ahead = 0;  // of this rank's clock, rank 0's
  std::mutex adding;       // of all below
  std::vector<stretch> computing;
  std::vector<stretch> waiting;
  std::vector<message> sent;
  std::vector<message> received;
};

// Null unless there are notes. It changes only while no strand uses sennit::mpi.
inline noted* notes_of_rank = nullptr;

// From its construction to its end.
class note_stretch {
 public:
  explicit note_stretch(std::vector<noted::stretch> noted::* of) noexcept
      : of_(of), begin_(notes_of_rank == nullptr ? 0 : notes_of_rank->now()) {}
  note_stretch(const note_stretch&) = delete;
  note_stretch& operator=(const note_stretch&) = delete;
  ~note_stretch() {
    if (notes_of_rank == nullptr) return;
    const std::int64_t end = notes_of_rank->now();
    const std::lock_guard guard(notes_of_rank->adding);
    (notes_of_rank->*of_).push_back({begin_, end});
  }

 private:
  std::vector<noted::stretch> noted::* const of_;
  const std::int64_t begin_;
};

inline void note_message(std::vector<noted::message> noted::* of, int peer, int tag, std::size_t bytes) {
  if (notes_of_rank == nullptr) return;
  const std::lock_guard guard(notes_of_rank->adding);
  (notes_of_rank->*of).push_back({notes_of_rank->now(), peer, tag, bytes});
}

}  // namespace sennit::mpi::detail

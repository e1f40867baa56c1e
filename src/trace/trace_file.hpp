// SPDX-License-Identifier: Apache-2.0
// The file of a trace: events in Chrome's JSON array format, a line each. docs/guide/tracing.md has the format.
#pragma once

#include "system/brief_lock.hpp"
#include "trace/trace_line.hpp"

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace sennit::detail {

class trace_file {
 public:
  // Opens the file, and writes the first event. Each `%p` in the path stands for the number of the process,
  // and `%r` for its rank; a rank of several that has neither in the path gets its rank put before the last dot. Throws
  // std::runtime_error that names the path, and std::bad_alloc.
  trace_file(std::string_view path, const trace_line& first);
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;

  // Appends the line to what the row has, which goes to the file sooner or later. Several threads may call it at once, also for
  // one row. Where the file is slower than the program, the thread waits whose row is full, as no line may be left out.
  void add(unsigned row, const trace_line& line) noexcept;
  // The line goes to the file at once.
  void add_now(const trace_line& line) noexcept;
  // What all rows have goes to the file.
  void flush() noexcept;
  // Nothing more is written: the array is closed.
  void close() noexcept;
  // Whether the process is a child of fork(2), which writes nothing: it has its parent's buffers, and perhaps locks that threads
  // hold which it does not have.
  bool is_parents() const noexcept;

 private:
  static constexpr unsigned most_buffers = 1024;  // rows beyond share them
  static constexpr std::size_t half_bytes = std::size_t{1} << 14;
  struct half {
    std::size_t size = 0;
    std::array<char, half_bytes> bytes;
  };
  // Lines are added to one half while the other one is written, if need be.
  struct buffer {
    brief_lock lock;  // of `filling`, and of that half
    unsigned filling = 0;
    std::array<half, 2> halves;
    std::mutex writing;  // of the other half, which is empty unless somebody has this
  };

  buffer* buffer_of(unsigned row) noexcept;
  void write_filled(buffer& from, std::size_t room) noexcept;
  void write_out(std::string_view text) noexcept;
  void write_whole(std::string_view text) noexcept;
  static void append(half& to, std::string_view text) noexcept;

  int file_;
  const unsigned generation_;
  std::atomic<bool> failed_{false};
  std::array<std::atomic<buffer*>, most_buffers> buffers_{};
};

}  // namespace sennit::detail

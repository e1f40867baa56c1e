// The file of a trace: events in Chrome's JSON array format, a line each. docs/guide/tracing.md has the format.
#pragma once

#include "system/brief_lock.hpp"
#include "trace/line.hpp"

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sennit::detail {

class trace_file {
 public:
  // Opens the file, and writes the first event. `%p` in the path stands for the number of the process. Throws
  // std::runtime_error that names the path, and std::bad_alloc.
  trace_file(std::string_view path, const trace_line& first);
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;

  // Appends the line to what `lane` has, which goes to the file sooner or later. Several threads may call it at once, also for
  // one lane.
  void add(unsigned lane, const trace_line& line) noexcept;
  // The line goes to the file at once.
  void add_now(const trace_line& line) noexcept;
  // What all lanes have goes to the file.
  void flush() noexcept;
  // Nothing more is written: the array is closed.
  void close() noexcept;

  // Lanes beyond share a buffer.
  static constexpr unsigned most_lanes = 1024;

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 15;
  struct buffer {
    brief_lock lock;
    std::size_t size = 0;
    std::array<char, buffer_bytes> bytes;
  };

  buffer* buffer_of(unsigned lane) noexcept;
  bool is_parents() const noexcept;
  void write_out(std::string_view text) noexcept;
  void write_whole(std::string_view text) noexcept;
  static void append(buffer& to, std::string_view text) noexcept;

  int file_;
  const unsigned generation_;
  std::atomic<bool> failed_{false};
  std::array<std::atomic<buffer*>, most_lanes> buffers_{};
};

}  // namespace sennit::detail

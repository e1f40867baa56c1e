// SPDX-License-Identifier: Apache-2.0
// The places in the program's code that a trace names, each with a number.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace sennit::detail {

class trace_file;

// The path of the program that this process runs.
std::string own_program();

class site_table {
 public:
  explicit site_table(trace_file& file) noexcept : file_(file) {}

  // The number of a site, which the file has been told; 0: none. Several threads may call it at once.
  std::uint32_t number_of(std::uintptr_t site) noexcept;

 private:
  static constexpr std::size_t room = std::size_t{1} << 13;
  struct entry {
    std::atomic<std::uintptr_t> site{0};
    std::atomic<std::uint32_t> number{0};
  };

  std::uint32_t add(std::uintptr_t site, std::size_t at) noexcept;

  trace_file& file_;
  std::mutex adding_;
  std::uint32_t known_ = 0;
  std::array<entry, room> entries_{};
};

}  // namespace sennit::detail

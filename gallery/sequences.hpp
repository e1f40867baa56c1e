// SPDX-License-Identifier: Apache-2.0
// Two sequences to be aligned, and how an alignment is scored.
#pragma once

#include "gallery/splitmix.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace gallery {

struct sequence_pair {
  std::string a;
  std::string b;
};

// The first two sequences of a FASTA file, in capitals. Throws input_error where there are no two.
sequence_pair read_fasta(const std::filesystem::path& path);

// Random DNA of so many bases, and a descendant of it: of sixteen bases one was replaced, and of 64 one lost and one gained.
inline sequence_pair random_dna(std::size_t n, std::uint64_t seed) {
  constexpr std::string_view bases = "ACGT";
  const std::uint64_t first = splitmix64(seed);
  sequence_pair made;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t dice = splitmix64(first + i);
    const char base = bases[dice % 4];
    made.a += base;
    if (dice >> 32 & 63) made.b += (dice >> 8 & 15) != 0 ? base : bases[(dice >> 16) % 4];
    if ((dice >> 40 & 63) == 0) made.b += bases[(dice >> 24) % 4];
  }
  if (made.b.empty()) made.b.push_back('A');
  return made;
}

struct scoring {
  std::int64_t match = 5;
  std::int64_t mismatch = -4;
  std::int64_t open = 10;  // what a gap costs, besides what its length does
  std::int64_t extend = 1;

  int of(char a, char b) const { return static_cast<int>(a == b ? match : mismatch); }
};

}  // namespace gallery

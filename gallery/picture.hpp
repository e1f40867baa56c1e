// SPDX-License-Identifier: Apache-2.0
// A picture in memory, and PNG files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gallery {

// 8 bits each of red, green and blue, row by row from the top.
struct picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> bytes;

  picture() = default;
  picture(std::size_t w, std::size_t h) : width(w), height(h), bytes(w * h * 3) {}

  std::uint8_t* row(std::size_t y) { return bytes.data() + y * width * 3; }
  const std::uint8_t* row(std::size_t y) const { return bytes.data() + y * width * 3; }

  bool operator==(const picture&) const = default;
};

// No picture has more pixels; a parameter or a file that asks for more is an error.
inline constexpr std::size_t most_pixels = std::size_t{1} << 25;

picture read_png(const std::filesystem::path& path);
// The bytes of a PNG file.
std::string png_of(const picture& image);

}  // namespace gallery

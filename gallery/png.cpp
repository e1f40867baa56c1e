// SPDX-License-Identifier: Apache-2.0
// All use of libpng. Its simplified interface catches libpng's longjmp inside the library,
// so no jump crosses our frames.
#include "gallery/file.hpp"
#include "gallery/input_error.hpp"
#include "gallery/picture.hpp"

#include <fmt/format.h>
#include <png.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gallery {
namespace {

constexpr std::string_view signature{"\x89PNG\r\n\x1a\n", 8};
constexpr std::string_view end_chunk{"\0\0\0\0IEND\xae\x42\x60\x82", 12};

struct control {
  png_image image{};

  control() { image.version = PNG_IMAGE_VERSION; }
  control(const control&) = delete;
  control& operator=(const control&) = delete;
  ~control() { png_image_free(&image); }
};

}  // namespace

picture read_png(const std::filesystem::path& path) {
  const std::vector<char> bytes = read_file(path);
  const std::string_view content{bytes.data(), bytes.size()};
  if (!content.starts_with(signature)) {
    throw input_error(fmt::format("'{}' is not a PNG file; convert the picture to PNG", path.string()));
  }
  // libpng stops reading after the last row, so it would not miss the end.
  if (content.find(end_chunk) == std::string_view::npos) {
    throw input_error(
        fmt::format("'{}' is truncated: its last chunk is missing; copy the file again", path.string()));
  }
  const auto damaged = [&](const png_image& image) {
    return input_error(
        fmt::format("'{}' is damaged ({}); copy or convert it again", path.string(), image.message));
  };

  control png;
  if (!png_image_begin_read_from_memory(&png.image, bytes.data(), bytes.size())) throw damaged(png.image);
  if (std::size_t{png.image.width} * png.image.height > most_pixels) {
    throw input_error(fmt::format("'{}' has {} x {} pixels; scale it down to at most {} pixels",
                                  path.string(), png.image.width, png.image.height, most_pixels));
  }
  png.image.format = PNG_FORMAT_RGB;
  picture result(png.image.width, png.image.height);
  const png_color behind_transparency{255, 255, 255};
  if (!png_image_finish_read(&png.image, &behind_transparency, result.bytes.data(), 0, nullptr)) {
    throw damaged(png.image);
  }
  return result;
}

std::string png_of(const picture& image) {
  control png;
  png.image.width = static_cast<png_uint_32>(image.width);
  png.image.height = static_cast<png_uint_32>(image.height);
  png.image.format = PNG_FORMAT_RGB;

  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png.image);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&png.image, bytes.data(), &size, 0, image.bytes.data(), 0, nullptr)) {
    throw input_error(
        fmt::format("a picture of {} x {} pixels cannot be made a PNG file: {}; choose a smaller one",
                    image.width, image.height, png.image.message));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace gallery

// SPDX-License-Identifier: Apache-2.0
// image_filter [IN.pgm [OUT.pgm]]: the edges in a gray picture, blurred first, so that noise is no edge.
//
// Rows of a picture do not need one another, so each pass is one loop over rows. Nobody says how many rows a worker gets.
#include <sennit/sennit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct picture {
  std::ptrdiff_t width = 0;
  std::ptrdiff_t height = 0;
  std::vector<float> pixels;  // row by row, from 0 to 255

  picture(std::ptrdiff_t width, std::ptrdiff_t height)
      : width(width), height(height), pixels(static_cast<std::size_t>(width * height)) {}

  // Beyond the border, the pixel of the border.
  float at(std::ptrdiff_t x, std::ptrdiff_t y) const {
    x = std::clamp<std::ptrdiff_t>(x, 0, width - 1);
    y = std::clamp<std::ptrdiff_t>(y, 0, height - 1);
    return pixels[static_cast<std::size_t>(y * width + x)];
  }
};

// A new picture of the same size, whose pixel at (x, y) is pixel(x, y). P is sennit::parallel or sennit::serial.
template <class P, class Pixel>
picture made_of(const picture& in, const Pixel& pixel) {
  picture out(in.width, in.height);
  P::parallel_for(0, in.height, [&](std::ptrdiff_t y) {
    for (std::ptrdiff_t x = 0; x < in.width; ++x)
      out.pixels[static_cast<std::size_t>(y * in.width + x)] = pixel(x, y);
  });
  return out;
}

constexpr std::array<float, 5> weights = {1 / 16.F, 4 / 16.F, 6 / 16.F, 4 / 16.F, 1 / 16.F};

template <class P>
picture blurred(const picture& in) {
  const picture across = made_of<P>(in, [&](auto x, auto y) {
    float sum = 0;
    for (std::ptrdiff_t k = 0; k < 5; ++k) sum += weights[static_cast<std::size_t>(k)] * in.at(x + k - 2, y);
    return sum;
  });
  return made_of<P>(in, [&](auto x, auto y) {
    float sum = 0;
    for (std::ptrdiff_t k = 0; k < 5; ++k)
      sum += weights[static_cast<std::size_t>(k)] * across.at(x, y + k - 2);
    return sum;
  });
}

// The operator of Sobel: how steep the picture is.
template <class P>
picture edges(const picture& in) {
  return made_of<P>(in, [&](auto x, auto y) {
    const float right = in.at(x + 1, y - 1) + 2 * in.at(x + 1, y) + in.at(x + 1, y + 1);
    const float left = in.at(x - 1, y - 1) + 2 * in.at(x - 1, y) + in.at(x - 1, y + 1);
    const float below = in.at(x - 1, y + 1) + 2 * in.at(x, y + 1) + in.at(x + 1, y + 1);
    const float above = in.at(x - 1, y - 1) + 2 * in.at(x, y - 1) + in.at(x + 1, y - 1);
    return std::min(255.F, std::hypot(right - left, below - above));
  });
}

// Discs in front of a slope.
picture example() {
  picture made(1200, 900);
  for (std::ptrdiff_t y = 0; y < made.height; ++y) {
    for (std::ptrdiff_t x = 0; x < made.width; ++x) {
      const auto from_center =
          std::hypot(static_cast<float>(x % 300) - 150, static_cast<float>(y % 300) - 150);
      made.pixels[static_cast<std::size_t>(y * made.width + x)] =
          from_center < 100 ? 220 : static_cast<float>(x) / static_cast<float>(made.width) * 120;
    }
  }
  return made;
}

picture read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  std::string magic;
  std::ptrdiff_t width = 0;
  std::ptrdiff_t height = 0;
  int white = 0;
  constexpr std::ptrdiff_t most = 32'768;
  if (!(file >> magic >> width >> height >> white) || magic != "P5" || white != 255 || width < 1 ||
      height < 1 || width > most || height > most)
    throw std::runtime_error(
        path + ": is no PGM picture of type P5 without comments, with 255 for white and at most " +
        std::to_string(most) + " pixels to a side");
  file.get();  // what ends the header
  picture in(width, height);
  std::string bytes(in.pixels.size(), '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw std::runtime_error(path + ": ends before its last pixel");
  std::ranges::transform(bytes, in.pixels.begin(), [](char c) { return static_cast<unsigned char>(c); });
  return in;
}

void write(const picture& out, const std::string& path) {
  std::string bytes;
  for (const float pixel : out.pixels) bytes += static_cast<char>(static_cast<unsigned char>(pixel));
  std::ofstream file(path, std::ios::binary);
  file << "P5\n" << out.width << ' ' << out.height << "\n255\n" << bytes;
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 3) throw std::runtime_error("usage: image_filter [IN.pgm [OUT.pgm]]");
  const picture in = argc > 1 ? read(argv[1]) : example();
  const picture out = edges<sennit::parallel>(blurred<sennit::parallel>(in));
  if (argc > 2) write(out, argv[2]);

  const picture serial = edges<sennit::serial>(blurred<sennit::serial>(in));
  const auto steep = sennit::parallel_count_if(out.pixels, [](float pixel) { return pixel > 100; });
  std::printf("%td x %td pixels, of which %td are on edges\n", in.width, in.height,
              static_cast<std::ptrdiff_t>(steep));
  if (out.pixels != serial.pixels) throw std::runtime_error("the serial program has another result");
} catch (const std::exception& e) {
  std::fprintf(stderr, "image_filter: %s\n", e.what());
  return EXIT_FAILURE;
}

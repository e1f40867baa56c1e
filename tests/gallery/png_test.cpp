// SPDX-License-Identifier: Apache-2.0
// PNG files come back as they were written, foreign ones are read, and damaged ones
// are named rather than crash.
#include "gallery/picture.hpp"
#include "tests/gallery/support.hpp"

#include <gmock/gmock.h>
#include <png.h>
#include <zlib.h>

#include <numeric>

namespace gallery {
namespace {

using testing::HasSubstr;

picture pattern(std::size_t width, std::size_t height) {
  picture image(width, height);
  std::iota(image.bytes.begin(), image.bytes.end(), std::uint8_t{0});
  return image;
}

class Png : public testing::Test {
 protected:
  std::string content(const std::filesystem::path& path) {
    const std::vector<char> bytes = read_file(path);
    return {bytes.begin(), bytes.end()};
  }
  std::string complaint_about(const std::filesystem::path& path) {
    return input_error_of([&] { read_png(path); });
  }

  temporary_folder folder;
};

TEST_F(Png, ComesBackAsItWasWritten) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 50}, {50, 1}, {37, 23}}) {
    const picture image = pattern(static_cast<std::size_t>(width), static_cast<std::size_t>(height));
    EXPECT_EQ(read_png(folder.with("image.png", png_of(image))), image);
  }
}

TEST_F(Png, IsReadInOtherFormats) {
  const auto path = folder / "image.png";
  for (const png_uint_32 format :
       {png_uint_32{PNG_FORMAT_GRAY}, png_uint_32{PNG_FORMAT_RGBA}, png_uint_32{PNG_FORMAT_LINEAR_Y}}) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = 2;
    image.format = format;
    const std::vector<std::uint8_t> white(16, 255);
    ASSERT_TRUE(png_image_write_to_file(&image, path.c_str(), 0, white.data(), 0, nullptr));
    EXPECT_EQ(read_png(path).bytes, std::vector<std::uint8_t>(12, 255)) << format;
  }
}

TEST_F(Png, CutAnywhereIsAnError) {
  const std::string whole = png_of(pattern(20, 20));
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const std::string complaint = complaint_about(folder.with("cut.png", whole.substr(0, length)));
    EXPECT_THAT(complaint, HasSubstr("cut.png' is ")) << length;
    if (length >= 8) {
      EXPECT_THAT(complaint, HasSubstr("truncated")) << length;
    }
  }
}

TEST_F(Png, DamagedAnywhereNeverCrashes) {
  const std::string whole = png_of(pattern(20, 20));
  std::size_t refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
    refused += complaint_about(folder.with("damaged.png", damaged)).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, whole.size() / 2);
}

TEST_F(Png, LargerThanAllowedIsRefusedBeforeMemoryIsTaken) {
  std::string header = png_of(pattern(2, 2));
  png_save_uint_32(reinterpret_cast<png_bytep>(header.data() + 16), 900000);
  png_save_uint_32(reinterpret_cast<png_bytep>(header.data() + 20), 900000);
  const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(header.data() + 12), 17);
  png_save_uint_32(reinterpret_cast<png_bytep>(header.data() + 29), static_cast<png_uint_32>(sum));
  EXPECT_THAT(complaint_about(folder.with("large.png", header)),
              HasSubstr("large.png' has 900000 x 900000 pixels"));
}

TEST_F(Png, ThatIsNoneIsNamed) {
  EXPECT_THAT(complaint_about(folder / "nothing.png"), HasSubstr("nothing.png': No such file"));
  EXPECT_THAT(complaint_about(folder.with("empty.png", "")), HasSubstr("empty.png' is empty"));
  EXPECT_THAT(complaint_about(folder.with("text.png", "no picture")),
              HasSubstr("text.png' is not a PNG file"));
}

// What a kernel makes of a picture.
picture after(kernel& k, const picture& image, const temporary_folder& folder) {
  k.prepare(folder.with("before.png", png_of(image)));
  const std::any result = k.run(policy::parallel);
  EXPECT_EQ(k.complaint(result), "");
  return read_png(folder.with("after.png", k.encode(result)));
}

// Catches: neighbors beyond the edges of a picture, and divisions by what is zero in one of a single gray.
TEST_F(Png, OfOnePixelComesOutAsItWent) {
  picture gray(1, 1);
  gray.bytes = {77, 77, 77};
  for (const char* name : {"heat", "blur", "srad"}) EXPECT_EQ(after(*find(name), gray, folder), gray) << name;
  EXPECT_EQ(after(*find("heat"), pattern(1, 1), folder), pattern(1, 1));
}

TEST_F(Png, OfOneGrayComesOutAsItWent) {
  for (const auto& [width, height] : {std::pair{1, 40}, {40, 1}, {17, 5}}) {
    picture gray(static_cast<std::size_t>(width), static_cast<std::size_t>(height));
    std::fill(gray.bytes.begin(), gray.bytes.end(), std::uint8_t{200});
    for (const char* name : {"heat", "blur", "srad"})
      EXPECT_EQ(after(*find(name), gray, folder), gray) << name;
  }
}

// Catches: a square around a pixel that is too small, too large or not centered, and an average over the
// pixels beyond the edge. One white pixel is spread over 3 x 3, of which 2 x 2 or 2 x 3 are in the picture
// for those in corners or at edges.
TEST_F(Png, WithAWhitePixelIsBlurredAroundIt) {
  picture image(5, 4);
  std::fill_n(image.row(1) + 3, 3, std::uint8_t{252});
  const std::unique_ptr<kernel> blur = find("blur");
  set(*blur, "radius", 1);
  const picture result = after(*blur, image, folder);
  const int right[4][5] = {{63, 42, 42, 0, 0}, {42, 28, 28, 0, 0}, {42, 28, 28, 0, 0}, {0, 0, 0, 0, 0}};
  for (std::size_t y = 0; y < 4; ++y) {
    for (std::size_t x = 0; x < 5; ++x) {
      for (std::size_t channel = 0; channel < 3; ++channel) {
        EXPECT_EQ(result.row(y)[3 * x + channel], right[y][x]) << x << ' ' << y;
      }
    }
  }
  set(*blur, "radius", 0);
  EXPECT_EQ(after(*blur, image, folder), image);
  set(*blur, "radius", 1000);
  const picture all = after(*blur, image, folder);
  EXPECT_EQ(all.bytes, std::vector<std::uint8_t>(60, 13));  // 252 / 20, rounded
}

// Catches: diffusion that does not stop at edges, or does not reach the speckle.
TEST_F(Png, LosesItsSpeckleAndKeepsItsEdge) {
  constexpr std::size_t size = 40;
  picture image(size, size);
  for (std::size_t i = 0; i < size * size; ++i) {
    const bool light = i % size >= size / 2;
    const int gray = (light ? 200 : 60) + (i * 7919 % 13 < 6 ? 8 : -8);
    std::fill_n(image.bytes.begin() + static_cast<std::ptrdiff_t>(3 * i), 3, static_cast<std::uint8_t>(gray));
  }
  const std::unique_ptr<kernel> srad = find("srad");
  set(*srad, "patch", size / 2);
  set(*srad, "steps", 100);
  const picture result = after(*srad, image, folder);
  for (std::size_t y = 0; y < size; ++y) {
    for (std::size_t x = 0; x < size; ++x) {
      const bool at_edge = x == size / 2 - 1 || x == size / 2;
      EXPECT_NEAR(result.row(y)[3 * x], x < size / 2 ? 60 : 200, at_edge ? 30 : 5) << x << ' ' << y;
    }
  }
}

}  // namespace
}  // namespace gallery

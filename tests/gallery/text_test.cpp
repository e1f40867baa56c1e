// SPDX-License-Identifier: Apache-2.0
// Both sorts on the texts that sorts get wrong, the check of their order, and inputs that are none.
#include "gallery/text.hpp"
#include "tests/gallery/support.hpp"

#include <gmock/gmock.h>

namespace gallery {
namespace {

using testing::HasSubstr;

std::vector<std::string> sorted(const char* name, const std::filesystem::path& input, int copies,
                                std::string& complaint) {
  const std::unique_ptr<kernel> k = find(name);
  set(*k, "copies", copies);
  k->prepare(input);
  const std::any result = k->run(policy::parallel);
  complaint = k->complaint(result);
  if (!k->same(result, k->run(policy::serial))) complaint += "not the elision's";
  const auto& lines = std::any_cast<const std::vector<line>&>(result);
  return {lines.begin(), lines.end()};
}

std::string numbers(int first, int last, int step) {
  std::string text;
  for (int i = first; i != last; i += step) text += std::to_string(100000 + i) + '\n';
  return text;
}

class Sort : public testing::TestWithParam<const char*> {
 protected:
  temporary_folder folder;
};

TEST_P(Sort, OrdersAwkwardTexts) {
  const std::string_view nul("b\0\na\0x\n\0\n", 9);
  for (const std::string& content :
       {std::string("\n"), std::string("one line, no newline"), std::string("b\na"),
        std::string("b\r\na\r\n"), std::string(500, '\n'), numbers(0, 3000, 1), numbers(3000, 0, -1),
        std::string(nul), std::string("\xff\n\x80\nz\n")}) {
    std::string complaint;
    const auto input = folder.with("text", content);
    sorted(GetParam(), input, 1, complaint);
    EXPECT_EQ(complaint, "") << content.substr(0, 30);
    sorted(GetParam(), input, 7, complaint);
    EXPECT_EQ(complaint, "") << content.substr(0, 30) << ", 7 copies";
  }
}

TEST_P(Sort, ComparesBytesAsUnsigned) {
  std::string complaint;
  const std::vector<std::string> result =
      sorted(GetParam(), folder.with("text", "\xff\nz\n\xc3\xa9\n\n"), 1, complaint);
  ASSERT_EQ(result.size(), 4U);
  EXPECT_EQ(result[0], "");
  EXPECT_EQ(result[1], "z");
  EXPECT_EQ(result[3], "\xff");
}

TEST_P(Sort, WritesTheLinesInOrder) {
  const std::unique_ptr<kernel> k = find(GetParam());
  set(*k, "copies", 2);
  k->prepare(folder.with("text", "b\na"));
  EXPECT_EQ(k->encode(k->run(policy::parallel)), "a\na\nb\nb\n");
}

TEST_P(Sort, NamesAnInputItCannotUse) {
  const std::unique_ptr<kernel> k = find(GetParam());
  const auto complaint_about = [&](const std::filesystem::path& input) {
    return input_error_of([&] { k->prepare(input); });
  };
  EXPECT_THAT(complaint_about(folder / "nothing"), HasSubstr("nothing': No such file"));
  EXPECT_THAT(complaint_about(folder.with("empty", "")), HasSubstr("empty' is empty"));
  EXPECT_THAT(complaint_about("/"), HasSubstr("'/': it is a directory"));
  set(*k, "copies", 1e6);
  EXPECT_THAT(complaint_about(folder.with("large", std::string(2000, 'x'))), HasSubstr("ask for at most"));
}

INSTANTIATE_TEST_SUITE_P(Gallery, Sort, testing::Values("mergesort", "quicksort"),
                         [](const auto& name) { return std::string(name.param); });

TEST(SortingCheck, NoticesEachWayToBeWrong) {
  const temporary_folder folder;
  const text t(folder.with("text", "b\na\nb\n"), 1);
  const auto [b, a, c] = std::tuple{t.lines[0], t.lines[1], t.lines[2]};
  EXPECT_EQ(sorting_complaint(t.lines, {a, b, c}), "");
  EXPECT_THAT(sorting_complaint(t.lines, {b, a, c}), HasSubstr("belongs before"));
  EXPECT_THAT(sorting_complaint(t.lines, {a, c, b}), HasSubstr("did not come after"));
  EXPECT_THAT(sorting_complaint(t.lines, {a, b, b}), HasSubstr("did not come after"));
  EXPECT_THAT(sorting_complaint(t.lines, {a, b}), HasSubstr("3 lines became 2"));
  EXPECT_THAT(sorting_complaint(t.lines, {a, b, "c"}), HasSubstr("no line of the text"));
  EXPECT_FALSE(same_lines({a, b, c}, {a, c, b}));
}

}  // namespace
}  // namespace gallery

// SPDX-License-Identifier: Apache-2.0
// Links and sequences are read as they stand, and what is none is refused with its line.
#include "gallery/links.hpp"
#include "gallery/sequences.hpp"
#include "tests/gallery/support.hpp"

#include <gmock/gmock.h>

namespace gallery {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Links, OfAnEdgeListCountOnceAndNotToThemselves) {
  const temporary_folder folder;
  const link_graph web = read_links(folder.with("web", "# from to\n0 1\n2 1\n\n0\t1\n1 1 % self\n3 0\n"));
  EXPECT_EQ(web.pages, 4U);
  EXPECT_THAT(web.starts, ElementsAre(0, 1, 3, 3, 3));
  EXPECT_THAT(web.sources, ElementsAre(3, 0, 2));
  EXPECT_THAT(web.outgoing, ElementsAre(1, 0, 1, 1));
}

TEST(Links, OfAMatrixGoFromRowsToColumns) {
  const temporary_folder folder;
  const link_graph web = read_links(
      folder.with("web.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n"));
  EXPECT_EQ(web.pages, 3U);
  EXPECT_THAT(web.starts, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(web.sources, ElementsAre(1, 0));
}

TEST(Links, ThatAreNoneAreRefused) {
  const temporary_folder folder;
  for (const char* wrong : {"0 1\n2\n", "0 1\n1 2 3\n", "0 1\n1 x\n", "0 1\n1 99999999999\n"})
    EXPECT_THAT(input_error_of([&] { read_links(folder.with("web", wrong)); }), HasSubstr("line 2")) << wrong;
  EXPECT_THAT(input_error_of([&] { read_links(folder.with("web", "# none\n")); }), HasSubstr("no links"));
}

TEST(Links, OfPackagesGoToTheFirstAlternativeOrItsProvider) {
  const temporary_folder folder;
  folder.with("a_Packages", "Package: a\nDepends: b (>= 1) | c, mail\nDescription: x\n Depends: "
                            "c\n\nPackage: b\nPre-Depends: c:any\n\n"
                            "Package: c\nProvides: mail (= 2), other\n\n");
  const link_graph web = read_debian_packages(folder / "");
  EXPECT_THAT(web.names, ElementsAre("a", "b", "c"));
  EXPECT_THAT(web.starts, ElementsAre(0, 0, 1, 3));
  EXPECT_THAT(web.sources, ElementsAre(0, 0, 1));
}

TEST(Links, OfNoPackagesAreAnError) {
  const temporary_folder folder;
  EXPECT_THAT(input_error_of([&] { read_debian_packages(folder / ""); }), HasSubstr("apt-get update"));
  EXPECT_THAT(input_error_of([&] { read_debian_packages(folder / "none"); }), HasSubstr("apt-get update"));
}

TEST(Sequences, AreTheFirstTwoOfAFile) {
  const temporary_folder folder;
  const sequence_pair pair = read_fasta(folder.with("f", ">one x\nAC\ngt\n>two\r\nTT\r\n>three\nA\n"));
  EXPECT_EQ(pair.a, "ACGT");
  EXPECT_EQ(pair.b, "TT");
  EXPECT_THAT(input_error_of([&] { read_fasta(folder.with("f", ">one\nAC\n")); }),
              HasSubstr("two sequences"));
  EXPECT_THAT(input_error_of([&] { read_fasta(folder.with("f", "AC\n")); }), HasSubstr("line 1"));
}

}  // namespace
}  // namespace gallery

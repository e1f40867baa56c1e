// SPDX-License-Identifier: Apache-2.0
// Catches: pragmas that are read wrongly or not at all, and translations whose lines are others than the program's.
#include "tests/splicec/translated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using splicec_tests::line_of;
using splicec_tests::messages;
using splicec_tests::translated;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(SplicecPragmas, GoOnAfterABackslashAndMayHaveComments) {
  const auto t = translated("#pragma splice func Reads(RE(x, /* all */ x + n)) \\\n"
                            "                    Writes(RE(y, y + n), \\\n"
                            "                           RE(z, z + 1))  // and no more\n"
                            "void f(int* x, int* y, int* z, int n) { }\n");
  EXPECT_THAT(messages(t), IsEmpty());
  EXPECT_THAT(line_of(t, 4),
              HasSubstr("sennit::reads(RE(x, x + n)), sennit::writes(RE(y, y + n), RE(z, z + 1))"));
  EXPECT_THAT(t.text, Not(HasSubstr("#pragma")));
}

TEST(SplicecPragmas, CountOnlyWhereThePreprocessorLeavesThem) {
  const auto t = translated("#if 0\n#pragma splice nonsense\n#endif\n"
                            "#pragma omp parallel\n"
                            "// #pragma splice nonsense\n"
                            "const char* s = \"#pragma splice nonsense\";\n");
  EXPECT_THAT(messages(t), IsEmpty());
  EXPECT_THAT(line_of(t, 4), "#pragma omp parallel");
}

TEST(SplicecPragmas, SayWhatIsWrongAndWhere) {
  const auto t = translated("#pragma splice func\nvoid f(int);\n"
                            "#pragma splice func Reads(RE(x, y)\nvoid g(int);\n"
                            "#pragma splice func Reads() Reads()\nvoid h(int);\n"
                            "  #pragma splice func Reads() Wrties(x)\nvoid i(int);\n"
                            "#pragma splice try()\n");
  EXPECT_FALSE(t.good());
  EXPECT_THAT(messages(t),
              ElementsAre(HasSubstr("program.c:1:1: error: say what a call of the function reads and writes"),
                          HasSubstr("program.c:3:21: error: Reads( is not closed on this line"),
                          HasSubstr("program.c:5:29: error: there are two Reads(...) here"),
                          HasSubstr("program.c:7:31: error: 'Wrties' is not expected here"),
                          HasSubstr("program.c:9:19: error: say how many calls are to be spliced")));
}

TEST(SplicecPragmas, ThatSpeakOfNothingAreFaults) {
  const auto t = translated("#pragma splice func Reads()\n"
                            "int x;\n"
                            "void f(void) {\n"
                            "#pragma splice step Reads()\n"
                            "  x = 1;\n"
                            "#pragma splice try(2)\n"
                            "  x = 2;\n"
                            "}\n");
  EXPECT_THAT(messages(t),
              ElementsAre(HasSubstr("program.c:1:1: error: what follows is no function"),
                          HasSubstr("program.c:4:1: error: what follows is no statement of a spliced"),
                          HasSubstr("program.c:7:3: error: 'try' wants calls of functions")));
}

TEST(SplicecPragmas, LeaveTheLinesWhereTheyAre) {
  const std::string program = "#pragma splice func Reads(RE(x, x + n)) \\\n Writes(RE(y, y + n))\n"
                              "void f(int* x, int* y, int n) {\n"
                              "#pragma splice step Reads(RE(x, x + n)) Writes(RE(y, y + n))\n"
                              "  for (int i = 0;\n       i < n; i++)\n    y[i] = x[i];\n"
                              "  f(x,\n    y, n - 1);\n"
                              "  for (int i = 0;\n       i < n;\n       i++) f(x, y, i);\n"
                              "}\n"
                              "int last;\n";
  const auto t = translated(program);
  EXPECT_THAT(messages(t), IsEmpty());
  const auto lines = std::count(program.begin(), program.end(), '\n');
  EXPECT_THAT(line_of(t, static_cast<int>(lines)), "int last;");
}

TEST(SplicecPragmas, OfHeadersHoldForTheirFunctions) {
  // A declaration is enough: the function is elsewhere.
  const auto t = translated("#pragma splice func Writes(RE(y, y + n))\n"
                            "void g(int* y, int n);\n"
                            "#pragma splice func Writes(RE(y, y + n))\n"
                            "void f(int* y, int n) { g(y, n); }\n");
  EXPECT_THAT(messages(t), IsEmpty());
  EXPECT_THAT(line_of(t, 4), HasSubstr("sennit::sequence(sennit::call([&] { g(y, n); }));"));
}

TEST(SplicecPragmas, ClangsErrorsAreSaid) {
  const auto t = translated("int f( { }\n");
  EXPECT_FALSE(t.good());
  EXPECT_THAT(messages(t).front(), HasSubstr("program.c:1:"));
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Catches: programs that are translated wrongly where they should have been refused, and messages without a place.
#include "tests/splicec/translated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using splicec_tests::line_of;
using splicec_tests::messages;
using splicec_tests::translated;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string leaf = "#pragma splice func Writes(RE(y, y + n))\n"
                         "void leaf(int* y, int n);\n";
std::vector<std::string> of_body(const std::string& body, const std::string& path = "program.c") {
  return messages(translated(
      leaf + "#pragma splice func Writes(RE(b, b + n))\nvoid f(int* b, int n) {\n" + body + "\n}\n", path));
}
std::vector<std::string> of_main(const std::string& body) {
  return messages(translated(leaf + "int a[9]; int *p, n;\nint main(void) {\n" + body + "\n}\n"));
}

TEST(SplicecMessages, FunctionsThatCannotBeSpliced) {
  EXPECT_THAT(messages(translated("#pragma splice func Reads()\nint f(void);\n")),
              ElementsAre(HasSubstr("program.c:2:1: error: 'f' returns a value")));
  EXPECT_THAT(messages(translated("#pragma splice func Reads()\nvoid f(int, ...);\n")),
              ElementsAre(HasSubstr("program.c:2:1: error: 'f' has '...'")));
  EXPECT_THAT(
      messages(translated("#pragma splice func Reads()\ntemplate <class T> void f(T);\n", "program.cpp")),
      ElementsAre(HasSubstr("program.cpp:2:1: error: 'f' is a template")));
}

TEST(SplicecMessages, CallsInPlacesWhereTheyCannotBeSpliced) {
  EXPECT_THAT(of_body("  if ((leaf(b, n), n)) b = 0;"),
              Contains(HasSubstr("program.c:5:7: error: a call of a spliced")));
  EXPECT_THAT(of_body("  return leaf(b, n);"),
              Contains(HasSubstr("program.c:5:3: error: 'return' of a spliced call")));
  EXPECT_THAT(of_body("#define LEAF leaf(b, n)\n  LEAF;"),
              Contains(HasSubstr("program.c:6:3: error: this comes from a macro")));
  EXPECT_THAT(of_body("  auto g = [&] { leaf(b, n); };\n  g();", "program.cpp"),
              Contains(HasSubstr("program.cpp:5:")));
  EXPECT_THAT(of_body("again: leaf(b, n); goto again;"), Contains(HasSubstr("program.c:5:1: error: 'goto'")));
}

TEST(SplicecMessages, VariablesThatAStepWouldHide) {
  EXPECT_THAT(of_body("#pragma splice step Reads(RE(b, b + 1))\n  int k[] = {b[0]};\n  leaf(b, k[0]);"),
              Contains(HasSubstr("program.c:6:7: error: 'k' is initialized from data of others")));
  EXPECT_THAT(of_body("#pragma splice step Reads(RE(b, b + 1))\n  int k = b[0];\n  leaf(b, k);"), IsEmpty());
}

TEST(SplicecMessages, UnannotatedDataIsWarnedOf) {
  EXPECT_THAT(of_body("  b[0] = 1;"), ElementsAre(HasSubstr("program.c:5:3: warning: data of others")));
}

TEST(SplicecMessages, Tries) {
  EXPECT_THAT(of_main("#pragma splice try(2)\n  leaf(a, 1);\n  leaf(a, 2);"), IsEmpty());
  EXPECT_THAT(of_main("#pragma splice try(3)\n  leaf(a, 1);\n  leaf(a, 2);"),
              ElementsAre(HasSubstr("program.c:5:1: warning: only 2 of 3 calls follow one another")));
  EXPECT_THAT(of_main("  void g(void);\n#pragma splice try(3)\n  leaf(a, 1);\n  g();\n  leaf(a, 2);"),
              ElementsAre(HasSubstr("program.c:8:3: warning: nothing is known of the call of 'g'")));
  EXPECT_THAT(of_main("#pragma splice try(3)\n  leaf(p, 1);\n  leaf(p, 2);\n  leaf(a, 3);"),
              Contains(HasSubstr("program.c:7:3: error: 'p' is read before the calls")));
  EXPECT_THAT(of_main("#pragma splice try(3)\n  for (int t = 9; t > 0; t--) leaf(a, t);"),
              ElementsAre(HasSubstr("program.c:6:3: error: a loop is spliced if it counts")));
  EXPECT_THAT(
      of_main("  int* q = a;\n#pragma splice try(3)\n  for (int t = 0; t < 3; t++) { leaf(q, t); q++; }"),
      ElementsAre(HasSubstr("program.c:7:3: error: 'q' changes from round to round")));
  EXPECT_THAT(
      of_main("#pragma splice try(3)\n  for (int t = 0; t < 3; t++) { if (t) leaf(a, t); }"),
      ElementsAre(HasSubstr("program.c:6:3: error: each round of a loop that is spliced makes one call")));
  EXPECT_THAT(of_main("  int i = 0;\n#pragma splice try(2)\n  leaf(a, i++);\n  leaf(a, i++);"),
              Contains(HasSubstr("program.c:7:3: error: 'i' changes in what is to be spliced")));
  EXPECT_THAT(
      of_main("  int k;\n#pragma splice try(2)\n  leaf(&k, 1);\n  leaf(a, k);"),
      Contains(HasSubstr("program.c:8:3: error: 'k' is read before the calls that are given its address")));
  EXPECT_THAT(of_body("#pragma splice try(2)\n  leaf(b, n);"),
              ElementsAre(HasSubstr("program.c:5:1: error: 'try' in a spliced function")));
}

// Catches arguments that are made too early, where an earlier call may write what they read: another result, and exit 0.
TEST(SplicecMessages, ArgumentsThatEarlierCallsMayWrite) {
  const auto of_calls = [](const std::string& argument, const std::string& before = "") {
    return messages(translated(leaf +
                               "int a[9], n; volatile int v; int g(void) { return a[0]; }\nint h(void);\n"
                               "int w(void) { n = 1; return 1; }\nstatic int id(int i) { return i; }\n" +
                               "int main(void) {\n" + before +
                               "  int k = g();\n#pragma splice try(2)\n  leaf(a, 1);\n  leaf(a, " + argument +
                               ");\n  return k;\n}\n"));
  };
  for (const char* argument : {"g()", "3 + g()", "h()", "a[0]", "*a", "n", "n ? 1 : 2", "(0, n)", "v",
                               "(int)n", "k ? g() : 1", "(n = 1)", "n++", "w()", "id(n)"}) {
    EXPECT_THAT(of_calls(argument), Contains(HasSubstr(": error: "))) << argument;
  }
  EXPECT_THAT(of_calls("*q", "  int* q = a;\n"),
              Contains(HasSubstr(": error: this argument is read before")));
  for (const char* argument : {"k", "3 + k", "k ? 1 : 2", "id(k)"}) {
    EXPECT_THAT(of_calls(argument), IsEmpty()) << argument;
  }
  // No call stands before the first one.
  EXPECT_THAT(of_main("#pragma splice try(2)\n  leaf(a, n);\n  leaf(a, 2);"), IsEmpty());
  EXPECT_THAT(of_main("#pragma splice try(3)\n  for (int t = 0; t < 3; t++) leaf(a, a[t]);"),
              Contains(HasSubstr(": error: ")));
}

// Catches numbers that only the compiler of the translation would complain of, or that mean another one.
TEST(SplicecMessages, CountsOfTries) {
  const auto of_try = [](const std::string& count) {
    return of_main("#pragma splice try(" + count + ")\n  for (int t = 0; t < 3; t++) leaf(a, t);");
  };
  EXPECT_THAT(of_try("n + 2"), IsEmpty());
  EXPECT_THAT(of_try("0"), IsEmpty());
  EXPECT_THAT(of_try("1+"), ElementsAre(HasSubstr(
                                "program.c:5:20: error: this is no number of calls: expected expression")));
  EXPECT_THAT(of_try("-3"),
              ElementsAre(HasSubstr("program.c:5:20: error: this is no number of calls: it is less")));
}

// Catches names that only the compiler of the translation would miss, at another place.
TEST(SplicecMessages, RegionsOfWhatIsNotThere) {
  EXPECT_THAT(of_body("#pragma splice step Reads(RE(b, b + nosuch))\n  b[0] = 1;"),
              Contains(HasSubstr("program.c:5:37: error: 'nosuch' is declared nowhere")));
  EXPECT_THAT(of_body("#define SIZE 3\n  struct { int n; } s;\n"
                      "#pragma splice step Writes(RE(b, b + SIZE), RE(b + s.n, static_cast<int*>(nullptr)))\n"
                      "  b[s.n] = 1;"),
              IsEmpty());
}

// Catches conversions that only the compiler of the translation would refuse.
TEST(SplicecMessages, ConversionsThatAreNoneOfCpp) {
  EXPECT_THAT(of_main("  void* all(unsigned long);\n  p = all(9);\n  p = (int*)all(9);\n  void* q = p;"),
              ElementsAre(HasSubstr(
                  "program.c:6:7: error: C++ does not convert this 'void *' to 'int *': write (int *)")));
}

TEST(SplicecMessages, WhatIsNotSplicedStaysAsItIs) {
  const auto t = translated(leaf + "static int twice(int k) { return 2 * k; }\n"
                                   "int main(void) { int a[4]; leaf(a, twice(2)); return 0; }\n");
  EXPECT_THAT(messages(t), IsEmpty());
  EXPECT_EQ(line_of(t, 3), "static int twice(int k) { return 2 * k; }");
  EXPECT_EQ(line_of(t, 4), "int main(void) { int a[4]; leaf(a, twice(2)); return 0; }");
}

TEST(SplicecMessages, CKeepsItsLinkage) {
  const auto t = translated(leaf + "int twice(int k) { return 2 * k; }\n");
  EXPECT_EQ(line_of(t, 2), "extern \"C\" { void leaf(int* y, int n); }");
  EXPECT_EQ(line_of(t, 3), "extern \"C\" { int twice(int k) { return 2 * k; } }");
}

}  // namespace

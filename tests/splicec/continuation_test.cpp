// SPDX-License-Identifier: Apache-2.0
// Catches: continuation effects that are too small, and those that are needlessly large.
#include "tests/splicec/translated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using splicec_tests::line_of;
using splicec_tests::messages;
using splicec_tests::translated;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string leaf = "#pragma splice func Reads(RE(x, x + n)) Writes(RE(y, y + n))\n"
                         "void leaf(const int* x, int* y, int n);\n";
// The body's first line is the fourth.
splicec::translation with_body(const std::string& body, const std::string& before = "") {
  return translated(leaf.substr(0, leaf.size() - 1) + before +
                    "\n#pragma splice func Reads(RE(a, a + n)) Writes(RE(b, b + n))  // of f\n" +
                    "void f(const int* a, int* b, int n) {\n" + body + "}\n");
}
std::string line(const splicec::translation& t, int of_body) { return line_of(t, 4 + of_body); }

constexpr const char* whole = "sennit::followed_by(sennit_fx), sennit::call";

TEST(SplicecContinuation, OfTheLastCallsIsNothing) {
  const auto t = with_body("  leaf(a, b, 1);\n  leaf(a + 1, b + 1, n - 1);\n");
  EXPECT_THAT(messages(t), IsEmpty());
  EXPECT_EQ(line(t, 1), "  sennit::sequence(sennit::call([&] { leaf(a, b, 1); }),");
  EXPECT_EQ(line(t, 2), "  sennit::call([&] { leaf(a + 1, b + 1, n - 1); }));");
}

TEST(SplicecContinuation, IsThatOfStepsAndCallsThatFollow) {
  const auto t = with_body("  leaf(a, b, n);\n"
                           "#pragma splice step Writes(RE(b, b + 1))\n"
                           "  b[0] = 1;\n"
                           "  leaf(a, b + 1, n - 1);\n");
  EXPECT_THAT(messages(t), IsEmpty());
  EXPECT_THAT(line(t, 1), HasSubstr("sennit::writes(RE(b, b + 1))"));
  EXPECT_THAT(line(t, 1), HasSubstr("sennit::splicec::of_call(leaf, []([[maybe_unused]] auto&& x"));
  EXPECT_THAT(line(t, 1), HasSubstr("}, a, b + 1, n - 1)"));
  EXPECT_THAT(line(t, 4), Not(HasSubstr("followed_by")));
}

// Catches a step without effects behind the last call, which has not announced that a step follows.
TEST(SplicecContinuation, OfReturnsThatTouchNoDataIsNothing) {
  for (const std::string after : {"switch (n) { case 1: return; default: n = 2; }",
                                  "for (int i = 0; i < n; i++) if (i * i == n) return;"}) {
    const auto t = with_body("  leaf(a, b, n);\n  " + after + "\n");
    EXPECT_THAT(messages(t), IsEmpty());
    EXPECT_EQ(line(t, 1), "  sennit::sequence(sennit::call([&] { leaf(a, b, n); }));");
    EXPECT_EQ(line(t, 2), "  " + after);
  }
}

TEST(SplicecContinuation, OfBranchesIsWhatComesAfterThem) {
  const auto t = with_body("  if (n > 3) {\n"
                           "    leaf(a, b, 1);\n"
                           "  } else {\n"
                           "    leaf(a, b, 2);\n"
                           "    return;\n"
                           "  }\n"
                           "#pragma splice step Writes(RE(b, b + 1))\n"
                           "  b[0] = 1;\n");
  EXPECT_THAT(line(t, 2),
              HasSubstr("followed_by([&]() -> sennit::effects { using namespace sennit::splicec; return "
                        "{sennit::writes(RE(b, b + 1))}; }())"));
  EXPECT_THAT(line(t, 4), Not(HasSubstr("followed_by")));
}

TEST(SplicecContinuation, InALoopHasItsLaterRounds) {
  const auto t = with_body("  int i = 0;\n"
                           "  while (i < n) {\n"
                           "#pragma splice step Writes(RE(b, b + 1))\n"
                           "    b[0] = 1;\n"
                           "    leaf(a, b, i);\n"
                           "    i++;\n"
                           "  }\n");
  // A later round's i is another one.
  EXPECT_THAT(line(t, 5), HasSubstr(whole));
  const auto u = with_body("  int i = 0;\n"
                           "  while (i < n) {\n"
                           "#pragma splice step Writes(RE(b, b + 1))\n"
                           "    b[0] = 1;\n"
                           "    leaf(a, b, n);\n"
                           "    i++;\n"
                           "  }\n");
  EXPECT_THAT(line(u, 5), HasSubstr("followed_by(sennit::splicec::all_of("));
  EXPECT_THAT(line(u, 5), HasSubstr("of_call(leaf"));
}

TEST(SplicecContinuation, ThatCannotBeSaidHereIsTheWholeOfTheFunction) {
  const std::string step = "#pragma splice step Writes(RE(b, b + k))\n  b[0] = 1;\n";
  // Not declared yet.
  EXPECT_THAT(line(with_body("  leaf(a, b, n);\n  int k = n / 2;\n" + step), 1), HasSubstr(whole));
  // Changed on the way.
  EXPECT_THAT(line(with_body("  int k = 1;\n  leaf(a, b, n);\n  k = n;\n" + step), 2), HasSubstr(whole));
  EXPECT_THAT(line(with_body("  int k = 1;\n  leaf(a, b, k++);\n" + step), 2), Not(HasSubstr(whole)));
  // By somebody who has its address.
  EXPECT_THAT(line(with_body("  int k = 1; int* p = &k;\n  leaf(a, b, n);\n  *p = n;\n" + step), 2),
              HasSubstr(whole));
  // Another variable of that name.
  EXPECT_THAT(
      line(with_body("  int k = 1;\n  leaf(a, b, n);\n  { int k = n;\n" + step + "  (void)k; }\n"), 2),
      HasSubstr(whole));
  // An annotated step that says nothing.
  EXPECT_THAT(line(with_body("  leaf(a, b, n);\n#pragma splice step\n  b[0] = 1;\n"), 1), HasSubstr(whole));
}

TEST(SplicecContinuation, VariablesOfARoundAreOthersInTheNext) {
  const auto t = with_body("  for (int i = 0; i < n; i++) {\n"
                           "    const int k = i + 1;\n"
                           "    leaf(a, b, n);\n"
                           "#pragma splice step Writes(RE(b, b + k))\n"
                           "    b[i] = 1;\n"
                           "  }\n");
  EXPECT_THAT(line(t, 3), HasSubstr(whole));
}

TEST(SplicecContinuation, OfAStepIsWhatItsPragmaMeansWhereItStands) {
  const auto t = with_body("  leaf(a, b, 1);\n"
                           "#pragma splice step Writes(RE(b, b + n))\n"
                           "  n--;\n"
                           "  b[n] = 1;\n");
  EXPECT_THAT(messages(t),
              ElementsAre(HasSubstr("program.c:6:1: warning: a variable that is named here changes")));
  EXPECT_THAT(line(t, 1), HasSubstr(whole));
  EXPECT_THAT(line(t, 4), HasSubstr("sennit::step(sennit_fx, "));
  const auto u = with_body("  n--;\n"
                           "#pragma splice step Writes(RE(b, b + n))\n"
                           "  b[n] = 1;\n");
  EXPECT_THAT(messages(u), IsEmpty());
}

TEST(SplicecContinuation, OfUnknownCallsIsEverything) {
  const auto t = with_body("  leaf(a, b, n);\n  mystery();\n", "void mystery(void);");
  EXPECT_THAT(messages(t),
              ElementsAre(HasSubstr(
                  "program.c:6:3: warning: nothing is known of the call of 'mystery': it is taken to "
                  "read and write everything")));
  EXPECT_THAT(line(t, 1), HasSubstr("followed_by(sennit::effects::everything())"));
  EXPECT_THAT(line(t, 2), HasSubstr("sennit::step(sennit::effects::everything()"));
  // So that it holds for the whole, and for those that call it.
  EXPECT_THAT(line(t, 0), HasSubstr("sennit::effects::everything())};"));
}

TEST(SplicecContinuation, OfAtomicsAndOfNamesOfTheLibraryIsUnknownToo) {
  const auto t = with_body("  leaf(a, b, n);\n  __atomic_store_n(b, 1, 5);\n  log(n);\n", "void log(int);");
  EXPECT_THAT(messages(t),
              ElementsAre(HasSubstr("program.c:6:3: warning: nothing is known of this"),
                          HasSubstr("program.c:7:3: warning: nothing is known of the call of 'log'")));
}

TEST(SplicecContinuation, UnknownCallsAreThoseOfCallersToo) {
  const auto t = translated("void mystery(void);\n"
                            "#pragma splice func Writes(RE(y, y + n))\n"
                            "void inner(int* y, int n) { mystery(); }\n"
                            "#pragma splice func Writes(RE(y, y + n))\n"
                            "void outer(int* y, int n) { inner(y, n); }\n");
  EXPECT_THAT(line_of(t, 5), HasSubstr("sennit::effects::everything())};"));
}

TEST(SplicecContinuation, AnnotatedStepsMayCallAnything) {
  const auto t = with_body("#pragma splice step Writes(RE(b, b + n))\n  mystery();\n", "void mystery(void);");
  EXPECT_THAT(messages(t), IsEmpty());
  EXPECT_THAT(line(t, 0), Not(HasSubstr("everything")));
}

TEST(SplicecContinuation, OfVariablesOfTheFileIsKnown) {
  const auto t = with_body("  leaf(a, b, limit);\n  done++;\n", "int limit, done;");
  EXPECT_THAT(messages(t), IsEmpty());
  EXPECT_THAT(line(t, 0), HasSubstr("sennit::reads(sennit::splicec::object(limit)), "
                                    "sennit::writes(sennit::splicec::object(done))"));
  EXPECT_THAT(line(t, 1), HasSubstr("auto sennit_argument_2 = sennit::splicec::value("
                                    "sennit::effects(sennit::reads(sennit::splicec::object(limit)))"));
  EXPECT_THAT(line(t, 1),
              HasSubstr("followed_by(sennit::effects(sennit::writes(sennit::splicec::object(done))))"));
  EXPECT_THAT(line(t, 2), HasSubstr("sennit::step(sennit::effects(sennit::writes("));
}

TEST(SplicecContinuation, VariablesThatStayAsTheyAreDoNotCount) {
  const auto t =
      translated(leaf + "static int limit = 3; static const int other = 4; enum { third = 5 };\n"
                        "#pragma splice func Reads(RE(a, a + n)) Writes(RE(b, b + n))\n"
                        "void f(const int* a, int* b, int n) { leaf(a, b, limit + other + third); }\n"
                        "int main(void) { limit = 4; return 0; }\n");
  EXPECT_THAT(messages(t), IsEmpty());
  EXPECT_THAT(t.text, Not(HasSubstr("object(")));
  const auto u = translated(leaf + "static int limit = 3; void more(void) { limit++; }\n"
                                   "#pragma splice func Reads(RE(a, a + n)) Writes(RE(b, b + n))\n"
                                   "void f(const int* a, int* b, int n) { leaf(a, b, limit); }\n");
  EXPECT_THAT(u.text, HasSubstr("object(limit)"));
}

TEST(SplicecContinuation, FunctionsThatCanBeSeenNeedNoAnnotation) {
  const auto t = with_body("  leaf(a, b, least(n, 4));\n  leaf(a, b, second(a));\n",
                           "int least(int p, int q) { int r = p; if (q < r) r = q; return r; } "
                           "int second(const int* p) { return p[1]; }");
  EXPECT_THAT(line(t, 1), HasSubstr("leaf(a, b, least(n, 4));"));
  EXPECT_THAT(line(t, 2), HasSubstr("sennit::splicec::value(sennit_fx, [&] { return second(a); })"));
  EXPECT_THAT(messages(t),
              ElementsAre(HasSubstr("program.c:6:14: warning: data of others is used outside a step")));
}

TEST(SplicecContinuation, FunctionsThatCallOneAnotherAreNotForgotten) {
  const auto t =
      with_body("  leaf(a, b, even(n));\n  leaf(a, b, odd(n));\n",
                "int count; int odd(int k); int even(int k) { count++; return k ? odd(k - 1) : 1; } "
                "int odd(int k) { return k ? even(k - 1) : 0; }");
  EXPECT_THAT(line(t, 2), HasSubstr("sennit::splicec::value("));
}

TEST(SplicecContinuation, LoopsOfCallsAreSequences) {
  const auto t = with_body("  for (int i = 0; i < n; i += 4) leaf(a + i, b + i, 4);\n");
  EXPECT_THAT(messages(t), IsEmpty());
  EXPECT_THAT(line(t, 1),
              HasSubstr("  sennit::sequence_of(sennit::splicec::rounds(static_cast<int>(0), n, 4, false), "));
  // With something behind it, a call of its own.
  const auto u = with_body("  for (int i = 0; i < n; i += 4) leaf(a + i, b + i, 4);\n  leaf(a, b, n);\n");
  EXPECT_THAT(line(u, 1), HasSubstr("sennit::sequence(sennit::followed_by(sennit::splicec::of_call(leaf"));
  EXPECT_THAT(line(u, 1), HasSubstr("sennit::sequence_of("));
  // Not if it is no such loop.
  for (const char* const head :
       {"for (int i = 0; i < n; i++, n--)", "for (int i = n; i > 0; i--)", "for (int i = 0; i < *b; i++)"}) {
    const auto v = with_body("  " + std::string(head) + " leaf(a + i, b + i, 4);\n");
    EXPECT_THAT(line(v, 1), HasSubstr(whole)) << head;
  }
}

TEST(SplicecContinuation, CallsWhoseArgumentsDependOnOneAnotherStayApart) {
  const auto t = with_body("  int i = 0;\n  leaf(a, b, i++);\n  leaf(a, b, i++);\n");
  EXPECT_THAT(line(t, 2), HasSubstr("}));"));
  EXPECT_THAT(line(t, 3), HasSubstr("sennit::sequence(sennit::call([&] { leaf(a, b, i++); }));"));
  // The first call writes what the second one is given.
  const auto u = with_body("  int k[2];\n  leaf(a, k, 1);\n  leaf(a, b, k[0]);\n");
  EXPECT_THAT(line(u, 2), HasSubstr("}));"));
  EXPECT_THAT(line(u, 3), HasSubstr("sennit::sequence(sennit::call([&] { leaf(a, b, k[0]); }));"));
  const auto v = with_body("  int k = 1;\n  for (int i = 0; i < n; i++) leaf(a, &k, k);\n");
  EXPECT_THAT(line(v, 2), Not(HasSubstr("sequence_of")));
}

TEST(SplicecContinuation, MacrosAreAsGoodAsWhatTheyStandFor) {
  const auto t = with_body("#define SIZE 16 + 1\n"
                           "  for (int i = 0; i < SIZE; i++) leaf(a, b, SIZE);\n"
                           "#pragma splice step Reads(RE(b, b + 1))\n"
                           "  if (b[0] < SIZE) leaf(a, b, n);\n");
  EXPECT_THAT(messages(t), IsEmpty());
  EXPECT_THAT(line(t, 2), HasSubstr("sennit::splicec::rounds(static_cast<int>(0), SIZE, 1, false)"));
  EXPECT_THAT(line(t, 4), HasSubstr("[&] { return b[0] < SIZE; }))"));
}

TEST(SplicecContinuation, OfCallsInTryHasTheHandlers) {
  const auto t = splicec_tests::translated(leaf + "#pragma splice func Writes(RE(b, b + n))\n"
                                                  "void f(int* b, int n) {\n"
                                                  "  try {\n"
                                                  "    leaf(b, b, n);\n"
                                                  "  } catch (int) {\n"
                                                  "#pragma splice step Writes(RE(b, b + 1))\n"
                                                  "    b[0] = 1;\n"
                                                  "  }\n"
                                                  "}\n",
                                           "program.cpp");
  EXPECT_THAT(messages(t), IsEmpty());
  EXPECT_THAT(line_of(t, 6),
              HasSubstr("followed_by([&]() -> sennit::effects { using namespace sennit::splicec; return "
                        "{sennit::writes(RE(b, b + 1))}; }())"));
  EXPECT_THAT(line_of(t, 7), "  } catch (int) {");
}

}  // namespace

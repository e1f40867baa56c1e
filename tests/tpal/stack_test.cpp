// SPDX-License-Identifier: Apache-2.0
// A task's stack and its marks.
#include "tools/tpal/stack.hpp"

#include <gmock/gmock.h>

#include <string>

namespace tpal {
namespace {

using testing::HasSubstr;

template <class F>
std::string misuse(F f) {
  try {
    f();
  } catch (const stack_error& error) {
    return error.what();
  }
  return "";
}

stack of(std::int64_t cells) {
  stack s;
  s.renew();
  s.allocate(cells);
  return s;
}

// Catches offsets that count from the wrong end.
TEST(Stack, CountsCellsFromTheNewest) {
  stack s = of(1);
  s.store(0, value::number(7));
  s.allocate(2);
  EXPECT_EQ(s.load(2).bits, 7);
  EXPECT_EQ(s.load(0).bits, 0);
  s.free(2);
  EXPECT_EQ(s.load(0).bits, 7);
}

// Catches marks that are taken innermost first, and offsets that are not of this moment.
TEST(Stack, SplitsTheOldestMarkOff) {
  stack s = of(3);
  s.push_mark(2);
  s.push_mark(0);
  s.allocate(4);
  EXPECT_TRUE(s.has_marks());
  EXPECT_EQ(s.split_mark(), 6);
  EXPECT_EQ(s.split_mark(), 4);
  EXPECT_FALSE(s.has_marks());
  s.store(4, value::number(1));
  EXPECT_EQ(s.load(4).bits, 1);
}

TEST(Stack, PopsTheNewestMark) {
  stack s = of(2);
  s.push_mark(1);
  s.push_mark(0);
  EXPECT_THAT(misuse([&] { s.pop_mark(1); }), HasSubstr("but the newest mark is mem[sp + 0]"));
  s.pop_mark(0);
  s.pop_mark(1);
  EXPECT_THAT(misuse([&] { s.pop_mark(1); }), HasSubstr("there is no mark"));
}

TEST(Stack, TellsMisuse) {
  stack none;
  EXPECT_THAT(misuse([&] { none.allocate(1); }), HasSubstr("no stack; make one by 'sp := snew'"));
  EXPECT_THAT(misuse([&] { none.has_marks(); }), HasSubstr("no stack"));
  stack s = of(2);
  EXPECT_THAT(misuse([&] { s.load(2); }), HasSubstr("mem[sp + 2] is outside the stack, which has 2 cells"));
  EXPECT_THAT(misuse([&] { s.load(-1); }), HasSubstr("outside"));
  EXPECT_THAT(misuse([&] { s.free(3); }), HasSubstr("stack underflow"));
  EXPECT_THAT(misuse([&] { s.free(-1); }), HasSubstr("sfree of -1"));
  EXPECT_THAT(misuse([&] { s.allocate(-1); }), HasSubstr("salloc of -1"));
  EXPECT_THAT(misuse([&] { s.allocate(stack::most_cells); }), HasSubstr("stack overflow"));
  EXPECT_THAT(misuse([&] { s.split_mark(); }), HasSubstr("ask prmempty before"));
  s.push_mark(0);
  EXPECT_THAT(misuse([&] { s.push_mark(1); }), HasSubstr("not newer"));
  EXPECT_THAT(misuse([&] { s.push_mark(0); }), HasSubstr("not newer"));
  EXPECT_THAT(misuse([&] { s.load(0); }), HasSubstr("holds a promotion-ready mark"));
  EXPECT_THAT(misuse([&] { s.store(0, value::number(1)); }), HasSubstr("cannot be stored to"));
  EXPECT_THAT(misuse([&] { s.free(1); }), HasSubstr("sfree of 1 cells, of which mem[sp + 0] has"));
  EXPECT_THAT(misuse([&] { s.renew(); }), HasSubstr("would drop promotion-ready marks"));
}

}  // namespace
}  // namespace tpal

// SPDX-License-Identifier: Apache-2.0
#include "beat/address_pairs.hpp"
#include "tests/rollforward/beats.hpp"

#include <sennit/beats.hpp>
#include <sennit/join.hpp>
#include <sennit/latent_range.hpp>
#include <sennit/promotion_point.hpp>
#include <sennit/task_group.hpp>

#include <dlfcn.h>
#include <ucontext.h>
#include <unwind.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#define NOINLINE [[gnu::noinline]]

namespace {

using test::beat;
using test::take;
using test::taken;

struct frames {
  int all = 0;
  int in_second_copies = 0;
};

_Unwind_Reason_Code count(_Unwind_Context* context, void* to) {
  auto& f = *static_cast<frames*>(to);
  ++f.all;
  const auto place = sennit::detail::find_return(_Unwind_GetIP(context));
  f.in_second_copies += place.copy == sennit::detail::copy_of_code::second;
  return _URC_NO_REASON;
}

NOINLINE frames look() {
  frames f;
  _Unwind_Backtrace(count, &f);
  return f;
}

NOINLINE void look_twice(std::vector<frames>& out, bool with_beat) {
  out.push_back(look());
  if (with_beat) beat();
  out.push_back(look());
  SENNIT_PROMOTION_POINT(take());
  out.push_back(look());
}

class rollforward_beats : public test::beating {};

// Catches a second copy without CFI, and a promotion that does not lead back into the first copy.
TEST_F(rollforward_beats, backtrace_goes_through_a_second_copy) {
  std::vector<frames> seen;
  seen.reserve(3);
  look_twice(seen, true);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0].in_second_copies, 0);
  EXPECT_EQ(seen[1].in_second_copies, 1);
  EXPECT_EQ(seen[2].in_second_copies, 0);
  EXPECT_GT(seen[0].all, 5);
  EXPECT_EQ(seen[1].all, seen[0].all);
  EXPECT_EQ(taken, 1);
}

// Catches a promotion point that is taken by itself.
TEST_F(rollforward_beats, nothing_is_taken_without_a_beat) {
  std::vector<frames> seen;
  look_twice(seen, false);
  EXPECT_EQ(taken, 0);
}

struct on_exit {
  int& count;
  ~on_exit() { ++count; }
};

NOINLINE void fails(bool really) {
  if (really) throw std::runtime_error("as asked");
}

NOINLINE void passes_on(int& destroyed) {
  const on_exit guard{destroyed};
  beat();
  fails(true);
  SENNIT_PROMOTION_POINT(take(); take());
}

NOINLINE int catches(int& destroyed) {
  int caught = 0;
  try {
    const on_exit guard{destroyed};
    beat();
    fails(true);
  } catch (const std::runtime_error&) {
    ++caught;
  }
  SENNIT_PROMOTION_POINT(take());
  return caught;
}

// Catches a second copy whose exception table is the first one's, or none: then the handler would be another one or
// std::terminate(), and the promotion point behind it would not be met.
TEST_F(rollforward_beats, a_second_copy_catches) {
  int destroyed = 0;
  EXPECT_EQ(catches(destroyed), 1);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(taken, 1);
}

TEST_F(rollforward_beats, an_exception_passes_a_second_copy) {
  int destroyed = 0;
  EXPECT_THROW(passes_on(destroyed), std::runtime_error);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(taken, 0);
}

NOINLINE void throws_itself(int& destroyed) {
  const on_exit guard{destroyed};
  beat();
  if (destroyed == 0) throw std::runtime_error("out of the second copy");
  SENNIT_PROMOTION_POINT(take());
}

// Catches a table of call sites in which the call that throws, in the second copy, is not.
TEST_F(rollforward_beats, a_second_copy_throws) {
  int destroyed = 0;
  EXPECT_THROW(throws_itself(destroyed), std::runtime_error);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(taken, 0);
}

NOINLINE int throws_again(int& destroyed) {
  int caught = 0;
  try {
    const on_exit outer{destroyed};
    try {
      const on_exit inner{destroyed};
      beat();
      throw std::runtime_error("out of the second copy");
    } catch (const std::runtime_error&) {
      ++caught;
      beat();
      throw;
    }
  } catch (const std::exception&) {
    ++caught;
  }
  SENNIT_PROMOTION_POINT(take());
  return caught;
}

// Catches landing pads of a second copy that end the exception, or leave for those of the first with a beat lost.
TEST_F(rollforward_beats, a_second_copy_throws_again) {
  int destroyed = 0;
  EXPECT_EQ(throws_again(destroyed), 2);
  EXPECT_EQ(destroyed, 2);
  EXPECT_EQ(taken, 1);
}

NOINLINE void statements_throw(int& destroyed) {
  const on_exit guard{destroyed};
  beat();
  SENNIT_PROMOTION_POINT(take(); throw std::runtime_error("out of a promotion"));
}

// Catches a promotion that is no part of the function's exception table.
TEST_F(rollforward_beats, a_promotion_throws) {
  int destroyed = 0;
  EXPECT_THROW(statements_throw(destroyed), std::runtime_error);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(taken, 1);
}

NOINLINE long throws_and_catches(long n) {
  long caught = 0;
  int destroyed = 0;
  for (long i = 0; i < n; ++i) {
    try {
      const on_exit guard{destroyed};
      fails(i % 2 == 0);
    } catch (const std::runtime_error&) {
      ++caught;
    }
    SENNIT_PROMOTION_POINT(take());
  }
  return caught * 1'000'000 + destroyed;
}

// Catches a return address that is moved under an unwinder that has read it.
TEST_F(rollforward_beats, beats_while_exceptions_unwind) {
  const test::metronome m(70'000);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(throws_and_catches(2000), 1'000'002'000);
  EXPECT_GT(taken, 0);
}

NOINLINE long allocates(long n) {
  std::vector<std::unique_ptr<char[]>> kept(64);
  long s = 0;
  for (long i = 0; i < n; ++i) {
    auto& block = kept[static_cast<std::size_t>(i % 64)];
    block = std::make_unique<char[]>(static_cast<std::size_t>(1 + i * 37 % 3000));
    block[0] = static_cast<char>(i);
    s += block[0];
    SENNIT_PROMOTION_POINT(kept[0].reset(new char[100]); take());
  }
  return s;
}

// Catches a handler that allocates, and a promotion that is made inside of malloc rather than behind it.
TEST_F(rollforward_beats, beats_during_malloc) {
  const long expected = allocates(20'000);
  const test::metronome m(50'000);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(allocates(20'000), expected);
  EXPECT_GT(taken, 0);
}

// The instruction behind the int3 is where the other handler goes back to.
NOINLINE int interrupted() {
  int x = 1;
  asm volatile("int3" : "+r"(x));
  x += 41;
  SENNIT_PROMOTION_POINT(take());
  return x;
}

void on_trap(int, siginfo_t*, void*) { beat(); }

// Catches a beat in a user's handler that is lost, or that disturbs the handler.
TEST_F(rollforward_beats, a_beat_in_another_handler_moves_what_that_interrupted) {
  handle(SIGTRAP, on_trap, 0);
  EXPECT_EQ(interrupted(), 42);
  EXPECT_EQ(taken, 1);
}

class on_other_stack : public rollforward_beats {
 protected:
  on_other_stack() {
    const stack_t other = {memory_.data(), 0, memory_.size()};
    EXPECT_EQ(sigaltstack(&other, nullptr), 0);
  }
  ~on_other_stack() override {
    const stack_t none = {nullptr, SS_DISABLE, 0};
    sigaltstack(&none, nullptr);
  }

 private:
  std::vector<char> memory_ = std::vector<char>(1 << 16);
};

// Catches a walk that does not find its way from one stack to the other.
TEST_F(on_other_stack, the_beats_handler) {
  handle(SIGUSR1, test::on_beat, SA_ONSTACK);
  std::vector<frames> seen;
  look_twice(seen, true);
  EXPECT_EQ(taken, 1);
}

TEST_F(on_other_stack, both_handlers) {
  handle(SIGUSR1, test::on_beat, SA_ONSTACK);
  handle(SIGTRAP, on_trap, SA_ONSTACK);
  EXPECT_EQ(interrupted(), 42);
  EXPECT_EQ(taken, 1);
}

// Catches: the library's own handler, with all the rest around it, where the tests' does less.
TEST_F(on_other_stack, beats_of_the_library) {
  handle(SIGTRAP, [](int, siginfo_t*, void*) { allocates(5); }, SA_ONSTACK);
  const sennit::beats beating(
      {.period = std::chrono::microseconds(100), .workers = false, .calling_thread = true});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const long expected = allocates(500);
  for (int i = 0; i < 10 || (taken <= 20 && std::chrono::steady_clock::now() < end); ++i) {
    ASSERT_EQ(allocates(500), expected);
    ASSERT_EQ(throws_and_catches(200), 100'000'200);
    ASSERT_EQ(interrupted(), 42);
  }
  EXPECT_GT(taken, 20);
}

// A handler of the user's that has promotion points itself.
NOINLINE void handles() {
  beat();
  SENNIT_PROMOTION_POINT(take());
}

void on_trap_with_points(int, siginfo_t*, void*) { handles(); }

TEST_F(rollforward_beats, a_handler_with_promotion_points) {
  handle(SIGTRAP, on_trap_with_points, 0);
  EXPECT_EQ(interrupted(), 42);
  EXPECT_EQ(taken, 1);  // the handler's own: the innermost marked frame
}

// Catches a beat that is said to be on its way although nobody will take it.
TEST_F(rollforward_beats, a_beat_that_nobody_can_take_is_pending) {
  beat();
  EXPECT_EQ(test::placed, 0);
  EXPECT_TRUE(sennit::detail::beat_is_pending());
  handles();
  EXPECT_EQ(taken, 1);
  EXPECT_FALSE(sennit::detail::beat_is_pending());
}

NOINLINE long no_point_ahead(bool point) {
  if (point) SENNIT_PROMOTION_POINT(take());
  beat();
  return 7;
}

NOINLINE long has_point_behind() {
  const long x = no_point_ahead(false);
  SENNIT_PROMOTION_POINT(take());
  return x;
}

// Catches a beat that ends with a function that has no promotion point left.
TEST_F(rollforward_beats, a_beat_is_carried_back_to_the_caller) {
  EXPECT_EQ(has_point_behind(), 7);
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(no_point_ahead(false), 7);
  EXPECT_EQ(taken, 1);
  EXPECT_TRUE(sennit::detail::beat_is_pending());
}

// Functions whose call frame information is wrong, as hand-written code has it. Each calls what it is given, and
// returns 1 if a word of its own is no longer what it was.
extern "C" {
long copies_its_return_address(void (*)());
long has_its_frame_elsewhere(void (*)());
long has_no_frame_information(void (*)());
}
asm(R"(
	.text
copies_its_return_address:
	.cfi_startproc
	movq	(%rsp), %rax
	pushq	%rax
	call	*%rdi
	popq	%rcx
	xorl	%eax, %eax
	cmpq	(%rsp), %rcx
	setne	%al
	ret
	.cfi_endproc
has_its_frame_elsewhere:
	.cfi_startproc
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	movq	$64, %rbp
	.cfi_def_cfa_register %rbp
	call	*%rdi
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	xorl	%eax, %eax
	ret
	.cfi_endproc
has_no_frame_information:
	subq	$8, %rsp
	call	*%rdi
	addq	$8, %rsp
	xorl	%eax, %eax
	ret
)");

NOINLINE long calls(long (*f)(void (*)())) {
  const long x = f(beat);
  SENNIT_PROMOTION_POINT(take());
  return x;
}

// The same in a function with a frame pointer, whose frame is found whatever is wrong with those that it calls.
NOINLINE long calls_with_frame_pointer(long (*f)(void (*)())) {
  asm volatile("" : : "r"(__builtin_frame_address(0)));
  const long x = f(beat);
  SENNIT_PROMOTION_POINT(take());
  return x;
}

// Catches a word that is changed because it looks like a return address, and a read beyond the stack.
TEST_F(rollforward_beats, wrong_frames_are_left_alone) {
  for (auto* const f : {copies_its_return_address, has_its_frame_elsewhere, has_no_frame_information}) {
    for (auto* const caller : {calls, calls_with_frame_pointer}) {
      EXPECT_EQ(caller(f), 0);
      EXPECT_TRUE(sennit::detail::beat_is_pending());
    }
  }
  EXPECT_EQ(taken, 0);
}

// A stack of the user's own, which nobody has told the library of.
ucontext_t here;
ucontext_t there;

// On it, as the walk looks at the callers of a marked function.
NOINLINE long calls_it() {
  const long x = has_point_behind();
  asm volatile("");
  return x;
}

// Catches a walk that takes any stack for the thread's.
TEST_F(rollforward_beats, on_a_stack_of_ones_own) {
  std::vector<char> memory(1 << 16);
  getcontext(&there);
  there.uc_stack.ss_sp = memory.data();
  there.uc_stack.ss_size = memory.size();
  there.uc_link = &here;
  makecontext(&there, [] { EXPECT_EQ(calls_it(), 7); }, 0);
  ASSERT_EQ(swapcontext(&here, &there), 0);
  EXPECT_EQ(taken, 1);
}

// Catches two promotions for beats that come together.
TEST_F(rollforward_beats, beats_that_come_together_are_one) {
  handle(
      SIGUSR1,
      [](int, siginfo_t*, void* context) {
        EXPECT_TRUE(sennit::detail::roll_forward(context));
        EXPECT_TRUE(sennit::detail::roll_forward(context));
      },
      0);
  EXPECT_EQ(has_point_behind(), 7);
  EXPECT_EQ(taken, 1);
}

NOINLINE long deep(int n) {
  if (n == 0) {
    beat();
    return 0;
  }
  const long below = deep(n - 1);
  asm volatile("");  // no loop of it
  return below + 1;
}

NOINLINE long calls_deep(int n) {
  const long x = deep(n);
  SENNIT_PROMOTION_POINT(take());
  return x;
}

// Catches a walk without a bound, and one that gives up early.
TEST_F(rollforward_beats, the_walk_is_bounded) {
  EXPECT_EQ(calls_deep(sennit::detail::most_frames / 2), sennit::detail::most_frames / 2);
  EXPECT_EQ(taken, 1);
  calls_deep(sennit::detail::most_frames * 2);
  EXPECT_EQ(taken, 1);
  EXPECT_TRUE(sennit::detail::beat_is_pending());
}

NOINLINE long sums(const std::vector<int>& data) {
  long s = 0;
  for (std::size_t begin = 0; begin < data.size();) {
    const std::size_t end = std::min(data.size(), begin + 512);
    for (; begin < end; ++begin) s += data[begin];
    SENNIT_PROMOTION_POINT(take());
  }
  return s;
}

// Catches a copy that is entered but does not come to its promotion point.
TEST_F(rollforward_beats, a_timer_beats_in_a_loop) {
  const std::vector<int> data(1 << 20, 3);
  const test::metronome m(100'000);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  while (std::chrono::steady_clock::now() < end) ASSERT_EQ(sums(data), 3L << 20);
  EXPECT_GT(taken, 5);
  EXPECT_LE(taken, test::beats);
}

NOINLINE long forks(int n) {
  if (n == 0) {
    test::let_beats_through();
    handles();
    return 1;
  }
  const auto [a, b] = sennit::join([&] { return forks(n - 1); }, [&] { return forks(n - 1); });
  return a + b;
}

// Catches a walk that does not end at the bottom of a fiber's stack.
TEST_F(rollforward_beats, on_fibers) {
  EXPECT_EQ(forks(6), 64);
  EXPECT_EQ(taken, 64);
  const auto [a, b] = sennit::join(
      [] {
        beat();
        return 1;
      },
      [] { return 2; });
  EXPECT_EQ(a + b, 3);
}

// Catches tables that are registered once for the whole process, or read after they are gone.
TEST_F(rollforward_beats, a_plugin_is_loaded_and_unloaded) {
  const std::vector<int> data(5, 2);
  for (int i = 1; i <= 3; ++i) {
    void* plugin = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(plugin, nullptr) << dlerror();
    using function = long(const int*, long, void (*)(), void (*)());
    auto* sum = reinterpret_cast<function*>(dlsym(plugin, "plugin_sum"));
    ASSERT_NE(sum, nullptr);
    EXPECT_EQ(sum(data.data(), 5, beat, take), 10);
    EXPECT_EQ(taken, 5 * i);
    ASSERT_EQ(dlclose(plugin), 0);
    EXPECT_EQ(sennit::detail::find_instruction(reinterpret_cast<std::uintptr_t>(sum)).copy,
              sennit::detail::copy_of_code::none);
    beat();
  }
}

}  // namespace

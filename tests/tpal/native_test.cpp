// SPDX-License-Identifier: Apache-2.0
// Programs compiled by `tpal build`, with real beats: they answer as the machine does.
#include "tests/tpal/loop_nest.hpp"
#include "tests/tpal/native_support.hpp"
#include "tools/tpal/emit.hpp"
#include "tools/tpal/files.hpp"

#include <filesystem>
#include <map>
#include <sstream>

namespace tpal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

outcome native(const std::string& name, const std::string& arguments) {
  return shell(std::string(TPAL_NATIVE "/") + name + " " + arguments);
}

struct example {
  std::string name;
  std::string inputs;
  std::string answer;
};
void PrintTo(const example& e, std::ostream* out) { *out << e.name; }

class Native : public testing::TestWithParam<example> {};

// Catches registers that the compiler has elsewhere at a promotion point, lost or doubled iterations, marks in the wrong order,
// and beats that arrive while the runtime or the allocator is at work.
TEST_P(Native, AnswersAlikeWhateverTheBeats) {
  const example& e = GetParam();
  // On a virtual machine a beat may take 20 us.
  for (const int heart : {0, 1000, 100, 50}) {
    for (const int workers : {1, 2, 3}) {
      const outcome o = native(e.name, fmt::format("{} --heart {} --workers {}", e.inputs, heart, workers));
      EXPECT_EQ(o.status, 0);
      EXPECT_THAT(o.output, StartsWith(e.answer + "\n")) << "heart " << heart << ", workers " << workers;
      if (heart == 0) {
        EXPECT_THAT(o.output, HasSubstr("tasks 1, promotions 0\n"));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Native,
    testing::Values(example{"prod", "a=30000000 b=-7", "c = -210000000"},
                    example{"pow", "b=10 e=8", "p = 100000000"}, example{"fib", "n=31", "f = 1346269"},
                    example{"plus-reduce", "", "s = 500500"},
                    example{"spmv", "", "y = 91, 23, 39, 59, 83, 111"},
                    example{"mandelbrot", "width=200 height=150 most=500", "total = 3944684"}),
    [](const auto& info) {
      std::string name = info.param.name;
      std::erase(name, '-');
      return name;
    });

// Catches promotion points that are never taken. A loop of a tenth of a second meets hundreds of beats.
TEST(NativeBeats, Promote) {
  for (const auto& [name, inputs] : {std::pair{"prod", "a=300000000 b=1"}, std::pair{"fib", "n=34"}}) {
    EXPECT_THAT(native(name, fmt::format("{} --heart 50 --workers 1", inputs)).output,
                Not(HasSubstr("promotions 0\n")));
  }
}

TEST(NativeErrors, NameTheLineOrTheWord) {
  const outcome o = native("mandelbrot", "width=0");
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.output, HasSubstr("mandelbrot.tpal:8: error: division by zero"));
  EXPECT_EQ(native("fib", "").status, 2);
  EXPECT_THAT(native("fib", "").output, HasSubstr("input 'n' has no value"));
  EXPECT_THAT(native("fib", "m=3").output, HasSubstr("'m=3' is no input"));
  EXPECT_THAT(native("fib", "n=3x").output, HasSubstr("bad number in 'n=3x'"));
  EXPECT_THAT(native("fib", "n=3 --workers 5000").output, HasSubstr("from 0 to 1024"));
  EXPECT_THAT(native("fib", "n=3 --heart 5").output, HasSubstr("0 or from 10"));
}

// Catches an error of a jump or a fork that is said to be in line 0.
TEST(NativeErrors, NameTheLineOfABadLabel) {
  const std::string file = testing::TempDir() + "tpal_native_bad_label";
  for (const auto& [end, line] :
       {std::pair{"jump l", 4}, {"if-jump z, l; halt", 4}, {"fork j, l\n  halt", 4}}) {
    const program p = assemble(
        fmt::format(".output z\n.input z\nx: j := jralloc e; l := -1\n  {}\ne: [jtppt assoc; {{}}; e] halt",
                    end),
        "bad.tpal");
    build(p, file, tools_here);
    const outcome o = shell(file + " z=0");
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.output, HasSubstr(fmt::format("bad.tpal:{}: error: this leads to what is no label", line)));
  }
  std::filesystem::remove(file);
}

// Catches a program that is aborted, without its name, for a word in the environment.
TEST(NativeErrors, NameABadVariable) {
  for (const char* variable : {"SENNIT_BEAT=often", "SENNIT_STACK=big"}) {
    const outcome o = shell(fmt::format("{} {}/fib n=3", variable, TPAL_NATIVE));
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.output, HasSubstr("fib.tpal: sennit: " + std::string(variable).substr(0, 11)));
  }
}

// Catches a compilation that fits the programs at hand only.
TEST(NativeNests, AnswerAsInCpp) {
  const loop_nest nest{{{0, 300, 1000}, {1, 200, 300}, {3, 50, 97}}};
  const std::string expected = fmt::format("c = {}\n", nest.expected());
  const std::string file = testing::TempDir() + "tpal_native_nest";
  build(assemble(nest.source(), "nest"), file, tools_here);
  for (const int heart : {0, 200, 30}) {
    const outcome o = shell(fmt::format("{} --heart {} --workers 2", file, heart));
    EXPECT_THAT(o.output, StartsWith(expected)) << heart;
  }
  std::filesystem::remove(file);
}

// The integral of 4 / (1 + x * x) from 0 to 1, by steps; and a value through the stack, and one that is an integer first.
constexpr const char* integral = R"(.input steps = 1000000, from : double = 0.0
.output pi, whole, last, xs, ys
.data xs = 0.5, -1e-3
.zero ys : double = 2
.extern sqrt(double) -> double
main:
  n := double steps; h := 1.0 /. n; own := 0; j := 0; s := 0.0; i := 0; jump loop
exit: [jtppt assoc; {s -> s2}; comb]
  pi := s *. h; pi := pi +. from
  whole := int pi; sp := snew; salloc 1; mem[sp] := pi; last := mem[sp + 0]
  last := last -. pi; t := last =. 0.0; if-jump t, good
  halt
good:
  y := mem[xs + 1]; y := call sqrt(0.25); mem[ys + 1] := y; halt
loop: [prppt split]
  left := steps - i; if-jump left, end
  x := double i; x := x +. 0.5; x := x *. h
  x := x *. x; x := x +. 1.0; x := 4.0 /. x; s := s +. x
  i := i + 1; jump loop
end:
  t := own; if-jump t, exit
  join j
split:
  left := steps - i; t := left < 2; if-jump t, loop
  jump loop
comb:
  s := s +. s2; join j
)";

// Catches bits of doubles that are computed with as integers, or printed so, and doubles that are lost on the way through the
// stack, the heap, and C functions.
TEST(NativeDoubles, AnswerAsOnTheMachine) {
  const folder here;
  const program p = assemble(integral, "integral.tpal");
  build(p, here.file("integral"), tools_here);
  image start = load(p, {"steps=1000", "from=1.5"});
  find_functions(start.code, {});
  const std::string expected = answer(start, beating(50));
  EXPECT_THAT(expected, AllOf(StartsWith("pi = 4.64159"),
                              HasSubstr("\nwhole = 4\nlast = 0.0\nxs = 0.5, -0.001\nys = 0.0, 0.5\n")));
  EXPECT_THAT(shell(here.file("integral") + " steps=1000 from=1.5").output, StartsWith(expected));
  EXPECT_THAT(shell(here.file("integral") + " from=one").output, HasSubstr("bad number in 'from=one'"));
  EXPECT_THAT(shell(here.file("integral") + " from=1e30").output,
              HasSubstr("integral.tpal:10: error: the double has no integer"));
}

// Catches an output whose bits would be printed as what they are not.
TEST(NativeDoubles, OutputsAreOfOneType) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      emit(assemble(text, "test.tpal"));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(".output a\nx: a := 1; a := 1.5; halt"),
              HasSubstr("test.tpal:1: native code has to know whether the output 'a' is a double; give it a "
                        "register that holds nothing else"));
  const std::string through =
      "\nx: b := 1.5; sp := snew; salloc 1; mem[sp] := b; a := mem[sp]; b := b +. 1.0; halt";
  EXPECT_THAT(refusal(".output a" + through), HasSubstr("or say '.output a : double'"));
  EXPECT_EQ(refusal(".output a : double" + through), "");
  EXPECT_EQ(refusal(".output a : int" + through), "");
}

// s = the sum of twice(x) over the cells x, times scale.
constexpr const char* sum_of_calls = R"(.input scale = 1
.output s, copy
.data xs = 1 .. 5
.zero copy = #xs
.extern twice(int) -> int
.extern seen()
main:
  s := 0; i := 0; call seen(); jump loop
exit: [jtppt assoc-comm; {s -> s2}; comb]
  s := s * scale; jump share
share:
  s := s / scale; s := s * scale; halt
loop: [prppt split]
  left := #xs - i; if-jump left, exit
  x := mem[xs + i]; mem[copy + i] := x
  x := call twice(x); s := s + x; i := i + 1; jump loop
split:
  jump loop
comb:
  s := s + s2; halt
)";

// Catches functions of C that are not found or get other values, runs of one function that share their heap, defaults that
// are lost, and errors that end the process of the caller.
TEST(NativeObject, IsAFunctionOfCpp) {
  const folder here;
  build_function(assemble(sum_of_calls, "sum.tpal"), "sum_of_calls", here.file("sum.o"), tools_here);
  build_function(assemble_file(TPAL_PROGRAMS "/fib.tpal"), "fib", here.file("fib.o"), tools_here);
  const std::string caller = here.write("caller.cpp", R"(#include "fib.hpp"
#include "sum.hpp"
#include <sennit/beats.hpp>
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>
std::atomic<int> times{0};
extern "C" std::int64_t twice(std::int64_t n) { return 2 * n; }
extern "C" void seen() { ++times; }
int main() {
  const tpal::sum_of_calls_outputs own = tpal::sum_of_calls({.scale = 10});
  std::printf("%lld %zu %lld\n", static_cast<long long>(own.s), own.copy.size(), static_cast<long long>(own.copy[4]));
  const auto many = [](std::int64_t first) {
    const std::vector<std::int64_t> cells(10000, first);
    for (int i = 0; i < 20; ++i) {
      const auto out = tpal::sum_of_calls({.xs = cells});
      if (out.s != 20000 * first || out.copy != cells) std::printf("wrong: %lld\n", static_cast<long long>(out.s));
    }
  };
  std::thread other(many, 3);
  many(4);
  other.join();
  try {
    tpal::sum_of_calls({.scale = 0});
  } catch (const std::runtime_error& error) {
    std::printf("%s\n", error.what());
  }
  const sennit::beats beating({.period = std::chrono::microseconds(100)});
  std::printf("%lld %d\n", static_cast<long long>(tpal::fib({.n = 27}).f), times.load());
}
)");
  const outcome compiled = shell(fmt::format("{} -std=c++20 -Wall -Wextra -Werror {} {} {} {} -o {} {}",
                                             TPAL_COMPILER, TPAL_CFLAGS, caller, here.file("sum.o"),
                                             here.file("fib.o"), here.file("caller"), TPAL_LIBS));
  ASSERT_EQ(compiled.status, 0) << compiled.output;
  EXPECT_EQ(shell(here.file("caller")).output, "300 5 5\nsum.tpal:12: division by zero\n196418 42\n");
}

// Catches a page that shows another version of the command. (tests/docs compiles programs that need the library alone.)
TEST(NativeObject, IsAsTheGuideShows) {
  const folder here;
  const std::string page = contents(TPAL_GUIDE);
  const auto block_after = [&page](const std::string& before, const std::string& fence) {
    const std::size_t begin = page.find(fence, page.find(before)) + fence.size();
    return page.substr(begin, page.find("```", begin) - begin);
  };
  build_function(assemble(block_after("The file `count.tpal` has", "```\n"), "count.tpal"), "count",
                 here.file("count.o"), tools_here);
  const std::string caller = here.write("caller.cpp", block_after("The file `count.tpal` has", "```c++\n"));
  const outcome compiled =
      shell(fmt::format("{} -std=c++20 -Wall -Wextra -Werror {} {} {} -o {} {}", TPAL_COMPILER, TPAL_CFLAGS,
                        caller, here.file("count.o"), here.file("caller"), TPAL_LIBS));
  ASSERT_EQ(compiled.status, 0) << compiled.output;
  EXPECT_EQ(shell(here.file("caller")).output, "2\n");
}

// Catches a run that goes on, or ends the caller's process, when a task fails or halts while others are at work.
TEST(NativeObject, EndsWithAllItsTasks) {
  const folder here;
  const char* const program = R"(.input what
.output a
main:
  a := 1; j := jralloc done; fork j, child
  t := what = 0; if-jump t, stop
  join j
stop:
  halt
child:
  t := what = 1; if-jump t, bad
  t := what = 2; if-jump t, last
  join j
bad:
  a := a / 0; join j
last:
  a := 2; halt
add:
  a := a + a2; join j
done: [jtppt assoc; {a -> a2}; add]
  halt
)";
  build_function(assemble(program, "ends.tpal"), "ends", here.file("ends.o"), tools_here);
  const std::string caller = here.write("caller.cpp", R"(#include "ends.hpp"
#include <cstdio>
#include <stdexcept>
int main() {
  for (int what = 0; what < 4; ++what) {
    try {
      std::printf("%lld ", static_cast<long long>(tpal::ends({.what = what}).a));
    } catch (const std::runtime_error& error) {
      std::printf("%s ", error.what());
    }
  }
}
)");
  const outcome compiled = shell(fmt::format("{} -std=c++20 {} {} {} -o {} {}", TPAL_COMPILER, TPAL_CFLAGS,
                                             caller, here.file("ends.o"), here.file("caller"), TPAL_LIBS));
  ASSERT_EQ(compiled.status, 0) << compiled.output;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(shell(here.file("caller")).output, "1 ends.tpal:14: division by zero 2 2 ");
  }
}

// Catches an executable that is linked without what it calls.
TEST(NativeBuild, LinksWithCFunctions) {
  const folder here;
  const std::string c = here.write(
      "twice.cpp", "extern \"C\" long twice(long n) { return 2 * n; }\nextern \"C\" void seen() {}\n");
  ASSERT_EQ(shell(fmt::format("{} -c {} -o {}", TPAL_COMPILER, c, here.file("twice.o"))).status, 0);
  toolchain with = tools_here;
  with.files = {here.file("twice.o")};
  build(assemble(sum_of_calls, "sum.tpal"), here.file("sum"), with);
  EXPECT_THAT(shell(here.file("sum") + " scale=-1").output, StartsWith("s = -30\ncopy = 1, 2, 3, 4, 5\n"));
}

// Catches debuggers that show the C++ in between, or the wrong line, and registers that they cannot show.
TEST(NativeLines, AreTheProgramsInADebugger) {
  if (std::string(TPAL_GDB).empty()) GTEST_SKIP() << "gdb is not installed";
  const outcome o = shell(fmt::format(
      "{} -nx -batch -ex 'set debuginfod enabled off' -ex 'break prod.tpal:11' -ex run -ex 'ignore 1 4' "
      "-ex continue -ex 'print r_b' -ex 'print r_a' -ex 'info source' --args "
      "{}/prod a=30 b=7 --heart 0 --workers 1",
      TPAL_GDB, TPAL_NATIVE));
  EXPECT_THAT(o.output, HasSubstr("prod.tpal:11"));
  EXPECT_THAT(o.output, HasSubstr("$1 = 7\n"));
  EXPECT_THAT(o.output, HasSubstr("$2 = 25\n"));
  EXPECT_THAT(o.output, HasSubstr("Located in " TPAL_PROGRAMS "/prod.tpal"));
}

// Catches lines of the second copy, where a thread is after a beat, that are of no file or of another one.
TEST(NativeLines, AreInBothCopies) {
  const outcome o = shell("readelf --debug-dump=decodedline " TPAL_NATIVE "/prod");
  std::map<std::string, int> places;  // addresses of each line
  std::istringstream lines(o.output);
  for (std::string name, number; lines >> name;) {
    if (name == "prod.tpal" && lines >> number) ++places[number];
  }
  for (const char* line : {"11", "14", "21", "28", "33"}) EXPECT_GE(places[line], 1) << line;
  EXPECT_GE(places["11"], 2);
}

TEST(NativeBuild, SaysWhatFailed) {
  const program p = assemble(".output a\nx: a := 1; halt", "test.tpal");
  EXPECT_THROW(build(p, "/nowhere/x", {"false", "true", "", ""}), std::runtime_error);
  EXPECT_THROW(emit(assemble("x: halt", "test.tpal")), std::invalid_argument);
}

}  // namespace
}  // namespace tpal

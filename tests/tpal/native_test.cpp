// Programs compiled by `tpal build`, with real beats: they answer as the machine does.
#include "tests/tpal/loop_nest.hpp"
#include "tests/tpal/support.hpp"
#include "tools/tpal/build.hpp"
#include "tools/tpal/emit.hpp"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace tpal {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct outcome {
  int status;
  std::string output;
};

outcome shell(const std::string& command) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "cannot start a shell"};
  std::string output;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  return {WEXITSTATUS(pclose(pipe)), output};
}

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
    build(p, file, {TPAL_COMPILER, TPAL_ROLLFORWARD, TPAL_CFLAGS, TPAL_LIBS});
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
  build(assemble(nest.source(), "nest"), file, {TPAL_COMPILER, TPAL_ROLLFORWARD, TPAL_CFLAGS, TPAL_LIBS});
  for (const int heart : {0, 200, 30}) {
    const outcome o = shell(fmt::format("{} --heart {} --workers 2", file, heart));
    EXPECT_THAT(o.output, StartsWith(expected)) << heart;
  }
  std::filesystem::remove(file);
}

TEST(NativeBuild, SaysWhatFailed) {
  const program p = assemble(".output a\nx: a := 1; halt", "test.tpal");
  EXPECT_THROW(build(p, "/nowhere/x", {"false", "true", "", ""}), std::runtime_error);
  EXPECT_THROW(emit(assemble("x: halt", "test.tpal")), std::invalid_argument);
}

}  // namespace
}  // namespace tpal

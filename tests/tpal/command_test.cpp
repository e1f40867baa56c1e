// SPDX-License-Identifier: Apache-2.0
// The tpal command, from its words to its output and exit code.
#include "tests/tpal/support.hpp"
#include "tools/tpal/command_line.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tpal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct outcome {
  int code;
  std::string out;
  std::string err;
};

outcome tpal(std::vector<std::string> words) {
  std::vector<const char*> argv{"tpal"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = command_line(static_cast<int>(argv.size()), argv.data());
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

const std::string prod = TPAL_PROGRAMS "/prod.tpal";

class folder {
 public:
  folder()
      : path_(testing::TempDir() + "tpal_" + testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(path_);
  }
  ~folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

TEST(Command, RunsAProgram) {
  const outcome o = tpal({"run", prod, "a=60", "b=7", "--heart", "20", "--seed", "3"});
  EXPECT_EQ(o.code, success) << o.err;
  EXPECT_THAT(o.out,
              AllOf(StartsWith("c = 420\nwork "), HasSubstr("promotions "), HasSubstr("parallelism ")));
  EXPECT_EQ(tpal({"run", prod, "a=60", "b=7", "--workers", "2", "--quiet"}).out, "c = 420\n");
  EXPECT_THAT(tpal({"run", prod, "a=60", "b=7", "--serial"}).out,
              HasSubstr("tasks 1, promotions 0, beats 0"));
}

// Catches an input that starts with a minus and is taken for an option.
TEST(Command, TakesNegativeInputs) {
  EXPECT_EQ(tpal({"run", prod, "b=-7", "a=6", "--quiet"}).out, "c = -42\n");
}

TEST(Command, TellsWhoIsToBlame) {
  EXPECT_EQ(tpal({}).code, bad_usage);
  EXPECT_EQ(tpal({"walk"}).code, bad_usage);
  EXPECT_THAT(tpal({"run"}).err, HasSubstr("see 'tpal run --help'"));
  EXPECT_THAT(tpal({"run", "/nowhere.tpal"}).err, HasSubstr("cannot read /nowhere.tpal: No such file"));
  EXPECT_THAT(tpal({"run", "/tmp"}).err, HasSubstr("cannot read /tmp: Is a directory"));
  EXPECT_THAT(tpal({"run", TPAL_PROGRAMS "/plus-reduce.tpal", "xs=@/tmp"}).err,
              HasSubstr("cannot read /tmp: Is a directory"));
  EXPECT_THAT(tpal({"run", prod, "a=6"}).err, HasSubstr("input 'b' has no value"));
  EXPECT_EQ(tpal({"run", prod, "a=6"}).code, bad_usage);
  EXPECT_EQ(tpal({"run", prod, "a=6", "b=7", "--workers", "0"}).code, bad_usage);
  const outcome o = tpal({"run", prod, "a=-1", "b=7", "--fuel", "100"});
  EXPECT_EQ(o.code, failed_run);
  EXPECT_THAT(o.err, HasSubstr("no halt after 100 instructions"));
  EXPECT_THAT(o.err, HasSubstr("prod.tpal:"));
}

// Catches a number that wraps around, or is cut to what fits, and is a setting nobody asked for.
TEST(Command, TakesNoNumberForAnother) {
  for (const std::string option : {"--heart", "--fuel", "--seed"}) {
    for (const std::string value : {"-1", "99999999999999999999", "1.5"}) {
      const outcome o = tpal({"run", prod, "a=6", "b=7", option, value});
      EXPECT_EQ(o.code, bad_usage) << option << ' ' << value;
      EXPECT_THAT(o.err, HasSubstr(option));
    }
  }
}

TEST(Command, Helps) {
  for (const std::string word : {"run", "check", "trace", "explore", "build"}) {
    const outcome o = tpal({word, "--help"});
    EXPECT_EQ(o.code, success);
    EXPECT_THAT(o.out, HasSubstr("PROGRAM"));
  }
}

TEST(Command, ChecksAProgram) {
  const folder here;
  EXPECT_THAT(tpal({"check", prod}).out, HasSubstr("9 blocks, 31 instructions, 10 registers; no errors"));
  std::ofstream(here.file("bad.tpal")) << "x: jump y\n";
  const outcome o = tpal({"check", here.file("bad.tpal")});
  EXPECT_EQ(o.code, bad_usage);
  EXPECT_THAT(o.err, HasSubstr("bad.tpal:1:9: error: there is no label 'y'"));
  std::ofstream(here.file("idle.tpal")) << "x: halt\ny: halt\n";
  EXPECT_THAT(tpal({"check", here.file("idle.tpal")}).out,
              HasSubstr("idle.tpal:2:1: nothing leads to block 'y'"));
}

TEST(Command, SaysWhatAnObjectNeeds) {
  const folder here;
  EXPECT_THAT(tpal({"build", prod, "--object"}).err,
              HasSubstr("--object needs a file for the object, -o FILE.o"));
  EXPECT_THAT(tpal({"build", prod, "--function", "f", "-o", here.file("f.o")}).err, HasSubstr("--object"));
  EXPECT_THAT(tpal({"build", prod, "--object", "--function", "while", "-o", here.file("f.o")}).err,
              HasSubstr("'while' cannot be a name in C++; say another one by --function"));
  EXPECT_THAT(tpal({"build", prod, "--object", "-o", here.file("f.o"), "--link", "g.o"}).err,
              HasSubstr("--link"));
  EXPECT_THAT(tpal({"run", prod, "a=6", "b=7", "--load", here.file("none.so")}).err,
              HasSubstr("cannot load " + here.file("none.so")));
}

TEST(Command, ExploresAProgram) {
  const outcome all = tpal({"explore", prod, "a=4", "b=7"});
  EXPECT_EQ(all.code, success) << all.err;
  EXPECT_THAT(all.out, AllOf(StartsWith("c = 28\nall that the program can do: "),
                             HasSubstr("no race, and one answer\n")));
  EXPECT_EQ(tpal({"explore", prod, "a=6", "b=7", "--runs", "5"}).code, unfinished);
  const folder here;
  std::ofstream(here.file("early.tpal")) << "main: j := jralloc exit; fork j, child; halt\nchild: join "
                                            "j\ncomb: join j\nexit: [jtppt assoc; {}; comb] halt\n";
  EXPECT_EQ(tpal({"explore", here.file("early.tpal")}).code, failed_run);
  EXPECT_EQ(tpal({"explore", prod, "a=4"}).code, bad_usage);
  EXPECT_EQ(tpal({"explore", prod, "a=4", "b=7", "--runs", "0"}).code, bad_usage);
}

// Catches a picture that leaves tasks or joins out.
TEST(Command, DrawsARun) {
  const folder here;
  const std::string svg = here.file("t.svg");
  const outcome o = tpal({"trace", prod, "a=100", "b=7", "--heart", "20", "-o", svg});
  EXPECT_EQ(o.code, success) << o.err;
  EXPECT_THAT(o.out, StartsWith("c = 700\n"));
  std::ifstream file(svg);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const result r = run(loaded_file("prod", {"a=100", "b=7"}), beating(20));
  const auto count = [&text](const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(count(" forks task "), r.done.forks);
  EXPECT_EQ(count(" combines with task "), r.done.forks);
  EXPECT_EQ(count(": a beat at "), r.done.beats);
  EXPECT_THAT(text, AllOf(StartsWith("<svg "), HasSubstr("prefers-color-scheme: dark"), HasSubstr("</svg>")));
  EXPECT_THAT(tpal({"trace", prod, "a=100000", "b=7", "--heart", "0", "-o", svg}).err,
              HasSubstr("choose a larger --heart"));
  EXPECT_THAT(tpal({"trace", prod, "a=1", "b=7", "-o", "/nowhere/t.svg"}).err,
              HasSubstr("cannot write '/nowhere/t.svg': there is no directory '/nowhere'"));
}

}  // namespace
}  // namespace tpal

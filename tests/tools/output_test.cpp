// SPDX-License-Identifier: Apache-2.0
// What the commands write, as processes: never over an input, whole or not at all, and where they were told to.
#include "tools/output.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct outcome {
  int status;
  std::string out;
  std::string err;
};

std::string content(const fs::path& file) {
  std::ifstream from(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(from), {}};
}

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::string all_from(int pipe) {
  std::string all;
  char block[1 << 12];
  for (ssize_t count = 0; (count = read(pipe, block, sizeof block)) != 0;) {
    if (count > 0) all.append(block, static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) break;
  }
  close(pipe);
  return all;
}

// A folder of its own, in which commands run.
class Outputs : public testing::Test {
 protected:
  Outputs() {
    std::string name = (fs::temp_directory_path() / "sennit-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    folder_ = name;
  }
  ~Outputs() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(folder_, ignored);
  }

  fs::path operator/(const std::string& name) const { return folder_ / name; }

  // `before` is called in the process before it becomes the command.
  outcome shell(const std::string& words, const std::function<void()>& before = {}) const {
    int out[2];
    int err[2];
    if (pipe(out) != 0 || pipe(err) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(folder_.c_str()) != 0) _exit(126);
      dup2(out[1], STDOUT_FILENO);
      dup2(err[1], STDERR_FILENO);
      for (const int end : {out[0], out[1], err[0], err[1]}) close(end);
      if (before) before();
      execl("/bin/sh", "sh", "-c", words.c_str(), nullptr);
      _exit(127);
    }
    close(out[1]);
    close(err[1]);
    outcome o;
    std::thread other([&] { o.err = all_from(err[0]); });
    o.out = all_from(out[0]);
    other.join();
    int status = -1;
    waitpid(child, &status, 0);
    o.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return o;
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
    return names;
  }

  fs::path folder_;
};

// As on a disk that has no room for more than that.
void limit_files() {
  const rlimit few{2, 2};
  if (setrlimit(RLIMIT_FSIZE, &few) != 0) _exit(126);
}

// As a user whom permissions bind.
void be_bound() {
  if (geteuid() == 0 && prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) != 0) _exit(126);
}

// A command that makes `in`, if it takes one, and one that writes OUT.
struct writer {
  const char* name;
  std::string prepare;
  std::string words;
  const char* begins = "";    // what it writes
  bool only_refuses = false;  // to let it write would take too long
  int also = 0;               // its other status after it has written

  bool reads() const { return words.find(" in") != std::string::npos; }
  std::string to(const std::string& output) const {
    std::string all = words;
    return all.replace(all.find("OUT"), 3, output);
  }
  friend std::ostream& operator<<(std::ostream& out, const writer& w) { return out << w.words; }
};

class Writer : public Outputs, public testing::WithParamInterface<writer> {
 protected:
  void SetUp() override {
    const outcome o = shell(GetParam().prepare);
    ASSERT_EQ(o.status, 0) << o.err;
  }
};

// Would catch: a command that compares names, or looks once the file is gone.
TEST_P(Writer, RefusesItsInput) {
  const writer& w = GetParam();
  if (!w.reads()) return;
  fs::create_symlink("in", *this / "link");
  fs::create_symlink(folder_ / "link", *this / "second");
  fs::create_hard_link(*this / "in", *this / "hard");
  const std::string before = content(*this / "in");
  for (const std::string name : {"in", "./in", "link", "second", "hard"}) {
    const outcome o = shell(w.to(name));
    EXPECT_THAT(o.status, testing::AnyOf(1, 2)) << name;
    EXPECT_EQ(o.out, "") << name;
    EXPECT_THAT(o.err,
                AllOf(HasSubstr("'" + name + "'"), HasSubstr("input"), HasSubstr("choose another place")));
    EXPECT_EQ(content(*this / "in"), before) << name;
  }
}

// Would catch: a folder that nobody asked for, a message that does not say which one is missing, one that comes after the work.
TEST_P(Writer, MakesNoDirectory) {
  const outcome o = shell(GetParam().to("no/such/out"));
  EXPECT_THAT(o.status, testing::AnyOf(1, 2));
  EXPECT_EQ(o.out, "");
  EXPECT_THAT(o.err,
              AllOf(HasSubstr("'no/such/out'"), HasSubstr("no directory 'no/such'"), HasSubstr("make it")));
  EXPECT_FALSE(fs::exists(*this / "no"));
}

// Would catch: a command that works for an hour and then has no place for the result.
TEST_P(Writer, LooksAtTheDirectoryFirst) {
  fs::create_directory(*this / "kept");
  fs::permissions(*this / "kept", fs::perms::owner_read | fs::perms::owner_exec);
  const outcome o = shell(GetParam().to("kept/out"), be_bound);
  EXPECT_THAT(o.status, testing::AnyOf(1, 2));
  EXPECT_EQ(o.out, "");
  EXPECT_THAT(o.err,
              AllOf(HasSubstr("'kept/out'"), HasSubstr("directory 'kept'"), HasSubstr("Permission denied")));
}

// Would catch: half a file where the old one was, nothing where the old one was, or something beside it.
TEST_P(Writer, LeavesTheOldFileIfTheDiskIsFull) {
  if (GetParam().only_refuses) return;
  write(*this / "out", "old");
  const std::vector<std::string> before = files();
  const outcome o = shell(GetParam().to("out"), limit_files);
  EXPECT_THAT(o.status, testing::AnyOf(1, 2));
  EXPECT_THAT(o.err,
              AllOf(HasSubstr("'out'"), HasSubstr("File too large"), HasSubstr("choose another place")));
  EXPECT_EQ(content(*this / "out"), "old");
  EXPECT_THAT(files(), testing::UnorderedElementsAreArray(before));
}

// Would catch: others who can read what was private, and a link that is a file now.
TEST_P(Writer, ReplacesAFileAndKeepsItsPermissions) {
  if (GetParam().only_refuses) return;
  write(*this / "out", "old");
  chmod((*this / "out").c_str(), 0640);
  fs::create_symlink("out", *this / "link");
  const outcome o = shell(GetParam().to("link"));
  EXPECT_THAT(o.status, testing::AnyOf(0, GetParam().also)) << o.err;
  EXPECT_TRUE(fs::is_symlink(*this / "link"));
  EXPECT_THAT(content(*this / "out"), StartsWith(GetParam().begins));
  EXPECT_EQ(static_cast<unsigned>(fs::status(*this / "out").permissions()), 0640U);
}

// Would catch: a file of that name, and other words in what another program is to read.
TEST_P(Writer, TakesStandardOutput) {
  if (GetParam().only_refuses) return;
  const outcome o = shell(GetParam().to("-"));
  EXPECT_THAT(o.status, testing::AnyOf(0, GetParam().also)) << o.err;
  EXPECT_THAT(o.out, StartsWith(GetParam().begins));
  EXPECT_FALSE(fs::exists(*this / "-"));
  EXPECT_FALSE(o.out.empty());
}

const std::string sennit = SENNIT_COMMAND;
const std::string short_run = " --workers 2 --repeat 1 --no-forks ";
const std::string a_text = "printf 'b\\na\\n' >in";
const std::string a_picture = "cp '" SENNIT_PICTURE "' in";
const std::string a_program = "cp '" SENNIT_TPAL_PROGRAM "' in";
const std::string sorts = sennit + " run mergesort --copies 1 --input in" + short_run;
const std::string heats = sennit + " run heat --steps 2 --input in" + short_run;
const std::string spliced = heats + "--variant spliced --block 16 ";

INSTANTIATE_TEST_SUITE_P(
    Commands, Writer,
    testing::Values(
        writer{"view", sennit + " run fib --n 18 --record in" + short_run, sennit + " view in --output OUT",
               "<!doctype"},
        writer{"view_trace", sennit + " run fib --n 18 --record in" + short_run,
               sennit + " view in --trace-events OUT", "{"},
        writer{"view_against", "cd . && " + sennit + " run fib --n 18 --record a" + short_run + "&& cp a in",
               sennit + " view a --against in --output OUT", "<!doctype"},
        writer{"view_dot", a_picture + " && " + heats + " --variant graph --trace-graph a && mv a in",
               sennit + " view in --dot OUT --key '(1,'", "digraph"},
        writer{"view_splice", a_picture + " && " + spliced + "--splice a && mv a in",
               sennit + " view splice in --output OUT", "<!doctype"},
        writer{"run_json", a_text, sorts + "--json OUT", "{"},
        writer{"run_output", a_text, sorts + "--output OUT", "a\nb\n"},
        writer{"run_record", a_text, sorts + "--record OUT", "sennit"},
        writer{"run_trace", a_text, sorts + "--trace-events OUT", "{"},
        writer{"run_picture", a_picture, heats + "--output OUT", "\x89PNG"},
        writer{"run_trace_graph", a_picture, heats + "--variant graph --trace-graph OUT", "sennit"},
        writer{"run_splice", a_picture, spliced + "--splice OUT", "sennit"},
        // On a busy machine it writes what it has measured, and proposes nothing.
        writer{"tune", ":", sennit + " tune --workers 1 --seconds 0.1 --json OUT", "{", false, 3},
        writer{"tpal_trace", a_program, SENNIT_TPAL " trace in a=9 b=7 --output OUT", "<svg"},
        writer{"tpal_trace_data", "printf '1 2 3' >in",
               SENNIT_TPAL " trace '" SENNIT_TPAL_ARRAYS "' xs=@in -o OUT", "<svg"},
        writer{"tpal_build", a_program, SENNIT_TPAL " build in --output OUT", "", true},
        writer{"rollforward", "echo .text >in", SENNIT_ROLLFORWARD " in --output OUT", ".text"},
        writer{"rollforward_list", "echo .text >in", SENNIT_ROLLFORWARD " in --list --output OUT", ".text"},
        writer{"rollforward_without", "echo .text >in; cp in a",
               SENNIT_ROLLFORWARD " a --list --without in -o OUT", ".text"},
        writer{"rollforward_compile", "echo 'int x;' >in",
               SENNIT_ROLLFORWARD " --compile c++ -x c++ -c in -o OUT", "", true}
#ifdef SENNIT_SPLICEC
        ,
        writer{"splicec", "echo 'int x;' >in", SENNIT_SPLICEC " in -o OUT -- -x c++", "// Made by"},
        writer{"splicec_depfile", "echo 'int x;' >in",
               SENNIT_SPLICEC " in -o /dev/null --depfile OUT -- -x c++", "/dev/null:"}
#endif
        ),
    [](const auto& tested) { return std::string(tested.param.name); });

// Would catch: the second that takes the place of the first.
TEST_F(Outputs, AreNotTwiceTheSame) {
  fs::create_symlink("a", *this / "link");
  for (const auto& [first, second] :
       {std::pair{"a", "a"}, {"a", "./a"}, {"link", "a"}, {"-", "-"}, {"-", "/dev/stdout"}}) {
    const outcome o = shell(fmt::format("{} run fib --n 9 --json {} --record {}", sennit, first, second));
    EXPECT_EQ(o.status, 2) << first << ' ' << second;
    EXPECT_EQ(o.out, "");
    EXPECT_THAT(o.err, HasSubstr("of its own"));
    EXPECT_THAT(files(), testing::ElementsAre("link"));
  }
  const outcome devices = shell(sennit + " run fib --n 9 --json /dev/null --record /dev/null" + short_run);
  EXPECT_EQ(devices.status, 0) << devices.err;
  EXPECT_THAT(devices.out, HasSubstr("fib(9) = 34"));
}

// Would catch: a page without a name of its own that is a link to the schedule, and text with the page in it.
TEST_F(Outputs, OfViewMayBeUnnamed) {
  ASSERT_EQ(shell(sennit + " run fib --n 18 --record in" + short_run).status, 0);
  fs::create_symlink("in", *this / "in.html");
  const outcome o = shell(sennit + " view in");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, AllOf(HasSubstr("'in.html'"), HasSubstr("'in'")));
  EXPECT_THAT(shell(sennit + " view in --text --output -").err, HasSubstr("standard output"));
  EXPECT_THAT(shell(sennit + " view in --output - >>in").err, HasSubstr("standard output"));
  EXPECT_THAT(shell(sennit + " view no/such").err, HasSubstr("cannot load the schedule 'no/such'"));
}

// Would catch: a header of the program that is taken for its translation.
#ifdef SENNIT_SPLICEC
TEST_F(Outputs, OfSplicecAreNoHeaders) {
  write(*this / "a.h", "int x;\n");
  write(*this / "a.cpp", "#include \"a.h\"\n");
  for (const std::string options : {"-o a.h", "-o b.cpp --depfile a.h"}) {
    EXPECT_THAT(shell(SENNIT_SPLICEC " a.cpp " + options).err, HasSubstr("'a.h'"));
    EXPECT_EQ(content(*this / "a.h"), "int x;\n");
    EXPECT_FALSE(fs::exists(*this / "b.cpp"));
  }
}
#endif

// Would catch: results in a folder of the demonstration's own making, pictures over the pictures that are read.
TEST_F(Outputs, OfTheDemonstrationGoToAFolder) {
  EXPECT_THAT(shell(sennit + " demo --output none").err, HasSubstr("no directory 'none'"));
  fs::create_symlink(SENNIT_PICTURE, *this / "blur.png");
  EXPECT_THAT(shell(sennit + " demo --output .").err, HasSubstr("would be overwritten"));
  EXPECT_THAT(files(), testing::ElementsAre("blur.png"));
}

// Would catch: a device or a pipe with a file in its place; a file that another one has open by that name, cut off from it.
TEST_F(Outputs, MayBeWhatIsNoFile) {
  tools::write_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THAT([] { tools::write_file("/dev/full", "x"); },
              testing::ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("'/dev/full'"), HasSubstr("No space left"))));
  const std::string fifo = *this / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(shell(sennit + " run fib --n 9 --no-forks --json fifo >a & cat fifo").out.substr(0, 1), "{");
  EXPECT_TRUE(fs::is_fifo(fifo));
  ASSERT_EQ(shell("echo before >b; " SENNIT_ROLLFORWARD
                  " --version >>b; exec 3>>b; echo .text >in; " SENNIT_ROLLFORWARD
                  " in -o /dev/fd/3; echo after >&3")
                .status,
            0);
  EXPECT_THAT(content(*this / "b"), HasSubstr("after\n"));
  EXPECT_THAT(files(), Not(testing::Contains(HasSubstr("deleted"))));
}

// Would catch: a file that is protected and nevertheless replaced, and an executable that nobody can run.
TEST_F(Outputs, KeepWhatAFileIs) {
  write(*this / "out", "old");
  chmod((*this / "out").c_str(), 0444);
  write(*this / "in", ".text\n");
  EXPECT_THAT(shell(SENNIT_ROLLFORWARD " in -o out", be_bound).err,
              AllOf(HasSubstr("'out'"), HasSubstr("denied")));
  EXPECT_EQ(content(*this / "out"), "old");
  const mode_t before = umask(027);
  tools::write_file(*this / "run", "x", true);
  tools::write_file(*this / "in", "x", true);
  tools::write_file(*this / "new", "x");
  umask(before);
  EXPECT_EQ(static_cast<unsigned>(fs::status(*this / "run").permissions()), 0750U);
  EXPECT_EQ(static_cast<unsigned>(fs::status(*this / "in").permissions()) & 0111U, 0111U);
  EXPECT_EQ(static_cast<unsigned>(fs::status(*this / "new").permissions()), 0640U);
  // A name as long as names may be leaves no room for a longer one beside it.
  const std::string longest(255, 'x');
  tools::write_file(*this / longest, "y");
  EXPECT_EQ(content(*this / longest), "y");
}

}  // namespace

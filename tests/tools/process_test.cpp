// SPDX-License-Identifier: Apache-2.0
// The command as a process: its exit status, a full disk, and progress on a terminal and off it.
#include <gmock/gmock.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace command {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct outcome {
  int status;
  std::string output;
};

std::string read_all(int file) {
  std::string all;
  char block[4096];
  // At its end a terminal reports an error, a pipe nothing.
  for (ssize_t count = 0; (count = read(file, block, sizeof block)) > 0;) {
    all.append(block, static_cast<std::size_t>(count));
  }
  close(file);
  return all;
}

outcome shell(const std::string& arguments, const std::string& environment = "") {
  std::FILE* pipe = popen((environment + SENNIT_COMMAND " " + arguments).c_str(), "r");
  if (pipe == nullptr) return {-1, "cannot start a shell"};
  std::string output;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  return {WEXITSTATUS(pclose(pipe)), output};
}

outcome on_terminal(const char* kernel, const char* size) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    execl(SENNIT_COMMAND, "sennit", "run", kernel, "--size", size, nullptr);
    _exit(127);
  }
  const std::string output = read_all(terminal);
  int status = -1;
  waitpid(child, &status, 0);
  return {WEXITSTATUS(status), output};
}

TEST(Process, ExitStatusTellsSuccessFromMisuse) {
  EXPECT_EQ(shell("--version").status, 0);
  EXPECT_EQ(shell("run fib --n 10").status, 0);
  EXPECT_EQ(shell("run fib --n x 2>&1").status, 2);
  EXPECT_EQ(shell("run heat --input none.png 2>&1").status, 2);
}

TEST(Process, DoesNotTakeAFullDiskForSuccess) {
  const outcome o = shell("list 2>&1 >/dev/full");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.output, HasSubstr("No space left"));
}

TEST(Process, RewritesItsProgressLineOnATerminal) {
  const outcome o = on_terminal("fib", "12");
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.output, HasSubstr("\r\x1b[Kfib: run 1 of 3, serial"));
  EXPECT_THAT(o.output, HasSubstr("fib(12) = 144"));
}

TEST(Process, WritesNoControlCharactersElsewhere) {
  EXPECT_THAT(shell("run fib --n 12 2>&1").output, Not(HasSubstr("\x1b")));
}

TEST(Process, NamesABadEnvironmentVariable) {
  const outcome o = shell("run fib --n 12 2>&1", "SENNIT_WORKERS=many ");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.output, StartsWith("sennit: SENNIT_WORKERS"));
}

}  // namespace
}  // namespace command

// SPDX-License-Identifier: Apache-2.0
// The file of a trace: where it cannot be written, what a name may hold, which rows there are.
#include "trace_support.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace process {
namespace {

// Many lines.
void sections(int n, std::string_view name = "section") {
  for (int i = 0; i < n; ++i) sennit::named(name, [] {});
}

template <class Program>
ending tracing_to(const std::string& path, Program program) {
  return apart([&] {
    setenv("SENNIT_TRACE", path.c_str(), 1);
    setenv("SENNIT_WORKERS", "2", 1);
    program();
  });
}

TEST(TraceFile, RefusesAFileThatCannotBeWritten) {
  // Catches: a program that ends for want of a trace, or that has none without a word.
  const ending run = apart([] {
    setenv("SENNIT_TRACE", "/nowhere/at/all.trace", 1);
    EXPECT_EQ(fib(15), 610);
    EXPECT_EQ(fib(15), 610);
  });
  EXPECT_THAT(run, ExitedWith(0));
  EXPECT_THAT(run, AllOf(Printed("SENNIT_TRACE"), Printed("/nowhere/at/all.trace"), Printed("unset")));
}

TEST(TraceFile, RefusesWhatIsNoFile) {
  // Catches: a program that waits until somebody reads the pipe, or that opens a directory without a word.
  const auto program = [] { EXPECT_EQ(fib(15), 610); };
  EXPECT_THAT(tracing_to("/tmp", program), AllOf(ExitedWith(0), Printed("\"/tmp\"")));
  const trace_path pipe;
  ASSERT_EQ(mkfifo(pipe.text().c_str(), 0600), 0);
  EXPECT_THAT(tracing_to(pipe.text(), program), AllOf(ExitedWith(0), Printed("nobody reads it")));
  EXPECT_THAT(tracing_to(std::string(5000, 'x'), program), AllOf(ExitedWith(0), Printed("too long")));
}

TEST(TraceFile, IsNoneForAnEmptyName) {
  // Catches: an empty variable that is taken for a name, where other variables that are empty count as unset.
  const ending run = tracing_to("", [] { EXPECT_EQ(fib(15), 610); });
  EXPECT_THAT(run, ExitedWith(0));
  EXPECT_THAT(run, testing::Not(Printed("sennit")));
}

TEST(TraceFile, EndsWhereTheDiskIsFull) {
  // Catches: a message for each line that is lost, a program that ends with the disk.
  const ending run = tracing_to("/dev/full", [] {
    sections(2000);
    EXPECT_EQ(fib(15), 610);
  });
  EXPECT_THAT(run, ExitedWith(0));
  EXPECT_THAT(run, AllOf(Printed("the trace ends here"), Printed("No space left")));
}

TEST(TraceFile, EndsWhereThePipeIsClosed) {
  // Catches: a program that a signal ends because nobody reads its trace any more.
  const trace_path pipe;
  ASSERT_EQ(mkfifo(pipe.text().c_str(), 0600), 0);
  const ending run = tracing_to(pipe.text(), [&] {
    const int reader = open(pipe.text().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    sections(1);
    close(reader);
    sections(2000);
    EXPECT_EQ(fib(15), 610);
  });
  EXPECT_THAT(run, Printed("Broken pipe"));
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(TraceFile, EndsWhereTheFileMayNotGrow) {
  // Catches: a program that SIGXFSZ ends, a signal that stays pending for the program's own handler.
  const trace_path file;
  const ending run = tracing_to(file.text(), [] {
    const rlimit most{.rlim_cur = 20'000, .rlim_max = 20'000};
    setrlimit(RLIMIT_FSIZE, &most);
    sections(2000);
    sigset_t pending;
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
  });
  EXPECT_THAT(run, ExitedWith(0));
  EXPECT_THAT(run, Printed("the trace ends here"));
}

TEST(TraceFile, HasTheNumberOfItsProcess) {
  // Catches: a second %p that stays as it is.
  const trace_path file;
  pid_t number = 0;
  EXPECT_THAT(tracing_to(file.text() + ".%p.%p", [] { sections(1); }), ExitedWith(0));
  for (const auto& e :
       std::filesystem::directory_iterator(std::filesystem::path(file.text()).parent_path())) {
    const std::string path = e.path().native();
    if (!path.starts_with(file.text() + ".")) continue;
    EXPECT_EQ(std::sscanf(path.c_str() + file.text().size(), ".%d", &number), 1);
    EXPECT_EQ(path, file.text() + "." + std::to_string(number) + "." + std::to_string(number));
    std::filesystem::remove(e.path());
  }
  EXPECT_NE(number, 0);
}

TEST(TraceFile, HasTheRankOfItsProcess) {
  // Catches: ranks that write one file; a rank that is put behind the name's last part, or in a folder's name; a rank where there
  // is no other one.
  const trace_path file;
  const std::filesystem::path folder(file.text() + ".d");
  std::filesystem::create_directory(folder);
  const auto written = [&](const std::string& name, const char* rank, const char* ranks) {
    const ending run = apart([&] {
      setenv("SENNIT_TRACE", (folder / name).c_str(), 1);
      setenv("OMPI_COMM_WORLD_RANK", rank, 1);
      setenv("OMPI_COMM_WORLD_SIZE", ranks, 1);
      sections(1);
    });
    EXPECT_THAT(run, ExitedWith(0));
    std::string found;
    for (const auto& e : std::filesystem::directory_iterator(folder)) {
      found += e.path().filename().native();
      const json first = json::parse(std::ifstream(e.path()))[0]["args"];
      EXPECT_EQ(first["rank"], std::atoi(rank));
      EXPECT_TRUE(first.contains("clock_ns"));
      std::filesystem::remove(e.path());
    }
    return found;
  };
  EXPECT_EQ(written("heat.trace", "3", "4"), "heat.3.trace");
  EXPECT_EQ(written("heat", "3", "4"), "heat.3");
  EXPECT_EQ(written(".heat", "3", "4"), ".heat.3");
  EXPECT_EQ(written("heat-%r.trace", "12", "16"), "heat-12.trace");
  EXPECT_EQ(written("heat.trace", "0", "1"), "heat.trace");
  std::filesystem::remove(folder);
}

TEST(TraceFile, KeepsNamesWhole) {
  // Catches: a character that is cut in the middle, bytes that are no UTF-8, a quotation mark that ends the text.
  const trace_path file;
  std::string many;
  for (int i = 0; i < 200; ++i) many += "\u20ac";
  EXPECT_THAT(traced(file, 1,
                     [&] {
                       for (int i = 0; i < 4; ++i)
                         sections(1, std::string(static_cast<std::size_t>(i), 'x') + many);
                       sections(1, "caf\xe9 \xed\xa0\x80 \xf0\x9f\x98");
                       sections(1, "\"\\\n\x01\u00fc");
                     }),
              ExitedWith(0));
  std::vector<std::string> names;
  for (const json& e : of_kind(parsed(file), "named")) names.push_back(e["name"].get<std::string>());
  ASSERT_EQ(names.size(), 6U);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE((std::string(i, 'x') + many).starts_with(names[i])) << names[i];
  EXPECT_EQ(names[4], "caf\ufffd \ufffd\ufffd\ufffd \ufffd\ufffd\ufffd");
  EXPECT_EQ(names[5], "\"\\\n\x01\u00fc");
}

TEST(TraceFile, HasARowForEachWorkerOfEachRuntime) {
  // Catches: workers of two runtimes, or beyond the 128th of one, that share a row, so that bars lie on each other there.
  const trace_path file;
  EXPECT_THAT(traced(file, 2,
                     [] {
                       sennit::runtime::default_runtime().run([] { busy_for(1ms); });
                       std::vector<std::thread> threads;
                       std::atomic<int> inside{0};
                       sennit::runtime wide({.workers = 2});
                       for (int i = 0; i < 140; ++i) {
                         threads.emplace_back([&] {
                           wide.run([&] {
                             for (++inside; inside < 140;) std::this_thread::yield();
                           });
                         });
                       }
                       for (std::thread& t : threads) t.join();
                       for (int i = 0; i < 10; ++i)
                         sennit::runtime({.workers = 2}).run([] { busy_for(200us); });
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  std::map<int, std::string> names;
  for (const json& e : trace) {
    if (e["name"] != "thread_name") continue;
    EXPECT_TRUE(names.emplace(e["tid"].get<int>(), e["args"]["name"].get<std::string>()).second) << e;
  }
  std::set<int> rows;
  for (const json& e : of_kind(trace, "region")) EXPECT_TRUE(rows.insert(e["tid"].get<int>()).second) << e;
  EXPECT_EQ(rows.size(), 151U);
  EXPECT_EQ(names[0], "worker 0");
  for (const int row : rows) EXPECT_TRUE(names.contains(row)) << row;
}

}  // namespace
}  // namespace process

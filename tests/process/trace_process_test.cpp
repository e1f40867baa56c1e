// SPDX-License-Identifier: Apache-2.0
// SENNIT_TRACE and processes: messages between them, children of fork(2), threads that are cancelled, a process that is killed.
#include "trace_support.hpp"

#include <sennit/sennit.hpp>

#include <pthread.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace process {
namespace {

TEST(Trace, TellsMessagesBetweenProcesses) {
  // Catches: messages with the other's rank, tag or size; waits of another length; a clock that is ahead in the wrong direction.
  const trace_path file;
  EXPECT_THAT(traced(file, 1,
                     [] {
                       using namespace sennit::detail;
                       trace_rank(2, 4, -1'000'000);
                       sennit::runtime(2U).run([] {
                         const std::uint64_t since = time_in_trace();
                         busy_for(std::chrono::milliseconds(2));
                         trace_outside_wait("recv from rank 3", since);
                         trace_message({.sent = false, .peer = 3, .tag = 5, .bytes = 800});
                         trace_message({.sent = true, .peer = 1, .tag = 7, .bytes = std::uint64_t{1} << 40});
                       });
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  const auto rank = std::ranges::find(trace, "rank", [](const json& e) { return e["name"]; });
  ASSERT_NE(rank, trace.end());
  EXPECT_EQ((*rank)["args"]["rank"], 2);
  EXPECT_EQ((*rank)["args"]["ranks"], 4);
  EXPECT_EQ((*rank)["args"]["clock_ns"].get<std::int64_t>() + 1'000'000,
            trace[0]["args"]["clock_ns"].get<std::int64_t>());
  const std::vector<json> messages = of_kind(trace, "message");
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0]["args"], (json{{"from", 3}, {"tag", 5}, {"bytes", 800}}));
  EXPECT_EQ(messages[1]["args"], (json{{"to", 1}, {"tag", 7}, {"bytes", std::uint64_t{1} << 40}}));
  const std::vector<json> waits = of_kind(trace, "outside");
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0]["name"], "recv from rank 3");
  EXPECT_GE(waits[0]["dur"].get<double>(), 2000);
  EXPECT_LE(end_of(waits[0]), begin_of(messages[0]));
}

TEST(Trace, IsNoPointOfCancellation) {
  // Catches: a program that ends because a thread was to be cancelled as it wrote a line, where nothing may be thrown.
  const trace_path path;
  const ending run = traced(path, 2, [] {
    pthread_t thread{};
    const auto runs = [](void*) -> void* {
      pthread_cancel(pthread_self());
      sennit::runtime({.workers = 2}).run([] { EXPECT_EQ(tree(4), 16); });
      return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, nullptr, runs, nullptr), 0);
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
  });
  EXPECT_THAT(run, ExitedWith(0));
  expect_well_formed(parsed(path));
}

TEST(Trace, IsTheParentsAlone) {
  // Catches: a child of fork(2) that writes into the file, closes it, or writes what the parent's threads had kept.
  const trace_path file;
  EXPECT_THAT(traced(file, 2,
                     [] {
                       (void)tree(3);
                       const pid_t child = fork_again();
                       if (child == 0) {
                         (void)tree(3);
                         std::exit(0);
                       }
                       int status = -1;
                       waitpid(child, &status, 0);
                       EXPECT_EQ(status, 0);
                       (void)tree(3);
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  EXPECT_EQ(of_kind(trace, "region").size(), 2U);
}

TEST(Trace, IsTheParentsAloneInARegion) {
  // Catches: a child that was forked inside a region and tells its end, or writes what the parent had kept by then.
  if (with_tsan) GTEST_SKIP() << "the tool follows only the fiber that forked";
  const trace_path file;
  EXPECT_THAT(traced(file, 1,
                     [] {
                       pid_t child = -1;
                       sennit::region().run([&] {
                         busy_for(110ms);  // what is kept is written at the end of the region
                         (void)tree(3);
                         child = fork_again();
                         (void)tree(3);
                       });
                       if (child == 0) std::exit(0);
                       int status = -1;
                       waitpid(child, &status, 0);
                       EXPECT_EQ(status, 0);
                     }),
              ExitedWith(0));
  const json trace = parsed(file);
  expect_well_formed(trace);
  EXPECT_EQ(of_kind(trace, "region").size(), 1U);
}

TEST(Trace, IsUsefulAfterACrash) {
  // Catches: lines that are cut in the middle, a file that is empty until the program ends.
  const trace_path file;
  EXPECT_THAT(traced(file, 2,
                     [] {
                       for (int i = 0; i < 200; ++i) (void)tree(5);
                       raise(SIGKILL);
                     }),
              WasKilledBy(SIGKILL));
  std::ifstream in(file.text());
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const json trace = json::parse(text + "]");
  EXPECT_GT(of_kind(trace, "region").size(), 10U);
}

}  // namespace
}  // namespace process

// SPDX-License-Identifier: Apache-2.0
// The sennit command from its arguments to its output and exit code,
// with the gallery's kernels and with bad ones.
#include "machine/machine_file.hpp"
#include "tests/tools/support.hpp"
#include "tools/sennit/machine_load.hpp"

#include <sennit/schedule.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>

namespace command {
namespace {

using gallery::temporary_folder;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// What it says wrong about itself, so that each way to fail can be seen.
enum class lie { none, parallel_result, check, exception };

template <lie What>
struct liar {
  static constexpr gallery::description about{.name = "liar", .summary = "says what is not so"};

  std::int64_t n = 1;

  std::vector<gallery::parameter> parameters() { return {{"n", "the truth", &n, 0, 9}}; }
  void choose_demo() { n = 2; }
  void prepare() {}

  template <class P>
  std::int64_t run() const {
    if (What == lie::exception) throw std::runtime_error("the sack has a hole");
    return n + (What == lie::parallel_result && std::is_same_v<P, sennit::parallel> ? 1 : 0);
  }

  std::string complaint(std::int64_t) const { return What == lie::check ? "it is a lie" : ""; }
  std::string describe(std::int64_t result) const { return std::to_string(result); }
};

template <lie What>
std::vector<std::unique_ptr<gallery::kernel>> only_liar() {
  std::vector<std::unique_ptr<gallery::kernel>> kernels;
  kernels.push_back(std::make_unique<gallery::adapter<liar<What>>>());
  return kernels;
}

TEST(Command, TellsItsVersion) {
  const outcome o = sennit({"--version"});
  EXPECT_EQ(o.code, success);
  EXPECT_THAT(o.out, testing::MatchesRegex("sennit [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Command, ListsEveryKernel) {
  const outcome o = sennit({"list"});
  EXPECT_EQ(o.code, success);
  for (const auto& k : gallery::kernels())
    EXPECT_THAT(o.out, HasSubstr(fmt::format("\n{} ", k->about().name)));
}

// Catches: a variant that one has to read the source to find.
TEST(Command, ListsTheVariants) {
  const outcome list = sennit({"list"});
  const outcome help = sennit({"run", "mm", "--help"});
  for (const outcome& o : {list, help}) {
    EXPECT_EQ(o.code, success);
    EXPECT_THAT(o.out, HasSubstr("nested, row, tiled, morton, dac-loop, dac-loop-tiled, dac-full, best"));
  }
  EXPECT_THAT(list.out, HasSubstr("forks, loops, dac-loop"));
}

TEST(Command, ShowsWhatTheDoctorFinds) {
  const outcome o = sennit({"doctor"});
  EXPECT_EQ(o.code, success);
  EXPECT_THAT(o.out, AllOf(HasSubstr("topic"), HasSubstr("workers"), HasSubstr("missing")));
}

// Catches: a machine file that cannot be read again, lacks what was measured, or is not of this machine.
TEST(Doctor, WritesThisMachineForTheSimulator) {
  const temporary_folder folder;
  const std::string file = folder / "this.machine";
  const outcome o = sennit({"doctor", "--write-machine", file, "--seconds", "0.5", "--force"});
  EXPECT_EQ(o.code, success);
  EXPECT_THAT(o.out, HasSubstr("sennit sim --machine"));
  EXPECT_THAT(o.err, AllOf(HasSubstr("measuring forks"), HasSubstr("measuring memory")));
  const sennit::sim::machine m = sennit::sim::find_machine(file);
  EXPECT_GE(m.where.cores(), 1U);
  EXPECT_LE(m.where.cores(), std::thread::hardware_concurrency());
  EXPECT_GT(m.costs.fork, 0U);
  EXPECT_GT(m.costs.wake_call, 0U);
  EXPECT_GT(m.memory.local_latency, 0U);
  EXPECT_EQ(m.costs.transfer.same_cache == 0, m.where.cores() == 1);
}

// Catches: a measurement of seconds whose result has nowhere to go; options that do nothing.
TEST(Doctor, RefusesBeforeItMeasures) {
  const outcome nowhere = sennit({"doctor", "--write-machine", "/no/such/folder/this.machine"});
  EXPECT_NE(nowhere.code, success);
  EXPECT_THAT(nowhere.err, AllOf(HasSubstr("/no/such/folder"), Not(HasSubstr("measuring"))));
  EXPECT_NE(sennit({"doctor", "--seconds", "1"}).code, success);
  EXPECT_NE(sennit({"doctor", "--write-machine", "-", "--seconds", "0"}).code, success);
}

// Catches: a file of a machine on which others were at work; a refusal that does not say who, or how to insist.
TEST(Doctor, RefusesABusyMachine) {
  const std::string why =
      command::why_busy({2, 0.7, {{"cc1plus (process 17)", 0.6}, {"ld (process 18)", 0.1}}});
  EXPECT_THAT(why, AllOf(HasSubstr("0.70 of the 2 CPUs"), HasSubstr("cc1plus (process 17) takes 0.60"),
                         HasSubstr("ld (process 18)"), HasSubstr("--force")));
  EXPECT_EQ(command::why_busy({2, 0.09, {{"sh (process 1)", 0.09}}}), "");
  EXPECT_EQ(command::why_busy({64, 1.0, {{"sh (process 1)", 1.0}}}), "");
}

// Catches: a busy program that is not seen, or whose name is not.
TEST(Doctor, SeesWhoIsBusy) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    volatile bool on = true;
    while (on) {
    }
  }
  const command::machine_load load = command::measure_load(std::chrono::milliseconds(400));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_GT(load.others, 0);
  EXPECT_GE(load.cpus, 1U);
  // Of many busy programs only the busiest are named.
  if (std::ranges::any_of(load.programs, [&](const auto& p) {
        return p.name.find(std::to_string(child)) != std::string::npos;
      }))
    SUCCEED();
  else
    EXPECT_EQ(load.programs.size(), 3U);
}

TEST(Command, HelpsWithEachKernel) {
  for (const auto& k : gallery::kernels()) {
    const outcome o = sennit({"run", std::string(k->about().name), "--help"});
    EXPECT_EQ(o.code, success);
    for (const gallery::parameter& p : k->parameters())
      EXPECT_THAT(o.out, HasSubstr(fmt::format("--{}", p.name)));
  }
}

TEST(Run, PrintsWhatItMeasured) {
  const outcome o = sennit({"run", "fib", "--n", "15", "--workers", "2", "--repeat", "2"});
  EXPECT_EQ(o.code, success);
  EXPECT_THAT(o.err, IsEmpty());
  EXPECT_THAT(o.out, AllOf(HasSubstr("fib (n=15)"), HasSubstr("fib(15) = 610"), HasSubstr("serial elision"),
                           HasSubstr("sennit, 2 workers"), HasSubstr(" 986 "), HasSubstr("MiB"),
                           HasSubstr("2 interleaved")));
}

TEST(Run, CanDoWithoutCountingForks) {
  const outcome o = sennit({"run", "fib", "--size", "15", "--no-forks"});
  EXPECT_EQ(o.code, success);
  EXPECT_THAT(o.out, HasSubstr("not counted"));
}

TEST(Run, WritesThePicture) {
  const temporary_folder folder;
  const outcome o = sennit({"run", "heat", "--steps", "1", "--repeat", "1", "--output", folder / "heat.png"});
  EXPECT_EQ(o.code, success);
  EXPECT_THAT(o.out, HasSubstr((folder / "heat.png").string()));
  EXPECT_TRUE(std::filesystem::exists(folder / "heat.png"));
}

TEST(Run, ReadsTheInputItIsGiven) {
  const temporary_folder folder;
  const auto input = folder.with("text", "b\na\n");
  const outcome o =
      sennit({"run", "quicksort", "--copies", "1", "--input", input, "--output", folder / "sorted"});
  EXPECT_EQ(o.code, success);
  EXPECT_THAT(o.out, HasSubstr("2 lines"));
  const std::vector<char> sorted = gallery::read_file(folder / "sorted");
  EXPECT_EQ(std::string(sorted.begin(), sorted.end()), "a\nb\n");
}

// Catches: a recorded run that is not the kernel's, or whose result nobody looks at.
TEST(Run, WritesTheTraceAndTheScheduleOfARun) {
  const temporary_folder folder;
  const outcome o = sennit({"run", "fib", "--n", "22", "--workers", "2", "--repeat", "1", "--trace-events",
                            folder / "fib.json", "--record", folder / "fib.sched"});
  EXPECT_EQ(o.code, success);
  EXPECT_THAT(o.out,
              AllOf(HasSubstr((folder / "fib.json").string()), HasSubstr((folder / "fib.sched").string())));
  const sennit::schedule recorded = sennit::schedule::load((folder / "fib.sched").string());
  EXPECT_EQ(recorded.workers(), 2U);
  EXPECT_GT(recorded.length().count(), 0);
  std::ifstream file(folder / "fib.json");
  const nlohmann::json events = nlohmann::json::parse(file)["traceEvents"];
  const auto ran =
      std::count_if(events.begin(), events.end(), [](const nlohmann::json& e) { return e["ph"] == "X"; });
  EXPECT_GT(ran, static_cast<std::ptrdiff_t>(recorded.steals()));
}

// Catches: a schedule that is loaded and not followed, a fidelity that is taken for another, a result of a replay that
// nobody looks at.
TEST(Run, FollowsAScheduleAndSaysWhatMoved) {
  const temporary_folder folder;
  const auto file = folder / "fib.sched";
  ASSERT_EQ(sennit({"run", "fib", "--n", "22", "--workers", "2", "--repeat", "1", "--record", file}).code,
            success);
  const sennit::schedule recorded = sennit::schedule::load(file.string());
  for (const auto& [flag, said] :
       {std::pair{"--relaxed", "relaxed"}, std::pair{"--unordered", "strict and unordered"},
        std::pair{"--ordered", "strict and in order"}}) {
    const auto again = folder / "again.sched";
    const outcome o = sennit({"run", "fib", "--n", "22", "--workers", "2", "--repeat", "1", "--replay", file,
                              flag, "--record", again});
    EXPECT_EQ(o.code, success);
    EXPECT_THAT(o.out, AllOf(HasSubstr(fmt::format("By the schedule, {}: ", said)),
                             HasSubstr("times as long as without it"), HasSubstr("against fib.sched: ")));
    if (flag == std::string_view("--ordered")) {
      EXPECT_EQ(sennit::schedule::load(again.string()), recorded);
      EXPECT_THAT(o.out,
                  HasSubstr(fmt::format("against fib.sched: 0 of {} steals are others", recorded.steals())));
    }
  }
}

// Catches: a flag that says how to follow nothing, two that contradict each other, a schedule that is overwritten.
TEST(Run, RefusesToFollowNothing) {
  const temporary_folder folder;
  const auto file = folder / "fib.sched";
  const auto run_fib = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "fib", "--n", "12", "--repeat", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return sennit(words);
  };
  EXPECT_EQ(run_fib({"--ordered"}).code, bad_usage);
  const outcome missing = run_fib({"--replay", file.string()});
  EXPECT_NE(missing.code, success);
  EXPECT_THAT(missing.err, HasSubstr("fib.sched"));
  ASSERT_EQ(run_fib({"--record", file.string()}).code, success);
  EXPECT_EQ(run_fib({"--replay", file.string(), "--ordered", "--relaxed"}).code, bad_usage);
  EXPECT_NE(run_fib({"--replay", file.string(), "--record", file.string()}).code, success);
}

TEST(Run, WritesRecordsOfEachMetric) {
  const temporary_folder folder;
  ASSERT_EQ(
      sennit({"run", "fib", "--n", "12", "--workers", "2", "--repeat", "3", "--json", folder / "fib.json"})
          .code,
      success);
  std::ifstream file(folder / "fib.json");
  const nlohmann::json records = nlohmann::json::parse(file);
  EXPECT_EQ(records["suite"], "run");
  EXPECT_TRUE(records["machine"].contains("cpus"));
  std::vector<std::string> seen;
  for (const nlohmann::json& record : records["results"]) {
    EXPECT_EQ(record["kernel"], "fib");
    EXPECT_EQ(record["variant"], "default");
    EXPECT_EQ(record["params"]["n"], 12);
    EXPECT_EQ(record["ok"], true);
    EXPECT_GE(record["median"], record["min"]);
    seen.push_back(
        fmt::format("{} {}", record["system"].get<std::string>(), record["metric"].get<std::string>()));
    if (record["metric"] == "seconds") {
      EXPECT_EQ(record["samples"].size(), 3U);
    }
    if (record["metric"] == "forks") {
      EXPECT_EQ(record["median"], 232);
    }
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAre("serial seconds", "sennit seconds", "sennit over_serial",
                                                  "sennit forks", "sennit steals", "serial peak_mib",
                                                  "sennit peak_mib"));
}

// Catches: a record that says another variant than the one that ran, or the parameters of a matrix that was
// not read.
TEST(Run, RecordsItsVariantAndWhatItRead) {
  const temporary_folder folder;
  const outcome o =
      sennit({"run", "spmv", "--variant", "rows", "--input", gallery::data_file("laplacian.mtx"), "--repeat",
              "1", "--json", folder / "spmv.json"});
  EXPECT_EQ(o.code, success);
  EXPECT_THAT(o.out, AllOf(HasSubstr("400 x 400"), HasSubstr("matrix=laplacian.mtx")));
  std::ifstream file(folder / "spmv.json");
  const nlohmann::json records = nlohmann::json::parse(file);
  ASSERT_FALSE(records["results"].empty());
  for (const nlohmann::json& record : records["results"]) {
    EXPECT_EQ(record["variant"], "rows");
    EXPECT_EQ(record["params"]["matrix"], "laplacian.mtx");
    EXPECT_EQ(record["params"]["nonzeros"], 1920);
    EXPECT_FALSE(record["params"].contains("variant"));
  }
}

TEST(Run, OfAnHonestLiarSucceeds) {
  EXPECT_EQ(sennit({"run", "liar"}, only_liar<lie::none>()).code, success);
}

TEST(Run, WithAnotherResultThanTheElisionsFails) {
  const outcome o = sennit({"run", "liar"}, only_liar<lie::parallel_result>());
  EXPECT_EQ(o.code, wrong_result);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, AllOf(HasSubstr("liar (n=1) failed its check"), HasSubstr("not the serial elision's")));
}

TEST(Run, WithAResultThatFailsItsCheckFails) {
  for (const std::string forks : {"--no-forks", "--n=1"}) {
    const outcome o = sennit({"run", "liar", forks}, only_liar<lie::check>());
    EXPECT_EQ(o.code, wrong_result);
    EXPECT_THAT(o.err, HasSubstr("it is a lie"));
  }
}

TEST(Run, ThatFailsSaysSoInItsRecords) {
  const temporary_folder folder;
  EXPECT_EQ(sennit({"run", "liar", "--json", folder / "liar.json"}, only_liar<lie::check>()).code,
            wrong_result);
  std::ifstream file(folder / "liar.json");
  const nlohmann::json records = nlohmann::json::parse(file);
  ASSERT_FALSE(records["results"].empty());
  for (const nlohmann::json& record : records["results"]) EXPECT_EQ(record["ok"], false);
}

TEST(Run, ThatThrowsTellsWhat) {
  const outcome o = sennit({"run", "liar"}, only_liar<lie::exception>());
  EXPECT_EQ(o.code, bad_usage);
  EXPECT_THAT(o.err, HasSubstr("the sack has a hole"));
}

TEST(Demo, ShowsEveryKernelAndFailsIfOneDoes) {
  const outcome honest = sennit({"demo", "--repeat", "1"}, only_liar<lie::none>());
  EXPECT_EQ(honest.code, success);
  EXPECT_THAT(honest.err, HasSubstr("[1/1] liar"));
  EXPECT_THAT(honest.out, AllOf(HasSubstr("serial"), HasSubstr("\nliar "), Not(HasSubstr("WRONG"))));

  const outcome wrong = sennit({"demo", "--repeat", "1"}, only_liar<lie::parallel_result>());
  EXPECT_EQ(wrong.code, wrong_result);
  EXPECT_THAT(wrong.out, HasSubstr("WRONG"));
}

struct misuse {
  std::vector<std::string> words;
  std::string named;   // the input that the message names
  std::string remedy;  // and what it says to do

  friend std::ostream& operator<<(std::ostream& out, const misuse& m) {
    return out << fmt::format("sennit {}", fmt::join(m.words, " "));
  }
};

class Misuse : public testing::TestWithParam<misuse> {};

TEST_P(Misuse, IsNamedWithItsRemedy) {
  const outcome o = sennit(GetParam().words);
  EXPECT_EQ(o.code, bad_usage);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, AllOf(HasSubstr(GetParam().named), HasSubstr(GetParam().remedy)));
}

INSTANTIATE_TEST_SUITE_P(
    Command, Misuse,
    testing::Values(
        misuse{{}, "sennit", "Subcommands"}, misuse{{"jump"}, "'jump'", "sennit --help"},
        misuse{{"list", "all"}, "all", "sennit list --help"}, misuse{{"run"}, "kernel", "sennit list"},
        misuse{{"run", "jump"}, "'jump'", "sennit list"},
        misuse{{"run", "fib", "--n"}, "--n", "sennit run fib --help"},
        misuse{{"run", "fib", "--n", "many"}, "'many'", "0 to 50"},
        misuse{{"run", "fib", "--n", "51"}, "'51'", "0 to 50"},
        misuse{{"run", "fib", "--n", "-1"}, "'-1'", "0 to 50"},
        misuse{{"run", "fib", "--n", "2.5"}, "2.5", "sennit run fib"},
        misuse{{"run", "fib", "--n", "99999999999999999999"}, "99999999999999999999", "0 to 50"},
        misuse{{"run", "fib", "--n", ""}, "--n", "0 to 50"},
        misuse{{"run", "nqueens", "--variant", "jumps"}, "'jumps'", "forks, loops"},
        misuse{{"run", "spmv", "--matrix", "Random"}, "'Random'", "random, power-law, arrowhead"},
        misuse{{"run", "spmv", "--input", "no/such.mtx"}, "'no/such.mtx'", "give a file that exists"},
        misuse{{"run", "spmv", "--input", "/proc/self/status"},
               "'/proc/self/status', line 1",
               "convert the matrix"},
        misuse{{"run", "kmeans", "--objects", "5", "--clusters", "6"}, "6 clusters", "--clusters"},
        misuse{{"run", "kmeans", "--objects", "1000000", "--dimensions", "1000"},
               "1000000 objects",
               "--objects"},
        misuse{{"run", "blur", "--input", "no/such.png"}, "'no/such.png'", "give a file that exists"},
        misuse{{"run", "srad", "--rate", "2"}, "'2'", "0 to 1"},
        misuse{{"run", "fib", "--jump"}, "--jump", "sennit run fib --help"},
        misuse{{"run", "fib", "--input", "x"}, "--input", "sennit run fib --help"},
        misuse{{"run", "fib", "--workers", "0"}, "--workers", "1 to"},
        misuse{{"run", "fib", "--workers", "two"}, "'two'", "1 to"},
        misuse{{"run", "fib", "--repeat", "0"}, "--repeat", "1 to"},
        misuse{{"run", "mandelbrot", "--span", "nan"}, "'nan'", "to 8"},
        misuse{{"run", "mandelbrot", "--width", "65536", "--height", "65536"}, "65536 x 65536", "--width"},
        misuse{{"run", "heat", "--input", "no/such.png"}, "'no/such.png'", "give a file that exists"},
        misuse{{"run", "heat", "--input", "/proc/self/status"},
               "'/proc/self/status'",
               "convert the picture to PNG"},
        misuse{{"run", "mergesort", "--input", "/dev/null"}, "'/dev/null'", "give a file with content"},
        misuse{{"run", "mergesort", "--copies", "1000000"}, "1000000 copies", "ask for at most"}));

TEST(Misuse, OfAnOutputIsNamedWithItsRemedy) {
  for (const std::string option : {"--json", "--output"}) {
    const outcome o = sennit({"run", "mergesort", "--copies", "1", option, "/proc/no/such"});
    EXPECT_EQ(o.code, bad_usage);
    EXPECT_THAT(o.err, AllOf(HasSubstr("/proc/no/such"), HasSubstr("choose another place"))) << option;
  }
}

// Catches: a program on ranks that is looked for under any name; arguments of a kernel that are taken for those of ranks.
TEST(Ranks, NamesTheKernelsThatHaveThem) {
  const outcome o = sennit({"run", "fib", "--ranks", "--n", "5"});
  EXPECT_EQ(o.code, bad_usage);
  EXPECT_THAT(o.err,
              AllOf(HasSubstr("no program on ranks for 'fib'"), HasSubstr("cholesky"), HasSubstr("sw")));
  EXPECT_THAT(sennit({"run", "--ranks"}).err, testing::Not(HasSubstr("no program on ranks")));
  EXPECT_THAT(sennit({"run", "heat", "--help"}).out, HasSubstr("sennit run heat --ranks"));
  EXPECT_THAT(sennit({"run", "fib", "--help"}).out, testing::Not(HasSubstr("--ranks")));
}

}  // namespace
}  // namespace command

// SPDX-License-Identifier: Apache-2.0
// The environment is read at the first fork, and a bad value is an error that names it.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <stdexcept>

namespace process {
namespace {

std::string complaint_of_first_join() {
  try {
    sennit::join([] {}, [] {});
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "none";
}

struct bad {
  const char* name;
  const char* value;
};

void PrintTo(const bad& b, std::ostream* out) { *out << b.name << '=' << b.value; }

class BadSetting : public testing::TestWithParam<bad> {};

INSTANTIATE_TEST_SUITE_P(
    Environment, BadSetting,
    testing::Values(
        bad{"SENNIT_WORKERS", "0"}, bad{"SENNIT_WORKERS", "-1"}, bad{"SENNIT_WORKERS", "two"},
        bad{"SENNIT_WORKERS", "2 "}, bad{"SENNIT_WORKERS", "1e3"}, bad{"SENNIT_WORKERS", "1025"},
        bad{"SENNIT_WORKERS", "99999999999999999999"}, bad{"SENNIT_STACK", "0"}, bad{"SENNIT_STACK", "1K"},
        bad{"SENNIT_STACK", "8X"}, bad{"SENNIT_STACK", "M"}, bad{"SENNIT_STACK", "-8M"},
        bad{"SENNIT_STACK", "2000G"}, bad{"SENNIT_STACK", "18446744073709551615G"},
        bad{"SENNIT_BARRIER", "none"}, bad{"SENNIT_BARRIER", "Fence"}, bad{"SENNIT_PIN", "yes"},
        bad{"SENNIT_TOPOLOGY", "nonsense"}, bad{"SENNIT_CHECK", "yes"}, bad{"SENNIT_PROMOTION", "heartbeat"},
        bad{"SENNIT_PROMOTION", "heartbeat:"}, bad{"SENNIT_PROMOTION", "heartbeat:100"},
        bad{"SENNIT_PROMOTION", "heartbeat:us"}, bad{"SENNIT_PROMOTION", "heartbeat:-1us"},
        bad{"SENNIT_PROMOTION", "heartbeat:999ns"}, bad{"SENNIT_PROMOTION", "heartbeat:1001ms"},
        bad{"SENNIT_PROMOTION", "heartbeat:18446744073709551615ms"}, bad{"SENNIT_BEAT_SIGNAL", "9"},
        bad{"SENNIT_WATCHDOG", "5"}, bad{"SENNIT_WATCHDOG", "1ms"}));

TEST_P(BadSetting, IsNamedByTheFirstJoin) {
  // Catches: a value that is ignored, guessed at, or refused without saying which.
  const ending run = apart([] {
    setenv(GetParam().name, GetParam().value, 1);
    const std::string text = complaint_of_first_join();
    EXPECT_THAT(text, testing::HasSubstr(GetParam().name));
    EXPECT_THAT(text, testing::HasSubstr(GetParam().value));
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Settings, MayBeMendedAfterTheComplaint) {
  // Catches: a failed first use that leaves a runtime half made or a lock taken.
  const ending run = apart([] {
    setenv("SENNIT_WORKERS", "many", 1);
    EXPECT_THAT(complaint_of_first_join(), testing::HasSubstr("many"));
    EXPECT_THROW({ sennit::task_group().spawn([] {}); }, std::invalid_argument);
    EXPECT_THROW({ sennit::runtime::default_runtime(); }, std::invalid_argument);
    setenv("SENNIT_WORKERS", "3", 1);
    EXPECT_EQ(fib(12), 144);
    EXPECT_EQ(sennit::runtime::default_runtime().workers(), 3);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Settings, AreReadOnce) {
  // Catches: a default runtime that looks at the environment again, which other threads may be changing.
  const ending run = apart([] {
    setenv("SENNIT_WORKERS", "3", 1);
    EXPECT_EQ(fib(12), 144);
    setenv("SENNIT_WORKERS", "bad", 1);
    EXPECT_EQ(fib(12), 144);
    EXPECT_EQ(sennit::runtime::default_runtime().workers(), 3);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Settings, EmptyOnesCountAsUnset) {
  // Catches: `SENNIT_WORKERS= program` refused.
  const ending run = apart([] {
    for (const char* name :
         {"SENNIT_WORKERS", "SENNIT_STACK", "SENNIT_BARRIER", "SENNIT_PIN", "SENNIT_TOPOLOGY",
          "SENNIT_PROMOTION", "SENNIT_BEAT_SIGNAL", "SENNIT_WATCHDOG"}) {
      setenv(name, "", 1);
    }
    EXPECT_EQ(complaint_of_first_join(), "none");
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Settings, GoodOnesAreTaken) {
  // Catches: a documented spelling that is refused.
  for (const bad good :
       {bad{"SENNIT_WORKERS", "1"}, bad{"SENNIT_STACK", "64K"}, bad{"SENNIT_STACK", "1g"},
        bad{"SENNIT_STACK", "1048576"}, bad{"SENNIT_BARRIER", "fence"}, bad{"SENNIT_BARRIER", "automatic"},
        bad{"SENNIT_PIN", "none"}, bad{"SENNIT_PIN", "core"}, bad{"SENNIT_CHECK", "0"},
        bad{"SENNIT_PROMOTION", "on_demand"}, bad{"SENNIT_PROMOTION", "heartbeat:100us"},
        bad{"SENNIT_PROMOTION", "heartbeat:1000ns"}, bad{"SENNIT_PROMOTION", "heartbeat:1000ms"},
        bad{"SENNIT_WATCHDOG", "5s"}}) {
    const ending run = apart([=] {
      setenv(good.name, good.value, 1);
      EXPECT_EQ(complaint_of_first_join(), "none");
    });
    EXPECT_THAT(run, ExitedWith(0)) << good.name << '=' << good.value;
  }
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Settings, MisspelledOnesAreNamedOnce) {
  // Catches: SENNIT_WORKER=1, and a program that runs on all cores without a word; a word for each runtime.
  const ending run = apart([] {
    setenv("SENNIT_WORKER", "1", 1);
    setenv("SENNIT_VERBOSITY", "3", 1);
    setenv("SENNIT_STACKS", "", 1);
    setenv("SENNIT_PIN", "none", 1);
    EXPECT_EQ(fib(12), 144);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(sennit::runtime({.workers = 2}).run([] { return fib(12); }), 144);
  });
  EXPECT_THAT(run, ExitedWith(0));
  EXPECT_EQ(count(run.output, "sennit: SENNIT_WORKER is set"), 1U) << run.output;
  EXPECT_EQ(count(run.output, "did you mean SENNIT_WORKERS?"), 1U) << run.output;
  EXPECT_EQ(count(run.output, "sennit: SENNIT_VERBOSITY is set"), 1U) << run.output;
  EXPECT_EQ(count(run.output, "\n"), 2U) << run.output;
}

TEST(DefaultRuntime, IsAsSetAtTheBeginning) {
  // Catches: options that are dropped, and a runtime beside the default one that is used instead.
  const ending run = apart([] {
    setenv("SENNIT_WORKERS", "5", 1);
    sennit::runtime::set_default({.workers = 3});
    const sennit::runtime another({.workers = 2});
    EXPECT_EQ(sennit::worker_count(), 3U);
    EXPECT_EQ(fib(12), 144);
    auto [inside, right] = sennit::join([] { return sennit::worker_count(); }, [] { return 1; });
    EXPECT_EQ(inside, 3U);
    EXPECT_EQ(sennit::runtime::default_runtime().workers(), 3U);
    EXPECT_EQ(another.statistics().steals, 0U);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(DefaultRuntime, IsSetOnce) {
  // Catches: options that are taken and have no effect, since the runtime is there already.
  for (const bool by_use : {false, true}) {
    const ending run = apart([=] {
      by_use ? static_cast<void>(fib(3)) : sennit::runtime::set_default({.workers = 3});
      const unsigned workers = sennit::worker_count();
      EXPECT_THROW(sennit::runtime::set_default({.workers = workers + 1}), std::logic_error);
      EXPECT_EQ(sennit::runtime::default_runtime().workers(), workers);
    });
    EXPECT_THAT(run, ExitedWith(0));
  }
}

TEST(DefaultRuntime, MayBeSetAgainAfterABadOption) {
  // Catches: a failed attempt that counts as one.
  const ending run = apart([] {
    EXPECT_THROW(sennit::runtime::set_default({.workers = 5000}), std::invalid_argument);
    sennit::runtime::set_default({.workers = 3});
    EXPECT_EQ(sennit::worker_count(), 3U);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Settings, ContradictingOptionsAreNamed) {
  // Catches: an error that speaks of a variable where the program's own option is wrong.
  const auto complaint = [](const sennit::runtime_options& options) -> std::string {
    try {
      const sennit::runtime made(options);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_THAT(complaint({.workers = 5000}), testing::HasSubstr("runtime_options::workers"));
  const auto complaint_of = [](auto workers) -> std::string {
    try {
      return std::to_string(sennit::runtime(workers).workers());
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
  };
  EXPECT_EQ(complaint_of(2), "2");
  EXPECT_EQ(complaint_of(std::size_t{3}), "3");
  EXPECT_THAT(complaint_of(-1), testing::HasSubstr("runtime_options::workers is \"-1\""));
  EXPECT_THAT(complaint_of(1L << 40), testing::HasSubstr("1099511627776"));
  EXPECT_THAT(complaint({.stack_bytes = 100}), testing::HasSubstr("runtime_options::stack_bytes"));
  EXPECT_THAT(complaint({.topology = "nonsense"}), testing::HasSubstr("nonsense"));
}

}  // namespace
}  // namespace process

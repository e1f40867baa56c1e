// SPDX-License-Identifier: Apache-2.0
// `sennit tune`: what it proposes, and what it prints and writes.
#include "support.hpp"
#include "tools/sennit/tune.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <string>

namespace command {
namespace {

using namespace std::chrono_literals;
using gallery::temporary_folder;
using sennit::beat_source_kind;
using testing::AllOf;
using testing::HasSubstr;

tuned measured(beat_source_kind source, std::chrono::nanoseconds period, unsigned workers, double rate,
               double us) {
  tuned t{source, period, workers, {}};
  t.measured.rate_reached = rate;
  t.measured.us_per_beat = {us};
  return t;
}

TEST(Choice, IsTheLeastPeriodWithinTheShare) {
  // Catches: a period at which promotions cost more than was allowed, or one that is longer than need be.
  const std::vector<tuned> one{measured(beat_source_kind::posix_timers, 100us, 2, 1, 4)};
  EXPECT_EQ(choose(one, {1}, 5)->period, 100us);    // (4 + 1) us are 5% of 100 us
  EXPECT_EQ(choose(one, {1}, 10)->period, 50us);    // and 10% of 50
  EXPECT_EQ(choose(one, {1.1}, 5)->period, 105us);  // rounded up
  EXPECT_EQ(choose(one, {1}, 50)->period, 10us);    // the least there is
  EXPECT_EQ(period_without_beats(1, 5), 20us);
  EXPECT_EQ(period_without_beats(4000, 0.1), 1s);  // which a runtime takes, and no longer one
}

TEST(Choice, IsTheCheapestSourceThatKeepsUp) {
  // Catches: a source that is cheap because it misses its beats, or that is cheap on one worker only.
  EXPECT_EQ(choose({measured(beat_source_kind::posix_timers, 100us, 2, 0.99, 5),
                    measured(beat_source_kind::ping_thread, 100us, 2, 0.98, 3),
                    measured(beat_source_kind::perf_events, 100us, 2, 0.5, 1),
                    measured(beat_source_kind::perf_events, 100us, 1, 1, 1)},
                   {1}, 5)
                ->source,
            beat_source_kind::ping_thread);
  EXPECT_FALSE(choose({measured(beat_source_kind::posix_timers, 100us, 2, 0.9, 5)}, {1}, 5));
  EXPECT_FALSE(choose({measured(beat_source_kind::polled, 100us, 2, 1, 0.1)}, {1}, 5))
      << "the program has to poll";
  EXPECT_FALSE(choose({}, {1}, 5));
}

TEST(Choice, GoesByThePeriodMeasuredNearestToIt) {
  // Catches: a rate that was reached at 500 us taken for one at 100.
  EXPECT_FALSE(choose({measured(beat_source_kind::posix_timers, 500us, 2, 1, 4),
                       measured(beat_source_kind::posix_timers, 100us, 2, 0.5, 4)},
                      {1}, 5));
  EXPECT_TRUE(choose({measured(beat_source_kind::posix_timers, 500us, 2, 0.5, 4),
                      measured(beat_source_kind::posix_timers, 100us, 2, 1, 4)},
                     {1}, 5));
}

TEST(Doubt, IsWhereNoPeriodFollows) {
  // Catches: a period proposed from what a busy machine measured; a quiet machine that gets none.
  tuned quiet = measured(beat_source_kind::posix_timers, 100us, 2, 1, 4);
  quiet.measured.us_per_beat = {3.8, 3.9, 4, 4.1, 4.2};
  const std::vector<double> promotions{0.9, 0.95, 1, 1.05, 1.1};
  EXPECT_EQ(doubt({quiet}, promotions, 5), "");
  EXPECT_EQ(doubt({quiet}, {0.2, 0.25, 0.3, 0.35, 0.5}, 5), "") << "periods of 5 and 10 us are the same";
  EXPECT_EQ(doubt({}, promotions, 5), "") << "promotions need no beats";

  tuned busy = quiet;
  busy.measured.had_cpu = 0.6;
  EXPECT_THAT(doubt({busy}, promotions, 5), HasSubstr("a CPU for 60% of the time"));
  tuned wide = quiet;
  wide.measured.us_per_beat = {1, 2, 4, 30, 40};
  EXPECT_THAT(doubt({wide}, promotions, 5), AllOf(HasSubstr("beats cost varies"), HasSubstr(" us to ")));
  tuned free = quiet;
  free.measured.us_per_beat = {-3, -2.5, -2, -1.5, -1};
  EXPECT_THAT(doubt({free}, promotions, 5), HasSubstr("no longer than without"));
  EXPECT_THAT(doubt({quiet}, {1, 1, 5, 20, 30}, 5), HasSubstr("promotions cost varies"));
}

TEST(Interval, HoldsTheMedian) {
  // Catches: an interval beside its own figure, or one that is always as wide as the samples.
  std::vector<double> samples;
  for (int i = 0; i < 101; ++i) samples.push_back(i);
  const interval wide = interval_of_median(samples);
  EXPECT_LT(wide.low, 50);
  EXPECT_GT(wide.high, 50);
  EXPECT_GT(wide.low, 20);
  EXPECT_LT(wide.high, 80);
  const interval none = interval_of_median({3});
  EXPECT_EQ(none.low, 3);
  EXPECT_EQ(none.high, 3);
}

TEST(Tune, PrintsAndWritesWhatItMeasured) {
  // Catches: a source that is neither measured nor refused, a figure without a unit, a file that is no JSON.
  const temporary_folder folder;
  const outcome o = sennit({"tune", "--seconds", "0.3", "--workers", "2", "--json", folder / "tune.json"});
  EXPECT_THAT(o.out, AllOf(HasSubstr("CPUs, Linux"), HasSubstr("posix_timers"), HasSubstr("perf_events"),
                           HasSubstr("ping_thread"), HasSubstr("polled"), HasSubstr("100 us")));
  const auto settings = AllOf(HasSubstr("SENNIT_PROMOTION=heartbeat:"), HasSubstr("SENNIT_BEAT="));
  if (o.code == success) {
    EXPECT_THAT(o.out, settings);
  } else {  // the machine is busy: then no number may look like a proposal
    EXPECT_EQ(o.code, nothing_proposed);
    EXPECT_THAT(o.err, AllOf(HasSubstr("measuring again"), HasSubstr("no setting is proposed")));
    EXPECT_THAT(o.out, testing::Not(testing::AnyOf(HasSubstr("SENNIT_PROMOTION"), HasSubstr("SENNIT_BEAT"))));
  }
  EXPECT_THAT(o.err, HasSubstr("measuring ping_thread"));
  std::ifstream file(folder / "tune.json");
  const nlohmann::json records = nlohmann::json::parse(file);
  EXPECT_EQ(records["suite"], "tune");
  EXPECT_TRUE(records["machine"].contains("cpus"));
  EXPECT_EQ(records["choice"]["share"], 0.05);
  EXPECT_EQ(records["choice"].contains("doubt"), o.code != success);
  std::set<std::string> metrics;
  for (const nlohmann::json& record : records["results"]) {
    metrics.insert(record["metric"]);
    EXPECT_FALSE(record["unit"].get<std::string>().empty());
    EXPECT_GE(record["median"], record["min"]);
    if (record["metric"] == "rate_reached") {
      EXPECT_GE(record["median"], 0);
      EXPECT_LE(record["median"], 1);
    }
  }
  EXPECT_THAT(metrics,
              testing::IsSupersetOf({"rate_reached", "jitter_p99", "us_per_beat", "us_per_promotion"}));
}

TEST(Tune, RefusesWhatItCannotDo) {
  // Catches: a share or a time that is taken for another.
  for (const auto& [option, value] : {std::pair{"--share", "0"},
                                      {"--share", "60"},
                                      {"--share", "five"},
                                      {"--seconds", "0"},
                                      {"--workers", "0"}}) {
    const outcome o = sennit({"tune", option, value});
    EXPECT_EQ(o.code, bad_usage);
    EXPECT_THAT(o.err, AllOf(HasSubstr(option), HasSubstr("sennit tune --help")));
  }
}

}  // namespace
}  // namespace command

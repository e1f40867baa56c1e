// SPDX-License-Identifier: Apache-2.0
// Programs whose steps and sequences throw. An exception is the data of those that it is thrown through.
#include "support.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/splice.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using sennit::call;
using sennit::call_effects;
using sennit::followed_by;
using sennit::memory_range;
using sennit::sequence;
using sennit::splice;
using sennit::step;
using sennit::writes;
using sennit_test::reported;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using field = std::vector<double>;

// An exception that says through which calls it has come.
class failed : public std::runtime_error {
 public:
  explicit failed(const std::string& what) : std::runtime_error(what), where_(2, '.') {}
  failed(const failed&) = default;
  ~failed() override {
    for (char& c : where_) c = ' ';
  }
  void through(char call) {
    ++levels_;
    where_.push_back(call);
    (*note_)[0] = call;
  }
  int levels() const { return levels_; }

 private:
  int levels_ = 0;
  std::vector<char> where_;
  std::shared_ptr<std::string> note_ = std::make_shared<std::string>(40, '-');
};

void divide(field& a, int depth, bool in_step) {
  const call_effects fx{writes(memory_range(a.data(), a.size()))};
  if (depth == 0) {
    if (!in_step) throw failed("outside");
    step(fx, [&] {
      a[0] += 1;
      throw failed("in a step");
    });
  }
  try {
    sequence(call(divide, a, int{depth - 1}, bool{in_step}), call(divide, a, int{depth - 1}, bool{in_step}));
  } catch (failed& f) {
    f.through(static_cast<char>('0' + depth));
    throw;
  }
}

// Catches an exception that is taken for the data of others where it is changed on its way out, or destroyed.
TEST(Failures, AreDataOfThoseThatTheyPass) {
  for (const bool in_step : {true, false}) {
    field a(4, 0);
    int levels = 0;
    EXPECT_THAT(reported([&] {
                  try {
                    splice(2, [&](int) { divide(a, 3, in_step); });
                  } catch (const failed& f) {
                    levels = f.levels();
                  }
                }),
                IsEmpty())
        << in_step;
    EXPECT_EQ(levels, 3);
    EXPECT_EQ(a[0], in_step ? 1 : 0);
  }
}

// A function that goes on after a part of it has failed.
std::vector<std::string> after_a_failure(std::size_t said, std::size_t touched) {
  field a(8, 0);
  std::vector<std::string> reports = reported([&] {
    splice(2, [&](int) {
      const call_effects fx{writes(memory_range(a.data(), 8))};
      std::string text;
      int times = 0;
      try {
        sequence(followed_by(writes(memory_range(a.data() + 4, static_cast<std::int64_t>(said)))),
                 call(divide, a, 2, true),
                 call(
                     [](field& f) {
                       const call_effects inner{writes(memory_range(f.data(), 8))};
                       step(inner, [&] { f[7] = 3; });
                     },
                     a));
      } catch (failed& f) {
        f.through('!');
        text = f.what();
        times = f.levels();
      }
      step({writes(memory_range(a.data() + 4, static_cast<std::int64_t>(said)))},
           [&] { a[touched] += text.size() + static_cast<double>(times); });
    });
  });
  EXPECT_EQ(a[touched], 2 * 12);
  EXPECT_EQ(a[7], 0) << "what follows the failure has been run";
  return reports;
}

// Catches a function that is blamed for what it does after it has caught something, or that may do anything then.
TEST(Failures, AreCaughtAndWorkGoesOn) {
  EXPECT_THAT(after_a_failure(2, 4), IsEmpty());
  EXPECT_THAT(after_a_failure(2, 6), ElementsAre(HasSubstr("behind what it writes")));
}

// Catches arguments and variables that are destroyed on the way out, and taken for data of others.
TEST(Failures, DestroyWhatTheFunctionsHave) {
  struct counted {
    std::shared_ptr<std::vector<int>> all = std::make_shared<std::vector<int>>(3);
    counted() = default;
    counted(const counted&) = default;
    ~counted() { (*all)[0] = 1; }
  };
  field a(4, 0);
  EXPECT_THAT(reported([&] {
                EXPECT_THROW(splice(2,
                                    [&](int) {
                                      const call_effects fx{writes(memory_range(a.data(), 4))};
                                      counted mine;
                                      step(fx, [&] { a[0] += 1; });
                                      const auto part = [](field& f) {
                                        const call_effects inner{writes(memory_range(f.data(), 4))};
                                        counted local;
                                        step(inner, [&] { (*local.all)[1] = 2; });
                                        throw failed("part");
                                      };
                                      sequence(call(part, a), call(part, a));
                                    }),
                             failed);
              }),
              IsEmpty());
}

// Catches failures that make the checker blind: a fault before one, and in what handles it.
TEST(Failures, HideNoFaults) {
  field a(4, 0);
  int caught = 0;
  EXPECT_THAT(reported([&] {
                splice(2, [&](int) {
                  const call_effects fx{writes(memory_range(a.data(), 2))};
                  try {
                    step(fx, [&] {
                      a[2] += 1;
                      throw failed("step");
                    });
                  } catch (const failed&) {
                    ++caught;
                  }
                });
              }),
              testing::UnorderedElementsAre(HasSubstr("a step writes 8 bytes"),
                                            HasSubstr("code outside steps writes 4 bytes")));
  EXPECT_EQ(caught, 2);
}

}  // namespace

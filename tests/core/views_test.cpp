// SPDX-License-Identifier: Apache-2.0
// Reducers: whose views there are, and what becomes of them when something fails or a region ends.
#include "reducers.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace sennit_test {
namespace {

// Catches a view that outlives its reducer, or is taken for that of a later one at the same address.
TEST(reducer, comes_and_goes_within_a_strand) {
  under(all_settings(), [](sennit::runtime& rt) {
    rt.run([&] {
      sennit::parallel_for(
          0, 50,
          [&](int i) {
            const auto t = i % 2 == 0 ? std::make_unique<tally>() : nullptr;
            tally local;
            sennit::parallel_for(
                0, 20,
                [&](int) {
                  spin(100);
                  add(local);
                  if (t) add(*t);
                },
                sennit::grain(1));
            EXPECT_EQ(local.value().value(), 20U);
            if (t) {
              EXPECT_EQ(t->value().value(), 20U);
            }
          },
          sennit::grain(1));
    });
    EXPECT_EQ(tracked::live(), 0);
  });
}

// Catches views of a reducer that ended elsewhere, which are kept as long as the thread lives.
TEST(reducer, leaves_no_view_where_others_end_it) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    rt.run([&] {
      tally other;
      auto t = std::make_unique<tally>();
      add(*t);
      join_stolen([] {},
                  [&] {
                    t.reset();
                    add(other);
                  });
      EXPECT_EQ(tracked::live(), 1) << "one of the reducer that is left";
      {
        sennit::task_group group;
        tally ends_before_the_group;
        add(ends_before_the_group);
        group.spawn([] {});
      }
      EXPECT_EQ(other.value().value(), 1U);
    });
    EXPECT_EQ(tracked::live(), 0);
  });
}

// Catches views that are made for strands that do not ask, or anew each time that one asks.
TEST(reducer, makes_a_view_for_each_strand_that_asks) {
  std::atomic<int> made{0};
  const auto make = [&] {
    ++made;
    return 0;
  };
  using counted = sennit::reducer<int, std::plus<>, decltype(make)>;
  under(parallel_settings(), [&](sennit::runtime& rt) {
    made = 0;
    counted nobody(make, {});
    rt.run([&] {
      suspend(rt);
      sennit::parallel_for(0, 100, [](int) { spin(500); }, sennit::grain(1));
      sennit::task_group group;
      group.spawn([] {});
    });
    EXPECT_EQ(made, 0);

    counted left_only(make, {});
    rt.run([&] { join_stolen([&] { *left_only += 1; }, [] {}); });
    EXPECT_EQ(made, 1);

    made = 0;
    counted both(make, {});
    rt.run([&] {
      join_stolen(
          [&] {
            *both += 1;
            sennit::join([] {}, [] {});
            *both += 1;
          },
          [&] {
            *both += 1;
            suspend(rt);
            *both += 1;
          });
      *both += 1;
    });
    EXPECT_EQ(made, 2);
    EXPECT_EQ(both.value(), 5);
    EXPECT_EQ(made, 2);
  });
  // Nothing is stolen: the whole tree is one strand.
  under(settings({1}), [&](sennit::runtime& rt) {
    made = 0;
    counted one(make, {});
    const std::function<void(int)> tree = [&](int depth) {
      *one += 1;
      if (depth > 0) sennit::join([&] { tree(depth - 1); }, [&] { tree(depth - 1); });
    };
    rt.run([&] { tree(8); });
    EXPECT_EQ(one.value(), 511);
    EXPECT_EQ(made, 1);
  });
}

// Catches a reference that does not outlast a construct: the arguments of a call are evaluated after what it is called
// on, so that this is easily written.
TEST(reducer, has_the_same_view_before_and_after_a_construct) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    record r;
    const auto forks = [&](int i) {
      join_stolen([] {}, [&] { r->push_back(i + 1); });
      suspend(rt);
      sennit::task_group group;
      for (int k = 0; k < 3; ++k) {
        group.spawn([&, k] { r->push_back(i + 2 + k); });
      }
      group.wait();
      sennit::parallel_for(i + 5, i + 20, [&](int k) { r->push_back(k); }, sennit::grain(1));
      return i + 20;
    };
    rt.run([&] {
      r->push_back(0);
      r->push_back(forks(0));
      r->push_back(forks(20));
    });
    EXPECT_EQ(r.value(), up_to(41));
  });
}

// Catches a copy of a value, and a form of combine() that is called wrongly.
TEST(reducer, holds_what_can_only_be_moved) {
  using boxed = std::unique_ptr<numbers>;
  under(parallel_settings(), [](sennit::runtime& rt) {
    sennit::reducer in_place([] { return std::make_unique<numbers>(); },
                             [](boxed& left, boxed&& right) { appending()(*left, std::move(*right)); });
    sennit::reducer by_value([] { return std::make_unique<numbers>(); },
                             [](boxed left, boxed right) {
                               appending()(*left, std::move(*right));
                               return left;
                             });
    static_assert(std::is_same_v<decltype(in_place.value()), boxed&>);
    rt.run([&] {
      join_stolen([&] { (*in_place)->push_back(0); }, [&] { (*in_place)->push_back(1); });
      join_stolen([&] { (*by_value)->push_back(0); }, [&] { (*by_value)->push_back(1); });
    });
    EXPECT_EQ(*in_place.value(), up_to(2));
    EXPECT_EQ(*by_value.value(), up_to(2));
  });
}

// Catches an identity that is not the one given, and types deduced as others.
TEST(reducer, begins_with_the_identity) {
  sennit::reducer product(1L, std::multiplies<>());
  static_assert(std::is_same_v<decltype(product.value()), long&>);
  sennit::reducer lowest(100, [](int a, int b) { return std::min(a, b); });
  sennit::reducer<std::string> text;
  sennit::reducer<int, std::bit_or<>> bits((std::bit_or<>()));
  sennit::runtime rt({.workers = 2});
  rt.run([&] {
    join_stolen(
        [&] {
          *product *= 2;
          *lowest = std::min(*lowest, 30);
          *text += 'a';
          *bits |= 1;
        },
        [&] {
          *product *= 3;
          *lowest = std::min(*lowest, 20);
          *text += 'b';
          *bits |= 4;
        });
  });
  EXPECT_EQ(product.value(), 6);
  EXPECT_EQ(lowest.value(), 20);
  EXPECT_EQ(text.value(), "ab");
  EXPECT_EQ(bits.value(), 5);
  EXPECT_EQ(product.value(), 6) << "asked a second time";
}

// Catches views that begin with T(): products of 0, and a maximum that is above all that was added.
TEST(reducer, knows_the_identities_of_operations) {
  under(all_settings(), [](sennit::runtime& rt) {
    sennit::reducer<long, std::multiplies<>> product;
    sennit::reducer<bool, std::logical_and<>> all;
    sennit::reducer<bool, std::logical_or<>> any;
    sennit::reducer<unsigned, std::bit_and<>> common;
    sennit::reducer<unsigned char, std::bit_xor<>> parity;
    sennit::reducer<int, std::remove_const_t<decltype(std::ranges::max)>> most;
    sennit::reducer<double, std::remove_const_t<decltype(std::ranges::min)>> least;
    rt.run([&] {
      sennit::parallel_for(
          1, 11,
          [&](int i) {
            spin(1000);
            *product *= i;
            *all = *all && i > 0;
            *any = *any || i == 7;
            *common &= 0xf0U | static_cast<unsigned>(i);
            *parity = static_cast<unsigned char>(*parity ^ 1);
            *most = std::max(*most, -i);
            *least = std::min(*least, i + 0.5);
          },
          sennit::grain(1));
    });
    EXPECT_EQ(product.value(), 3'628'800);
    EXPECT_TRUE(all.value());
    EXPECT_TRUE(any.value());
    EXPECT_EQ(common.value(), 0xf0U);
    EXPECT_EQ(parity.value(), 0);
    EXPECT_EQ(most.value(), -1);
    EXPECT_EQ(least.value(), 1.5);
  });
}

// Catches an initial value that each view begins with, or that comes after what is added.
TEST(reducer, counts_an_initial_value_once) {
  under(all_settings(), [](sennit::runtime& rt) {
    sennit::reducer sum(100L, std::plus<>());
    sennit::reducer<int> deduced(100);
    sennit::reducer<std::string> text("a");
    EXPECT_EQ(*sum, 100);
    rt.run([&] {
      sennit::parallel_for(
          0, 100,
          [&](int) {
            spin(1000);
            *sum += 1;
            *deduced += 1;
            *text += 'b';
          },
          sennit::grain(1));
    });
    EXPECT_EQ(sum.value(), 200);
    EXPECT_EQ(deduced.value(), 200);
    EXPECT_EQ(text.value(), "a" + std::string(100, 'b'));
  });
}

// Catches a first value that is counted an unknown number of times, and nobody says so.
TEST(reducer, refuses_what_is_no_identity) {
  const auto add = [](long a, long b) { return a + b; };
  sennit::reducer sum(0L, add);
  EXPECT_DEATH(sennit::reducer(100L, add), "views_test.cpp:[0-9]+: reducer: the value .* is no identity");
}

// Catches an exception of combine() that ends the program, that nobody hears of, or that is told again; and one that is
// not the first in the serial order.
TEST(reducer, throws_what_combine_threw) {
  struct throwing {
    void operator()(tracked& left, tracked&& right) const {
      if (right.value() >= 100) throw failure{right.value()};
      adding()(left, std::move(right));
    }
  };
  using brittle = sennit::reducer<tracked, throwing, making_tracked>;
  const auto adds = [](brittle& b, std::uint64_t x) { return [&b, x] { *b = tracked(b->value() + x); }; };
  const auto value_throws = [](brittle& b) -> std::uint64_t {
    try {
      b.value();
    } catch (const failure& f) {
      return f.position;
    }
    return 0;
  };
  under(parallel_settings(), [&](sennit::runtime& rt) {
    {
      brittle b;
      rt.run([&] {
        adds(b, 1)();
        join_stolen(adds(b, 2), [&] {
          adds(b, 4)();
          join_stolen(adds(b, 8), adds(b, 100));
        });
        join_stolen([] {}, adds(b, 200));
        join_stolen([] {}, adds(b, 16));
      });
      EXPECT_EQ(value_throws(b), 100U);
      EXPECT_EQ(b.value().value(), 31U) << "the other views";
    }
    {
      brittle b;
      rt.run([&] {
        sennit::task_group group;
        beacon taken;
        adds(b, 1)();
        group.spawn([&] {
          taken.light();
          adds(b, 101)();
        });
        adds(b, 2)();
        taken.await();
        beacon taken_too;
        group.spawn([&] {
          taken_too.light();
          adds(b, 102)();
        });
        taken_too.await();
        group.wait();
      });
      EXPECT_EQ(value_throws(b), 101U);
      EXPECT_EQ(b.value().value(), 3U);
    }
    {
      brittle b;
      rt.run([&] {
        sennit::parallel_for(
            0, 200,
            [&](int) {
              spin(300);
              adds(b, 100)();
            },
            sennit::grain(1));
      });
      value_throws(b);
      EXPECT_EQ(value_throws(b), 0U);
    }
    EXPECT_EQ(tracked::live(), 0);
  });
}

// Catches an exception of make() that is lost, that leaves half a view in the list, or that is not the strand's own.
TEST(reducer, throws_what_make_threw) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    std::atomic<bool> broken{false};
    const auto make = [&] {
      if (broken) throw failure{7};
      return tracked(0);
    };
    sennit::reducer<tracked, adding, decltype(make)> r(make, {});
    rt.run([&] {
      *r = tracked(1);
      broken = true;
      EXPECT_THROW(join_stolen([&] { *r = tracked(2); }, [&] { *r = tracked(3); }), failure);
      EXPECT_EQ(r->value(), 2U) << "a view that is there already";
      sennit::task_group group;
      beacon taken;  // a child that runs here goes on with the view that the strand has
      group.spawn([&] {
        taken.light();
        r.view();
      });
      taken.await();
      EXPECT_THROW(group.wait(), failure);
      broken = false;
      join_stolen([] {}, [&] { *r = tracked(5); });
    });
    EXPECT_EQ(r.value().value(), 7U);
    broken = true;
    sennit::reducer<tracked, adding, decltype(make)> unused(make, {});
    EXPECT_THROW(rt.run([&] {
      sennit::parallel_for(
          0, 100,
          [&](int i) {
            if (i == 40) unused.view();
            if (i > 60) throw failure{8};
          },
          sennit::grain(1));
    }),
                 failure);
  });
  EXPECT_EQ(tracked::live(), 0);
}

// Catches views that are dropped, or left on the worker, where an exception ends the branch that has them.
TEST(reducer, keeps_what_was_added_before_an_exception) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    for (const bool left : {true, false}) {
      for (const bool right : {true, false}) {
        record r;
        rt.run([&] {
          r->push_back(0);
          const auto branch = [&r](int number, bool throws) {
            return [&r, number, throws] {
              r->push_back(number);
              if (throws) throw failure{1};
            };
          };
          if (left || right) {
            EXPECT_THROW(join_stolen(branch(1, left), branch(2, right)), failure);
          } else {
            join_stolen(branch(1, left), branch(2, right));
          }
          r->push_back(3);
        });
        EXPECT_EQ(r.value(), up_to(4));
      }
    }
  });
}

// Catches the same for loops and groups: what comes before the exception is there, in order, and what comes after it at
// least in order.
TEST(reducer, keeps_the_order_before_an_exception) {
  under(all_settings(), [](sennit::runtime& rt) {
    for (const sennit::loop_options& how : loop_kinds()) {
      for (const int at : {0, 1, 57, 199}) {
        record r;
        const auto body = [&](int i) {
          spin(100);
          if (i == at) throw failure{static_cast<std::uint64_t>(i)};
          r->push_back(i);
        };
        EXPECT_THROW(rt.run([&] { sennit::parallel_for(0, 200, body, how); }), failure);
        numbers& seen = r.value();
        EXPECT_TRUE(std::ranges::is_sorted(seen));
        ASSERT_GE(seen.size(), static_cast<std::size_t>(at));
        EXPECT_EQ(numbers(seen.begin(), seen.begin() + at), up_to(at));

        seen.clear();
        EXPECT_THROW(rt.run([&] {
          sennit::task_group group;
          for (int i = 0; i < 200; ++i) group.spawn([&, i] { body(i); });
        }),
                     failure);
        EXPECT_TRUE(std::ranges::is_sorted(seen));
        ASSERT_GE(seen.size(), static_cast<std::size_t>(at));
        EXPECT_EQ(numbers(seen.begin(), seen.begin() + at), up_to(at));
      }
    }
  });
  EXPECT_EQ(tracked::live(), 0);
}

// Catches views of a cancelled region that are lost or leak, and a reducer that is of no use afterwards.
TEST(reducer, outlasts_a_cancelled_region) {
  under(all_settings(), [](sennit::runtime& rt) {
    record r;
    tally t;
    rt.run([&] {
      r->push_back(-1);
      sennit::region region;
      region.run([&] {
        sennit::parallel_for(
            0, 300,
            [&](int i) {
              spin(100);
              add(t);
              r->push_back(i);
              sennit::join([&] { add(t); }, [&] { add(t); });
              if (i == 150) region.cancel();
            },
            sennit::grain(1));
      });
      r->push_back(1000);
    });
    EXPECT_TRUE(std::ranges::is_sorted(r.value()));
    EXPECT_EQ(r.value().front(), -1);
    EXPECT_EQ(r.value().back(), 1000);
    EXPECT_GE(t.value().value(), r.value().size() - 2);
  });
  EXPECT_EQ(tracked::live(), 0);
}

// Catches a list of views that changes while it is appended, and what is added meanwhile, if it is lost: combine() may
// fork, wait, and use reducers itself.
TEST(reducer, may_fork_in_combine) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    std::atomic<int> calls{0};
    std::atomic<int> moved{0};
    sennit::reducer<int> combined;
    sennit::reducer<int> forked;
    const auto append = [&](numbers& left, numbers&& right) {
      ++calls;
      moved += static_cast<int>(right.size());
      *combined += 1;
      const std::size_t begin = left.size();
      left.resize(begin + right.size());
      sennit::parallel_for(
          std::size_t{0}, right.size(),
          [&](std::size_t i) {
            *forked += 1;
            left[begin + i] = right[i];
          },
          sennit::grain(1));
      sennit::task_group group;
      group.spawn([&] { *combined += 1; });
      sennit::join([&] { *combined += 1; }, [&] { spin(100); });
      group.wait();
    };
    using merging = sennit::reducer<numbers, decltype(append)>;
    merging r(numbers{}, append);
    rt.run([&] {
      r->push_back(0);
      join_stolen([&] { *combined += 1; }, [&] { r->push_back(1); });
      r->push_back(2);
      sennit::parallel_for(
          1, 100,
          [&](int i) {
            r->push_back(3 * i);
            sennit::join([&] { r->push_back(3 * i + 1); }, [&] { r->push_back(3 * i + 2); });
          },
          sennit::grain(1));
      sennit::task_group group;
      for (int i = 300; i < 340; i += 2) {
        group.spawn([&, i] { r->push_back(i); });
        r->push_back(i + 1);
      }
    });
    EXPECT_TRUE(r.value() == up_to(340));
    EXPECT_GT(calls, 0);
    EXPECT_EQ(combined.value(), 3 * calls + 1);
    EXPECT_EQ(forked.value(), moved);
    std::thread([&] { r->push_back(-1); }).join();
    std::thread([&] { r->push_back(-2); }).join();
    EXPECT_EQ(rt.run([&] { return r.value().size(); }), 2U);
    EXPECT_EQ(r.value().size(), 342U);
  });
}

static_assert(!std::is_copy_constructible_v<record> && !std::is_move_constructible_v<record>);
static_assert(!std::is_copy_assignable_v<record> && !std::is_move_assignable_v<record>);

}  // namespace
}  // namespace sennit_test

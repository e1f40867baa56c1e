// SPDX-License-Identifier: Apache-2.0
// Reducers: the order of what is added, whatever runs it.
#include "reducers.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

// The program, called as program(policy, record), adds the same in the same order as its elision.
template <class Program>
void expect_serial_order(sennit::runtime& rt, const Program& program) {
  record serial;
  program(sennit::serial(), serial);
  record parallel;
  parallel->push_back(-1);
  rt.run([&] { program(sennit::parallel(), parallel); });
  parallel->push_back(-2);
  numbers expected = serial.value();
  expected.insert(expected.begin(), -1);
  expected.push_back(-2);
  ASSERT_TRUE(parallel.value() == expected)
      << "added " << parallel.value().size() << " of " << expected.size() << ", "
      << std::distance(expected.begin(), std::ranges::mismatch(expected, parallel.value()).in1)
      << " of them in order";
}

template <class P>
void joined(record& r, int seed, int depth) {
  r->push_back(seed);
  if (depth > 0) {
    P::join([&] { joined<P>(r, 3 * seed, depth - 1); }, [&] { joined<P>(r, 3 * seed + 1, depth - 1); },
            [&] { spin(seed % 100); });
    r->push_back(~seed);
    P::join([&] { joined<P>(r, 3 * seed + 2, depth - 2); }, [&] { r->push_back(-seed); });
  }
}

// Catches a stolen branch's view that is lost, appended twice, or appended before what the strand added itself.
TEST(reducer, keeps_the_order_of_joins) {
  under(all_settings(), [](sennit::runtime& rt) {
    for (int i = 0; i < scaled(20); ++i) {
      expect_serial_order(rt, []<class P>(P, record& r) { joined<P>(r, 1, 7); });
    }
  });
}

// The same with a certain schedule: before, within and after a branch that another worker runs.
TEST(reducer, appends_what_a_stolen_branch_added) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    record r;
    rt.run([&] {
      r->push_back(0);
      join_stolen([&] { r->push_back(1); },
                  [&] {
                    r->push_back(2);
                    join_stolen([&] { r->push_back(3); }, [&] { r->push_back(4); });
                    r->push_back(5);
                  });
      r->push_back(6);
      join_stolen([] {}, [&] { r->push_back(7); });
    });
    EXPECT_EQ(r.value(), up_to(8));
  });
}

// Catches views that stay with the worker when the strand goes on on another one, and those of a strand that
// another finds on the worker it comes to.
TEST(reducer, follows_a_strand_that_is_suspended) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    record r;
    r->push_back(0);
    rt.run([&] {
      r->push_back(1);
      suspend(rt);
      r->push_back(2);
      const std::uint64_t before = rt.statistics().suspensions;
      join_stolen([&] { r->push_back(3); },
                  [&] {
                    r->push_back(4);
                    await([&] { return rt.statistics().suspensions > before; }, "a join to be suspended");
                    r->push_back(5);
                  });
      r->push_back(6);
      join_stolen([&] { suspend(rt); }, [] {});
      r->push_back(7);
    });
    r->push_back(8);
    EXPECT_EQ(r.value(), up_to(9));
  });
}

// Catches pieces whose views are appended in the order in which they were cut, or of which one is added to by the
// strand that took it back although others have what lies between.
TEST(reducer, keeps_the_order_of_loops) {
  under(all_settings(), [](sennit::runtime& rt) {
    for (const sennit::loop_options& how : loop_kinds()) {
      for (const int n : {0, 1, 2, 9, 100, 2000}) {
        expect_serial_order(rt, [&]<class P>(P, record& r) {
          r->push_back(-3);
          P::parallel_for(
              0, n,
              [&](int i) {
                spin(i % 16 * 30);
                r->push_back(i);
              },
              how);
          r->push_back(-4);
        });
      }
    }
  });
}

TEST(reducer, keeps_the_order_of_loops_within_loops_and_joins) {
  under(all_settings(), [](sennit::runtime& rt) {
    for (const sennit::loop_options& how : loop_kinds()) {
      for (int round = 0; round < scaled(10); ++round) {
        expect_serial_order(rt, [&]<class P>(P, record& r) {
          const auto inner = [&](int i) {
            P::parallel_for(
                0, i % 11,
                [&](int j) {
                  spin(j * 40);
                  r->push_back(100 * i + j);
                },
                how);
          };
          P::parallel_for(
              0, 40,
              [&](int i) {
                P::join([&] { inner(i); }, [&] { inner(i + 1); });
                r->push_back(i);
                inner(2 * i);
              },
              how);
        });
      }
    }
  });
}

// Catches a reduction that keeps the order of its own values only.
TEST(reducer, keeps_the_order_in_reductions) {
  under(all_settings(), [](sennit::runtime& rt) {
    expect_serial_order(rt, [&]<class P>(P, record& r) {
      const int sum = P::parallel_reduce(0, 3000, 0, [&](int i) {
        spin(100);
        r->push_back(i);
        return 1;
      });
      r->push_back(sum);
    });
  });
}

// Catches an order that depends on the number of workers. Which one it is, is the nest's choice.
TEST(reducer, keeps_the_order_of_nests) {
  const auto ordered = [](sennit::runtime& rt, const auto& order) {
    record r;
    rt.run([&] {
      sennit::parallel_for_nest(
          {70, 50},
          [&](auto i, auto j) {
            spin(50);
            r->push_back(static_cast<int>(100 * i + j));
          },
          order);
    });
    return r.value();
  };
  sennit::runtime one({.workers = 1});
  const numbers in_rows = ordered(one, sennit::row);
  const numbers in_tiles = ordered(one, sennit::tiled(16));
  const numbers run_halves = ordered(one, sennit::morton(8));
  EXPECT_TRUE(std::ranges::is_sorted(in_rows));
  EXPECT_EQ(in_rows.size(), 70U * 50U);
  under(parallel_settings(), [&](sennit::runtime& rt) {
    EXPECT_TRUE(ordered(rt, sennit::row) == in_rows);
    EXPECT_TRUE(ordered(rt, sennit::tiled(16)) == in_tiles);
    EXPECT_TRUE(ordered(rt, sennit::morton(8)) == run_halves);
  });
}

template <class P>
void grouped(record& r, int seed, int depth) {
  r->push_back(seed);
  if (depth == 0) return;
  typename P::task_group group;
  for (int i = 0; i < 4; ++i) {
    group.spawn([&r, seed, depth, i] { grouped<P>(r, 5 * seed + i, depth - 1); });
    if (i == 1) r->push_back(~seed);
    if (i == 2 && seed % 2 == 0) group.wait();
    if (i == 3) P::join([&] { r->push_back(-seed); }, [&] { spin(seed % 50); });
  }
  if (seed % 3 == 0) group.wait();
  r->push_back(seed + 1);
}

// Catches children that wait() runs latest first and whose views are appended in that order; and what the strand adds
// between two spawns, if it comes before or after all children.
TEST(reducer, keeps_the_order_of_groups) {
  under(all_settings(), [](sennit::runtime& rt) {
    for (int i = 0; i < scaled(10); ++i) {
      expect_serial_order(rt, []<class P>(P, record& r) {
        grouped<P>(r, 1, 5);
        r->push_back(0);  // after a group whose destructor has waited
      });
    }
  });
}

// The same with a certain schedule: of four children those in the mask run elsewhere, and end while the group waits.
TEST(reducer, keeps_the_order_of_children_here_and_elsewhere) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    for (unsigned elsewhere = 1; elsewhere < 16; elsewhere <<= 1) {
      record r;
      rt.run([&] {
        const std::uint64_t before = rt.statistics().suspensions;
        beacon taken;
        sennit::task_group group;
        int next = 0;
        r->push_back(next++);
        for (unsigned i = 0; i < 4; ++i) {
          const bool stolen = (elsewhere >> i & 1) != 0;
          group.spawn([&, stolen, number = next++] {
            if (stolen) {
              taken.light();
              await([&] { return rt.statistics().suspensions > before; }, "a group to be suspended");
            }
            r->push_back(number);
          });
          if (stolen) taken.await();
          r->push_back(next++);
        }
        group.wait();
        r->push_back(next++);
        group.spawn([&, number = next++] { r->push_back(number); });
        r->push_back(next++);
      });
      EXPECT_EQ(r.value(), up_to(12)) << "child " << elsewhere;
    }
  });
}

// Catches groups within one another, in one strand, of which the inner one's end appends the outer one's views.
TEST(reducer, keeps_the_order_of_groups_within_groups) {
  under(all_settings(), [](sennit::runtime& rt) {
    record r;
    rt.run([&] {
      sennit::task_group outer;
      r->push_back(0);
      outer.spawn([&] { r->push_back(1); });
      r->push_back(2);
      {
        sennit::task_group inner;
        inner.spawn([&] { r->push_back(3); });
        r->push_back(4);
        inner.spawn([&] { r->push_back(5); });
        r->push_back(6);
      }
      r->push_back(7);
      outer.spawn([&] { r->push_back(8); });
      r->push_back(9);
    });
    EXPECT_EQ(r.value(), up_to(10));
  });
}

// Groups that are waited for in another order than they were begun in: each keeps its own order, which is all that is
// promised. Catches a view that is lost there.
TEST(reducer, keeps_the_order_within_each_of_two_tangled_groups) {
  under(all_settings(), [](sennit::runtime& rt) {
    record first;
    record second;
    record both;
    const auto adds = [&](record& own, int x) {
      return [&, x] {
        own->push_back(x);
        both->push_back(x);
      };
    };
    rt.run([&] {
      sennit::task_group a;
      sennit::task_group b;
      for (int i = 0; i < 10; ++i) {
        a.spawn(adds(first, i));
        b.spawn(adds(second, i + 10));
      }
      a.wait();
      b.wait();
    });
    EXPECT_EQ(first.value(), up_to(10));
    numbers later = second.value();
    for (int& x : later) x -= 10;
    EXPECT_EQ(later, up_to(10));
    std::ranges::sort(both.value());
    EXPECT_EQ(both.value(), up_to(20));
  });
}

// Catches what a thread adds between the spawns of a group that it made outside any runtime; and constructs that begin
// a region of their own, whose views stay there.
TEST(reducer, keeps_the_order_outside_any_runtime) {
  for (int round = 0; round < scaled(200); ++round) {
    record r;
    r->push_back(0);
    {
      sennit::task_group group;
      group.spawn([&] { r->push_back(1); });
      r->push_back(2);
      group.spawn([&] { sennit::join([&] { r->push_back(3); }, [&] { r->push_back(4); }); });
      r->push_back(5);
      group.wait();
      r->push_back(6);
      group.spawn([&] { r->push_back(7); });
      r->push_back(8);
    }
    sennit::join([&] { r->push_back(9); }, [&] { r->push_back(10); });
    sennit::parallel_for(11, 20, [&](int i) { r->push_back(i); });
    r->push_back(20);
    ASSERT_EQ(r.value(), up_to(21));
  }
}

// Catches views of a strand that are not there any more once it has been in another runtime, or that are found there.
TEST(reducer, keeps_the_order_of_regions_within_regions) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    sennit::runtime other({.workers = 2});
    record r;
    r->push_back(0);
    rt.run([&] {
      r->push_back(1);
      sennit::region inner;
      inner.run([&] { join_stolen([&] { r->push_back(2); }, [&] { r->push_back(3); }); });
      other.run([&] {
        r->push_back(4);
        suspend(other);
        rt.run([&] { join_stolen([&] { r->push_back(5); }, [&] { r->push_back(6); }); });
        r->push_back(7);
      });
      r->push_back(8);
      join_stolen([&] { r->push_back(9); },
                  [&] {
                    other.run([&] { r->push_back(10); });
                    r->push_back(11);
                  });
    });
    r->push_back(12);
    EXPECT_EQ(r.value(), up_to(13));
  });
}

// Catches a blocking call whose stand-in takes over the views.
TEST(reducer, may_be_added_to_in_a_blocking_call) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    record r;
    rt.run([&] {
      r->push_back(0);
      join_stolen(
          [&] {
            sennit::blocking([&] {
              r->push_back(1);
              std::this_thread::sleep_for(std::chrono::milliseconds(2));
              r->push_back(2);
            });
          },
          [&] { r->push_back(3); });
    });
    EXPECT_EQ(r.value(), up_to(4));
  });
}

// Catches a walk of the list that ends at the wrong view, and lists of which only the first views are appended.
TEST(reducer, is_one_of_several) {
  under(all_settings(), [](sennit::runtime& rt) {
    std::array<record, 7> records;
    sennit::reducer<std::string> text;
    sennit::reducer<int> sum;
    rt.run([&] {
      sennit::parallel_for(0, 700, [&](int i) {
        spin(200);
        // Each strand meets them in another order, and some not at all.
        records[static_cast<std::size_t>(i * i) % records.size()]->push_back(i);
        if (i % 3 == 0) *text += static_cast<char>('a' + i % 26);
        if (i % 5 == 0) *sum += i;
      });
    });
    std::array<numbers, 7> expected;
    std::string expected_text;
    for (int i = 0; i < 700; ++i) {
      expected[static_cast<std::size_t>(i * i) % expected.size()].push_back(i);
      if (i % 3 == 0) expected_text += static_cast<char>('a' + i % 26);
    }
    for (std::size_t k = 0; k < records.size(); ++k) EXPECT_TRUE(records[k].value() == expected[k]);
    EXPECT_EQ(text.value(), expected_text);
    EXPECT_EQ(sum.value(), 5 * (139 * 140 / 2));
  });
}

}  // namespace
}  // namespace sennit_test

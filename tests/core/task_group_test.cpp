// task_group: children, groups side by side and inside one another, and what becomes of their exceptions.
#include "support.hpp"

namespace sennit_test {
namespace {

// Catches a group that takes the deque's end for its own because it has come to the same position again: its wait()
// then runs a child twice, and the join around it loses its frame.
TEST(task_group, knows_its_children_after_the_deque_began_anew) {
  under(settings({3, 8}), [](sennit::runtime& rt) {
    std::atomic<int> children{0};
    std::atomic<int> branches{0};
    rt.run([&] {
      sennit::task_group group;
      beacon taken;
      group.spawn([&] {
        ++children;
        taken.light();
      });
      taken.await();
      lose_all_frames();
      sennit::join([&] { group.wait(); }, [&] { ++branches; });
    });
    EXPECT_EQ(children, 1);
    EXPECT_EQ(branches, 1);
  });
}

// The same with spawn(): the child pushed there lies on the join's frame.
TEST(task_group, spawns_in_order_after_the_deque_began_anew) {
  under(settings({3, 8}), [](sennit::runtime& rt) {
    std::atomic<int> children{0};
    std::atomic<int> branches{0};
    rt.run([&] {
      sennit::task_group group;
      beacon taken;
      group.spawn([&] {
        ++children;
        taken.light();
      });
      taken.await();
      lose_all_frames();
      sennit::join([&] { group.spawn([&] { ++children; }); }, [&] { ++branches; });
      group.wait();
    });
    EXPECT_EQ(children, 2);
    EXPECT_EQ(branches, 1);
  });
}

// Catches two waits for one count of finished children: the inner one, as task_group.hpp allows it to a child that
// runs inside wait(), counts the outer one's stolen child as its own, or waits for ever.
TEST(task_group, child_inside_wait_waits_itself) {
  under(settings({2}), [](sennit::runtime& rt) {
    std::atomic<int> children{0};
    rt.run([&] {
      sennit::task_group group;
      beacon taken;
      beacon waited;
      group.spawn([&] {
        taken.light();
        waited.await();
        ++children;
      });
      taken.await();
      group.spawn([&] {
        group.spawn([&] { ++children; });
        group.wait();
        ++children;
        waited.light();
      });
      group.wait();
    });
    EXPECT_EQ(children, 3);
  });
}

}  // namespace
}  // namespace sennit_test

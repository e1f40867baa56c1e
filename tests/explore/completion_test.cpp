// SPDX-License-Identifier: Apache-2.0
// The real completion: branches that end against a strand that waits for them. Each case explores all orders.
#include "explorer.hpp"
#include "world.hpp"

#include <sennit/detail/fork/completion.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace {

using explore::expect_none;
using explore::program;
using sennit::detail::completion;
using sennit::detail::fiber;

// Branches, and a strand that waits for them. Who is last goes on with the strand, and ends the completion.
struct waiting {
  explicit waiting(std::intptr_t held = 0) : done(std::make_unique<completion>(held)) {}

  void finish(unsigned branch) {
    outcome[branch] = 1;
    end_one();
  }
  void end_one() {
    if (done->finish() == &strand()) go_on();
  }
  // The strand that waits leaves its context to whoever resumes it.
  void await(std::intptr_t branches) {
    context = 1;
    if (done->await(branches, strand())) go_on();
  }
  void go_on() {
    explore::check(context == 1, "the context is saved");
    for (unsigned i = 0; i < branches; ++i) explore::check(outcome[i] == 1, "the outcome is there");
    ++resumed;
    done.reset();
  }
  fiber& strand() { return *reinterpret_cast<fiber*>(this); }

  std::unique_ptr<completion> done;
  unsigned branches = 0;
  int outcome[3] = {};
  int context = 0;
  int resumed = 0;
};

program of_branches(unsigned branches, bool looks_first) {
  auto w = std::make_shared<waiting>();
  w->branches = branches;
  program p;
  p.threads.emplace_back("waits", [w = w.get(), branches, looks_first] {
    if (looks_first && w->done->done(static_cast<std::intptr_t>(branches))) {
      w->context = 1;
      w->go_on();
    } else {
      w->await(static_cast<std::intptr_t>(branches));
    }
  });
  for (unsigned i = 0; i < branches; ++i)
    p.threads.emplace_back("branch" + std::to_string(i), [w = w.get(), i] { w->finish(i); });
  p.at_end = [w] { explore::check(w->resumed == 1, "the strand goes on once"); };
  return p;
}

TEST(Completion, TwoBranches) {
  expect_none(explore::explore([] { return of_branches(2, false); }));
}
TEST(Completion, ThreeBranches) {
  expect_none(explore::explore([] { return of_branches(3, false); }));
}
TEST(Completion, ALookFirst) {
  expect_none(explore::explore([] { return of_branches(2, true); }));
}

// Pieces: who has one to finish expects another one, and hands it to a thread of its own.
TEST(Completion, PiecesAreExpected) {
  expect_none(explore::explore([] {
    auto w = std::make_shared<waiting>(1);
    w->branches = 2;
    auto handed = std::make_shared<std::atomic<int>>(0);
    program p;
    p.threads.emplace_back("waits", [w = w.get(), handed = handed.get()] {
      w->done->expect();
      handed->store(1, std::memory_order_release);
      w->outcome[0] = 1;
      w->await(-1);
    });
    p.threads.emplace_back("piece", [w = w.get(), handed = handed.get()] {
      explore::wait_until([=] { return handed->load(std::memory_order_acquire) == 1; });
      w->finish(1);
    });
    p.at_end = [w, handed] { explore::check(w->resumed == 1, "the strand goes on once"); };
    return p;
  }));
}

}  // namespace

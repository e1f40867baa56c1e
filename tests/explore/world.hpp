// SPDX-License-Identifier: Apache-2.0
// Workers and what they run, for explored programs: an owner's strand against thieves.
#pragma once

#include "expect.hpp"
#include "fork/answer.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/fork/divisible.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/region.hpp>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace explore {

using sennit::detail::frame;
using sennit::detail::frame_with_state;
using sennit::detail::region_state;
using sennit::detail::runtime_core;
using sennit::detail::wanted;
using sennit::detail::worker;

// Workers, and branches that count how often they ran, in plain memory: who runs one without having it to himself is in a
// data race.
class world {
 public:
  world(unsigned workers, bool fenced, unsigned slots) : core(fenced) {
    region.root = true;
    for (unsigned i = 0; i < workers; ++i) {
      all.push_back(std::make_unique<worker>(core, slots));
      all.back()->stand_for(i);
    }
  }
  // The worker forks in this program. Sleepers that want to know of its first push are not part of it.
  void owns(unsigned i, bool runs_a_strand = true) {
    worker& w = *all[i];
    w.begin(runs_a_strand ? &region : nullptr);
    const sennit::detail::sleepers& nobody = core.asleep();
    (void)w.frames().open_push_gate(nobody, false, w.at_hand());
    const std::string number = std::to_string(i);
    name(&w.tls().tail, "tail" + number);
    name(&w.tls().limit, "limit" + number);
    name(&w.tls().head_gate, "head_gate" + number);
    name(w.frames().bottom(), "slots" + number);
    name(&w.frames(), "deque" + number);
  }
  int ran(unsigned branch) { return ++count[branch]; }
  void all_ran(unsigned branches) {
    for (unsigned i = 0; i < branches; ++i) check(count[i] == 1, "each branch has run once");
  }

  runtime_core core;
  region_state region;
  std::vector<std::unique_ptr<worker>> all;
  std::array<int, 8> count{};
  std::atomic<int> flag{0};
};

inline void steal(world& w, unsigned victim, unsigned attempts, bool insist = true, const wanted& what = {}) {
  for (unsigned i = 0; i < attempts; ++i) {
    if (frame* const claimed = w.all[victim]->frames().steal(insist, what, worker::current()->at_hand()))
      worker::current()->run(*claimed);
  }
}

// Makes a program of one owner and what thieves do.
struct against {
  bool fenced = false;
  unsigned branches = 2;
  std::function<void(world&)> owner;
  std::vector<std::function<void(world&)>> thieves;
  std::function<void(world&)> prepare = [](world&) {};
  unsigned slots = 8;

  findings explore(const options& limits = {}) const {
    return explore::explore(
        [this] {
          auto w = std::make_shared<world>(1 + static_cast<unsigned>(thieves.size()), fenced, slots);
          w->owns(0);
          prepare(*w);
          program p;
          p.threads.emplace_back("owner", [this, w = w.get()] { owner(*w); });
          for (const auto& thief : thieves) {
            p.threads.emplace_back("thief" + std::to_string(p.threads.size()),
                                   [&thief, w = w.get()] { thief(*w); });
          }
          p.at_end = [this, w] {
            w->all_ran(branches);
            for (const auto& each : w->all) {
              if (each->tls().tail.load() == nullptr) continue;
              check(each->tls().tail.load() == each->frames().bottom(), "the deque is empty");
              check(each->frames().empty(), "the bounds agree");
            }
            // Without thieves, what is asked for comes back at the second fork, and the gates are open again.
            for (int i = 0; i < 2; ++i) sennit::join([] { return 0; }, [] { return 0; });
            const auto& tls = w->all[0]->tls();
            check(tls.limit_beneath.load() != nullptr, "the push gate is open again");
            check(fenced || tls.head_gate_beneath.load() == w->all[0]->frames().bottom(),
                  "the pop gate is open again");
          };
          return p;
        },
        limits);
  }
};

inline std::function<void(world&)> thief(unsigned attempts) {
  return [attempts](world& w) { steal(w, 0, attempts); };
}

// Divisible work of one part, for workers of a color.
class work_of_one : public sennit::detail::divided_work, public sennit::detail::divisible {
 public:
  explicit work_of_one(world& w)
      : divided_work(entry_points), divisible(*static_cast<divided_work*>(this)), part_(w) {}

  // The owner calls it last.
  void run_what_is_left() {
    if (!taken_ || sennit::detail::listed_frames::reclaim(part_)) {
      part_.whole.ran(1);
    } else {
      worker::wait(part_.stolen().done, 1);
    }
  }

 private:
  struct part : frame_with_state {
    explicit part(world& w) : frame_with_state(&run), whole(w) {}
    static sennit::detail::fiber* run(frame& base) noexcept {
      auto& self = static_cast<part&>(base);
      self.whole.ran(1);
      return self.stolen().done.finish();
    }
    world& whole;
  };
  static sennit::detail::taken_part take(divisible& work, sennit::detail::parting) noexcept {
    auto& self = static_cast<work_of_one&>(work);
    if (std::exchange(self.taken_, true)) return {};
    return {.part = &self.part_, .left = sennit::detail::remains::nothing};
  }
  static bool none_left(const divisible& work) noexcept {
    return static_cast<const work_of_one&>(work).taken_;
  }
  static constexpr entries entry_points{&take, &none_left};

  part part_;
  bool taken_ = false;
};

// Work of a color; thieves take nothing that has none of theirs.
inline void work_of_color(world& w) {
  work_of_one work(w);
  {
    const std::lock_guard guard(worker::current()->frames().lock());
    check(worker::current()->frames().admit(work, 2, false), "there is room");
  }
  w.ran(0);
  sennit::detail::slot* const tail = sennit::detail::load_tail() - 1;
  sennit::detail::store_tail(tail);
  if (sennit::detail::pop_gate_shut(tail)) (void)sennit::detail::take_newest(*worker::current());
  work.run_what_is_left();
}
inline std::function<void(world&)> thief_of_color(sennit::detail::color_set color) {
  return [color](world& w) {
    for (int i = 0; i < 2; ++i) {
      if (frame* const claimed =
              w.all[0]->frames().steal(true, {.colors = color}, worker::current()->at_hand())) {
        check(claimed->stolen().colors == 2, "the frame has its colors");
        check(color == 2, "of the thief's color");
        worker::current()->run(*claimed);
      }
    }
  };
}

inline auto loop_of(unsigned iterations, unsigned grain) {
  return [=](world& w) {
    sennit::parallel_for(0U, iterations, [&w](unsigned i) { w.ran(i); }, sennit::grain(grain));
  };
}

// Thieves share what they have cut in turn, from their own deques.
inline void thieves_own_deques(world& w) {
  for (unsigned i = 1; i < w.all.size(); ++i) w.owns(i, false);
}

// For lists; nobody runs it.
class listed_frame : public frame_with_state {
 public:
  listed_frame() : frame_with_state(nullptr) {}
};

}  // namespace explore

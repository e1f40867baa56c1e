// SPDX-License-Identifier: Apache-2.0
// What a splice may do (Lifflander and Krishnamoorthy, 2017, section 5, figures 4 to 6), as a small machine: calls as trees that
// are known beforehand, data as a few cells. It knows nothing of the library.
//
// Of figure 4 only calls, returns and the order of statements matter here: a call is a list of steps and of sequences of
// calls. Figure 5, for any number of threads: a thread that has called something waits for those behind it to get to the
// same depth (I, II); what ends early waits at its end (III, IV); all return together (V). Where the calls of a row use none
// of the same data, the later ones wait as if at their ends: the locality check. Figure 6: a frame stands for all
// that its call does until it calls; then for its parts, and for what follows them. A step that interferes with a frame before
// it leaves the row, with what comes after it in its call, and goes on at any time after these frames have ended.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace semantics {

// Cells that are read, and that are written.
struct accesses {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  bool everything = false;

  bool none() const { return !everything && (reads | writes) == 0; }
  accesses& operator+=(const accesses& other) {
    reads |= other.reads;
    writes |= other.writes;
    everything = everything || other.everything;
    return *this;
  }
  friend bool interfere(const accesses& a, const accesses& b) {
    if (a.everything || b.everything) return !a.none() && !b.none();
    return (a.reads & b.writes) != 0 || (a.writes & b.reads) != 0 || (a.writes & b.writes) != 0;
  }
  friend bool overlap(const accesses& a, const accesses& b) {
    if (a.everything || b.everything) return !a.none() && !b.none();
    return ((a.reads | a.writes) & (b.reads | b.writes)) != 0;
  }
  friend bool contain(const accesses& whole, const accesses& part) {
    if (whole.everything) return true;
    return !part.everything && (part.writes & ~whole.writes) == 0 &&
           (part.reads & ~(whole.reads | whole.writes)) == 0;
  }
};

struct call;

struct step {
  accesses declared;
  accesses real;  // a part of these
  std::uint32_t number = 0;
};

// A step, or a sequence of calls.
struct construct {
  const semantics::step* step = nullptr;
  std::vector<const call*> calls;
  bool last = true;  // else `afterwards` is what may follow
  accesses afterwards;
};

struct call {
  accesses all;
  std::vector<construct> constructs;
  // Of a declared tree, or of a call in a front: its steps may wait although nothing is in their way, for those before them in the
  // tree or the call, and for what lies between the data that others use.
  bool may_wait = false;
};

// One execution of calls, the first of each thread. It either follows an order that was observed, and says what is wrong with
// that, or makes one up.
class execution {
 public:
  using draw = std::function<std::uint64_t()>;

  explicit execution(std::vector<const call*> roots) : calls_(std::move(roots)) {}

  // Whether steps are executed in that order, one after the other, in some execution: "" if so. An order does not say whether
  // a step that comes after released ones waited, too, or was still to come as these were released: both are tried.
  std::string follow(const std::vector<std::uint32_t>& order) {
    order_ = order;
    std::string first;
    for (int tries = 0; tries < most_tries; ++tries) {
      run();
      if (wrong_.empty() && order_.size() != next_)
        blame(order_[next_], "is executed out of its turn, or twice");
      for (const frame& f : frames_) {
        if (wrong_.empty() && f.is != stage::done) wrong_ = "calls have not come to their ends";
      }
      if (wrong_.empty()) return "";
      if (first.empty()) first = wrong_;
      while (!waited_.empty() && waited_.back()) waited_.pop_back();
      if (waited_.empty()) return first;
      waited_.back() = true;
    }
    return first + ", or this search is too long";
  }
  // The choices that are left, of what to release first, by `random`.
  std::vector<std::uint32_t> make_up(draw random) {
    random_ = std::move(random);
    order_.clear();
    run();
    return order_;
  }

 private:
  enum class stage : std::uint8_t { at_construct, open, done };
  struct frame {
    const call* of;
    frame* around;
    std::uint32_t thread;
    std::uint32_t index;
    std::size_t at = 0;  // which construct
    stage is = stage::at_construct;
    bool left = false;  // the row has gone on without it
    std::vector<std::vector<frame*>> parts{};
    std::size_t parts_left = 0;
    const construct& now() const { return of->constructs[at]; }
  };
  using row = std::vector<frame*>;

  frame& load(const call& c, frame* around, std::uint32_t thread, std::uint32_t index) {
    frame& f = frames_.emplace_back(frame{&c, around, thread, index});
    for (const construct& k : c.constructs) {
      std::vector<frame*> parts;
      for (std::uint32_t i = 0; i < k.calls.size(); ++i) parts.push_back(&load(*k.calls[i], &f, thread, i));
      f.parts.push_back(std::move(parts));
      if (k.step != nullptr) {
        if (of_step_.size() <= k.step->number) of_step_.resize(k.step->number + 1);
        of_step_[k.step->number] = &f;
      }
    }
    return f;
  }

  // Figure 6: what a frame stands for. `most`: for everything again once its call goes on after a sequence, as long as nobody
  // says what else is left of it.
  static bool stands_for(const frame& f, const accesses& a, bool most) {
    if (f.is == stage::done) return false;
    if (f.is == stage::at_construct) {
      const accesses* left = &f.of->all;
      for (std::size_t i = 0; i < f.at && !most; ++i) {
        if (f.of->constructs[i].step == nullptr) left = &f.of->constructs[i].afterwards;
      }
      return interfere(*left, a);
    }
    if (most && !f.now().last && interfere(f.of->all, a)) return true;
    for (const frame* part : f.parts[f.at]) {
      if (stands_for(*part, a, most)) return true;
    }
    return !f.now().last && interfere(f.now().afterwards, a);
  }
  // Whether a frame before f stands for something that interferes.
  bool is_in_the_way(const frame& f, const accesses& a, bool most) const {
    for (std::uint32_t t = 0; t < f.thread; ++t) {
      if (stands_for(*roots_[t], a, most)) return true;
    }
    for (const frame* inner = &f; inner->around != nullptr; inner = inner->around) {
      for (const frame* part : inner->around->parts[inner->around->at]) {
        if (part == inner) break;
        if (stands_for(*part, a, most)) return true;
      }
    }
    return false;
  }

  void run() {
    frames_.clear();
    roots_.clear();
    of_step_.clear();
    wrong_.clear();
    next_ = choices_ = 0;
    for (std::uint32_t t = 0; t < calls_.size(); ++t) roots_.push_back(&load(*calls_[t], nullptr, t, 0));
    walk(roots_);
    release();
  }

  // The locality check.
  void walk(const row& calls) {
    row together;
    for (frame* const c : calls) {
      bool shares = together.empty();
      for (const frame* const before : together) shares = shares || overlap(before->of->all, c->of->all);
      if (!shares) walk_together(std::exchange(together, {}));
      together.push_back(c);
    }
    walk_together(together);
  }

  void walk_together(row active) {
    while (!active.empty() && wrong_.empty()) {
      row opened;
      for (frame* const c : active) {
        go_on(*c, active);
        if (c->is == stage::open && !c->left) opened.push_back(c);
      }
      std::size_t most = 0;
      for (const frame* const c : opened) most = std::max(most, c->parts[c->at].size());
      for (std::size_t i = 0; i < most; ++i) {
        row column;
        for (frame* const c : opened) {
          if (i < c->parts[c->at].size()) column.push_back(c->parts[c->at][i]);
        }
        walk(column);
      }
      active.clear();
      for (frame* const c : opened) {
        if (c->parts_left == 0) {
          ++c->at;
          c->is = stage::at_construct;
          active.push_back(c);
        } else {
          c->left = true;
        }
      }
    }
  }

  void go_on(frame& c, const row& peers) {
    for (; wrong_.empty(); ++c.at) {
      if (random_) release();
      if (c.at == c.of->constructs.size()) return end(c);
      if (c.now().step == nullptr) return open(c);
      const semantics::step& s = *c.now().step;
      if (random_ ? is_in_the_way(c, s.declared, true) : !is_next_in_row(c, s)) {
        if (!is_in_the_way(c, s.declared, true) && !waits_with_another(c, s, peers) && !c.of->may_wait) {
          blame(s.number, "is delayed, and nothing is in its way");
        }
        c.left = true;
        return;
      }
      if (!random_) release();
      execute(c, s);
    }
  }
  // Of an order that is followed: whether the step comes next, but for some that have left their rows.
  bool is_next_in_row(const frame& c, const semantics::step& s) {
    std::size_t i = next_;
    for (; i < order_.size() && order_[i] != s.number; ++i) {
      const frame* f = order_[i] < of_step_.size() ? of_step_[order_[i]] : nullptr;
      while (f != nullptr && !f->left) f = f->around;
      if (f == nullptr) return false;
    }
    if (i == order_.size()) return false;
    if (!is_in_the_way(c, s.declared, true)) return true;
    if (choices_ == waited_.size()) waited_.push_back(false);
    return !waited_[choices_++];
  }

  // Section 7, "Splicing multiple threads": it is enough to wait for a step before it that has all its effects.
  static bool waits_with_another(const frame& c, const semantics::step& s, const row& peers) {
    for (const frame* const p : peers) {
      if (p == &c) break;
      if (p->is != stage::done && contain(p->of->all, s.declared)) return true;
    }
    return false;
  }

  void execute(frame& c, const semantics::step& s) {
    if (!random_ && order_[next_] != s.number) return blame(order_[next_], "is executed out of its turn");
    if (is_in_the_way(c, s.declared, false)) {
      blame(s.number, "is executed before something that it interferes with has ended");
    }
    if (random_) order_.push_back(s.number);
    ++next_;
  }

  // What has left its row and is free; in any order.
  void release() {
    if (random_) {
      row free;
      do {
        free.clear();
        for (frame& f : frames_) {
          if (is_released(f) && !is_in_the_way(f, f.now().step->declared, true)) free.push_back(&f);
        }
        if (!free.empty()) execute_released(*free[random_() % free.size()]);
      } while (!free.empty());
      return;
    }
    while (next_ < order_.size() && order_[next_] < of_step_.size() && wrong_.empty()) {
      frame* const f = of_step_[order_[next_]];
      if (f == nullptr || !is_released(*f) || f->now().step->number != order_[next_]) return;
      execute_released(*f);
    }
  }
  bool is_released(const frame& f) const {
    if (f.is != stage::at_construct || f.at == f.of->constructs.size() || f.now().step == nullptr)
      return false;
    bool left = false;
    for (const frame* inner = &f; inner != nullptr; inner = inner->around) {
      left = left || inner->left;
      const frame* const around = inner->around;
      if (around == nullptr) break;
      if (around->is != stage::open) return false;
      const row& parts = around->parts[around->at];
      if (inner->index >= parts.size() || parts[inner->index] != inner) return false;
    }
    return left;
  }
  void execute_released(frame& f) {
    execute(f, *f.now().step);
    ++f.at;
    go_on_released(f);
  }
  void go_on_released(frame& f) {
    if (f.at == f.of->constructs.size()) return end(f);
    if (f.now().step != nullptr) return;
    open(f);
    f.left = true;
    if (f.parts_left == 0) return after_parts(f);
    const std::size_t at = f.at;
    for (frame* const part : f.parts[at]) {
      part->left = true;
      go_on_released(*part);
    }
  }

  void open(frame& f) {
    f.is = stage::open;
    f.parts_left = f.parts[f.at].size();
  }
  void end(frame& f) {
    f.is = stage::done;
    if (f.around == nullptr) return;
    if (--f.around->parts_left == 0 && f.around->left) after_parts(*f.around);
  }
  void after_parts(frame& f) {
    f.is = stage::at_construct;
    ++f.at;
    go_on_released(f);
  }

  void blame(std::uint32_t number, const char* what) {
    if (wrong_.empty()) wrong_ = "step " + std::to_string(number) + " " + what;
  }

  static constexpr int most_tries = 2000;

  std::vector<const call*> calls_;
  std::deque<frame> frames_;
  row roots_;
  std::vector<frame*> of_step_;
  std::vector<std::uint32_t> order_;
  std::size_t next_ = 0;
  draw random_;
  std::vector<bool> waited_;  // the choices made so far
  std::size_t choices_ = 0;
  std::string wrong_;
};

}  // namespace semantics

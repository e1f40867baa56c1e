// SPDX-License-Identifier: Apache-2.0
// Random calls to splice: what they do, and what they declare.
#pragma once

#include "random_regions.hpp"
#include "semantics.hpp"
#include "support.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace sennit_test {

struct random_step : semantics::step {
  sennit::effects fx{};
  std::uint64_t salt = 0;
  bool throws = false;
};

struct random_call : semantics::call {
  enum class kind : std::uint8_t { function, tree, unknown };
  kind how = kind::function;
  sennit::effects fx{};
  // For each construct:
  struct part {
    const random_step* step = nullptr;
    sennit::effects step_fx{};
    bool by_callee = false;                    // a function that is called directly makes it
    bool whole = false;                        // with the effects of the call, not a copy of them
    std::vector<const random_step*> slices{};  // of one step
    std::vector<const random_call*> calls{};
    bool last = true;
    sennit::effects afterwards{};
    bool as_list = false;  // sequence_of
    bool catches = false;
  };
  std::vector<part> parts;
};

struct shape {
  std::uint64_t seed;
  std::uint32_t threads = 4;
  int depth = 3;
  regions_of regions = regions_of::ranges;
  bool trees = false;  // the roots are declared trees
  bool alike = false;  // all threads have the same calls, on neighboring cells
  bool throws = false;
  bool unannotated = true;  // some calls are unknown
  bool sliced = false;      // some steps are done in slices
  bool banded =
      false;           // sweeps over all cells, each of what the one before has written: rows that are forked
  bool rough = false;  // such sweeps, with other neighbors for each of their steps
  bool slow = false;   // steps last long enough for others to be stolen, and share little
  bool wide = false;   // many calls in a list
};

class random_program {
 public:
  explicit random_program(const shape& s) : shape_(s), regions_(s.regions), random_(s.seed) {
    for (std::uint32_t t = 0; t < s.threads; ++t) {
      if (s.alike) random_ = random_numbers(s.seed);  // of the same form in each thread
      thread_ = t;
      roots.push_back(s.banded  ? &sweep(0, 32, s.trees)
                      : s.trees ? &tree(s.depth, accesses{})
                                : &function(s.depth));
      model.push_back(roots.back());
    }
  }
  random_program(const random_program&) = delete;
  random_program& operator=(const random_program&) = delete;

  std::vector<const random_call*> roots;
  std::vector<const semantics::call*> model;
  std::deque<random_step> steps;
  const shape& form() const { return shape_; }

 private:
  accesses some() {
    accesses a;
    if (shape_.alike) {
      // A sweep, of which each thread reads what the one before has written.
      const std::uint64_t width = 1 + random_.below(4);
      const std::uint64_t at = random_.below(28);
      const auto cells = [](std::uint64_t first, std::uint64_t n) {
        return ((std::uint64_t{1} << n) - 1) << first;
      };
      a.writes = cells(at + thread_ % 2 * 32, width);
      a.reads = cells((at == 0 ? 0 : at - 1) + (thread_ + 1) % 2 * 32, width + 2);
      return a;
    }
    if (shape_.slow) {
      a.reads = std::uint64_t{1} << random_.below(64);
      a.writes = random_.one_in(3) ? 0 : std::uint64_t{1} << random_.below(64);
      return a;
    }
    a.reads = random_() & random_() & random_() & random_();
    a.writes = random_() & random_() & random_() & random_() & random_();
    if (random_.one_in(6)) a.writes = 0;
    return a;
  }

  const random_step& make_step(const accesses& declared, const accesses& real) {
    random_step& s = steps.emplace_back();
    s.number = static_cast<std::uint32_t>(steps.size() - 1);
    s.declared = declared;
    s.real = real;
    s.salt = random_();
    s.throws = shape_.throws && s.salt % 24 == 0;
    return s;
  }
  accesses grown(accesses a) {
    if (random_.one_in(4)) a += some();
    return a;
  }

  const random_call& tree(int depth, accesses) {
    random_call& c = calls_.emplace_back();
    c.how = random_call::kind::tree;
    c.may_wait = true;
    if (depth == 0 || random_.one_in(5)) {
      c.all = some();
      random_call::part p;
      p.step = &make_step(c.all, c.all);
      add(c, std::move(p));
    } else {
      random_call::part p;
      p.calls = {&tree(depth - 1, {}), &tree(depth - 1, {})};
      for (const random_call* const part : p.calls) c.all += part->all;
      c.all = grown(c.all);
      add(c, std::move(p));
    }
    c.fx = regions_.effects_of(c.all);
    return c;
  }

  // Of cells [first, last) of one half, from those of the other half and their neighbors.
  const random_call& sweep(int first, int last, bool as_tree) {
    random_call& c = calls_.emplace_back();
    c.how = as_tree ? random_call::kind::tree : random_call::kind::function;
    c.may_wait = as_tree || makes_fronts();
    random_call::part p;
    if (last - first == 1 || (last - first < 4 && random_.one_in(3))) {
      const auto cells = [](int from, int to, std::uint32_t half) {
        return ((std::uint64_t{1} << (std::min(to, 32) - std::max(from, 0))) - 1)
               << (std::max(from, 0) + 32 * half);
      };
      c.all.writes = cells(first, last, thread_ % 2);
      c.all.reads = cells(first - 1, last + 1, (thread_ + 1) % 2);
      if (shape_.rough) {
        const int radius = static_cast<int>(random_.below(5));
        c.all.reads = cells(first - radius, last + radius, (thread_ + 1) % 2);
        if (random_.one_in(12)) c.all.reads |= std::uint64_t{1} << random_.below(64);
        if (random_.one_in(12)) c.all.writes = 0;
      }
      p.step = &make_step(c.all, c.all);
      p.whole = !as_tree && random_.one_in(2);
    } else {
      const int parts = as_tree ? 2 : std::min(last - first, 2 + static_cast<int>(random_.below(2)));
      p.as_list = !as_tree && random_.one_in(2);
      for (int i = 0; i < parts; ++i) {
        p.calls.push_back(&sweep(first + (last - first) * i / parts, first + (last - first) * (i + 1) / parts,
                                 as_tree || (!p.as_list && random_.one_in(4))));
        c.all += p.calls.back()->all;
      }
    }
    add(c, std::move(p));
    c.fx = regions_.effects_of(c.all);
    return c;
  }

  // Nothing is known of it but that it is one step.
  const random_call& unknown() {
    random_call& c = calls_.emplace_back();
    c.how = random_call::kind::unknown;
    c.all.everything = true;
    random_call::part p;
    p.step = &make_step(c.all, some());
    add(c, std::move(p));
    c.fx = sennit::effects::everything();
    return c;
  }

  // Whether regions are plain ranges: rows of functions may then be walked as fronts, in which steps wait for those before them
  // in their call.
  bool makes_fronts() const {
    return shape_.regions == regions_of::ranges || shape_.regions == regions_of::spans ||
           shape_.regions == regions_of::boxes;
  }

  const random_call& function(int depth) {
    random_call& c = calls_.emplace_back();
    c.may_wait = makes_fronts();
    std::vector<random_call::part> parts;
    const std::uint64_t constructs = depth == 0 ? 1 + random_.below(2) : 1 + random_.below(3);
    for (std::uint64_t i = 0; i < constructs; ++i) {
      random_call::part p;
      if (depth == 0 || random_.one_in(3)) {
        const accesses real = some();
        p.step = &make_step(grown(real), real);
        p.by_callee = random_.one_in(8);
        if (shape_.sliced && random_.one_in(2)) {
          p.slices.push_back(std::exchange(p.step, nullptr));
          for (std::uint64_t more = random_.below(4); more > 0; --more) {
            const accesses part = some();
            p.slices.push_back(&make_step(grown(part), part));
          }
          for (const random_step* const slice : p.slices) {
            random_step& s = steps[slice->number];
            s.fx = regions_.effects_of(s.declared);
          }
        }
      } else {
        const std::uint64_t most = !shape_.wide ? 4 : depth > 1 ? 12 : 40;
        const std::uint64_t n = random_.one_in(12) ? 0 : 1 + random_.below(most);
        p.as_list = n == 0 || n > 3 || random_.one_in(4);
        p.catches = shape_.throws && random_.one_in(6);
        for (std::uint64_t k = 0; k < n; ++k) {
          const std::uint64_t draw = p.as_list ? 9 : random_.below(10);
          if (draw == 0 && shape_.unannotated && !shape_.alike) {
            p.calls.push_back(&unknown());
          } else if (draw < 4) {
            p.calls.push_back(&tree(depth - 1, {}));
          } else {
            p.calls.push_back(&function(depth - 1));
          }
        }
      }
      parts.push_back(std::move(p));
      if (parts.back().as_list || !parts.back().slices.empty()) break;  // which say nothing of what follows
    }
    accesses after;
    for (std::size_t i = parts.size(); i-- > 0;) {
      random_call::part& p = parts[i];
      if (p.step != nullptr) {
        after += p.step->declared;
      } else if (!p.slices.empty()) {
        for (const random_step* const slice : p.slices) after += slice->declared;
      } else {
        p.last = i + 1 == parts.size();
        if (!p.last) p.afterwards = regions_.effects_of(after = grown(after));
        afterwards_[&p] = after;
        for (const random_call* const part : p.calls) after += part->all;
      }
    }
    c.all = grown(after);
    c.fx = regions_.effects_of(c.all);
    if (parts.size() == 1 && parts[0].step != nullptr && !parts[0].by_callee && random_.one_in(2)) {
      parts[0].whole = true;
      steps[parts[0].step->number].declared = c.all;
    }
    for (random_call::part& p : parts) {
      const accesses later = afterwards_[&p];
      add(c, std::move(p));
      c.constructs.back().afterwards = later;
    }
    afterwards_.clear();
    return c;
  }

  void add(random_call& c, random_call::part p) {
    semantics::construct k;
    if (p.step != nullptr) {
      p.step_fx = regions_.effects_of(p.step->declared);
      k.step = p.step;
    }
    k.calls.assign(p.calls.begin(), p.calls.end());
    k.last = p.last;
    c.constructs.push_back(std::move(k));
    c.parts.push_back(std::move(p));
  }

  const shape shape_;
  random_regions regions_;
  random_numbers random_;
  std::uint32_t thread_ = 0;
  std::deque<random_call> calls_;
  std::map<const random_call::part*, accesses> afterwards_;
};

}  // namespace sennit_test

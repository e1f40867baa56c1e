// Random calls to splice, and how the library is told of them.
#pragma once

#include "semantics.hpp"
#include "support.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <thread>
#include <variant>
#include <vector>

namespace sennit_test {

using semantics::accesses;

// What regions the effects are said with.
enum class regions_of : std::uint8_t { ranges, masks, hulls, large, boxes, indices, any };
inline constexpr regions_of exact_ones[] = {regions_of::ranges, regions_of::masks, regions_of::hulls,
                                            regions_of::large,  regions_of::boxes, regions_of::indices};

// A user's own: cells as bits.
struct mask_region {
  std::uint64_t cells;
  friend bool interferes(const mask_region& a, const mask_region& b) { return (a.cells & b.cells) != 0; }
  friend bool contains(const mask_region& a, const mask_region& b) { return (b.cells & ~a.cells) == 0; }
};
// The same with an address, and without a test for subsets.
struct hulled_region {
  const std::uint64_t* data;
  std::uint64_t cells;
  friend bool interferes(const hulled_region& a, const hulled_region& b) { return (a.cells & b.cells) != 0; }
  friend sennit::hull hull_of(const hulled_region& r) {
    if (r.cells == 0) return {0, 0};
    const auto first = reinterpret_cast<std::uintptr_t>(r.data + std::countr_zero(r.cells));
    return {first, reinterpret_cast<std::uintptr_t>(r.data + 64 - std::countl_zero(r.cells))};
  }
};
// Too large to be held in place, and with a destructor.
struct large_region {
  std::vector<std::uint64_t> words;
  std::array<std::uint64_t, 8> more{};
  friend bool interferes(const large_region& a, const large_region& b) {
    return (a.words[0] & b.words[0]) != 0;
  }
  friend bool contains(const large_region& a, const large_region& b) {
    return (b.words[0] & ~a.words[0]) == 0;
  }
};

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
};

struct thrown {
  std::uint32_t step;
};

class random_calls {
 public:
  explicit random_calls(const shape& s) : shape_(s), random_(s.seed) {
    for (std::uint32_t t = 0; t < s.threads; ++t) {
      if (s.alike) random_ = random_numbers(s.seed);  // of the same form in each thread
      thread_ = t;
      roots.push_back(s.banded  ? &sweep(0, 32, s.trees)
                      : s.trees ? &tree(s.depth, accesses{})
                                : &function(s.depth));
      model.push_back(roots.back());
    }
  }
  random_calls(const random_calls&) = delete;
  random_calls& operator=(const random_calls&) = delete;

  std::vector<const random_call*> roots;
  std::vector<const semantics::call*> model;
  std::deque<random_step> steps;
  const shape& how() const { return shape_; }

  // A run: the cells, and when each step began and ended.
  struct state {
    std::array<std::uint64_t, 64> cells{};
    std::atomic<std::uint32_t> clock{1};
    std::vector<std::uint32_t> began, ended;
    std::vector<std::atomic<std::uint32_t>> runs;
  };
  std::unique_ptr<state> fresh() const {
    auto s = std::make_unique<state>();
    for (std::size_t i = 0; i < 64; ++i) s->cells[i] = mixed(i);
    s->began.resize(steps.size());
    s->ended.resize(steps.size());
    s->runs = std::vector<std::atomic<std::uint32_t>>(steps.size());
    return s;
  }

  // The plain loop.
  void run_serially(state& s) const {
    for (const random_call* const root : roots) serial(s, *root);
  }
  // Trees only.
  void splice_again(state& s, int times) const {
    running_ = &s;
    sennit::memoized_splice again([this](std::size_t t) { return tree_of(*roots[t]); });
    for (int i = 0; i < times; ++i) again.run(roots.size());
  }
  sennit::splice_report splice(state& s, const sennit::splicing& how) const {
    running_ = &s;
    if (shape_.trees)
      return sennit::splice(how, roots.size(), [this](std::size_t t) { return tree_of(*roots[t]); });
    return sennit::splice(how, roots.size(), [this](std::size_t t) { call(*roots[t]); });
  }
  // As it stands, outside any splice.
  void run_elided(state& s) const {
    running_ = &s;
    for (const random_call* const root : roots) {
      if (shape_.trees) {
        tree_of (*root)();
      } else {
        call(*root);
      }
    }
  }

  // Interfering steps that were not run in the order of the loop: "" if none.
  std::string disorder(const state& s) const {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (std::size_t j = i + 1; j < steps.size(); ++j) {
        if (s.began[i] != 0 && s.began[j] != 0 && interfere(steps[i].real, steps[j].real) &&
            s.ended[i] > s.began[j]) {
          return "step " + std::to_string(j) + " began before step " + std::to_string(i) + " had ended";
        }
      }
    }
    return "";
  }
  std::vector<std::uint32_t> order(const state& s) const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      if (s.began[i] != 0) order.push_back(i);
    }
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return s.began[i]; });
    return order;
  }

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
    c.fx = effects_of(c.all);
    return c;
  }

  // Of cells [first, last) of one half, from those of the other half and their neighbors.
  const random_call& sweep(int first, int last, bool as_tree) {
    random_call& c = calls_.emplace_back();
    c.how = as_tree ? random_call::kind::tree : random_call::kind::function;
    c.may_wait = as_tree;
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
    c.fx = effects_of(c.all);
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

  const random_call& function(int depth) {
    random_call& c = calls_.emplace_back();
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
            s.fx = effects_of(s.declared);
          }
        }
      } else {
        const std::uint64_t n = random_.one_in(12) ? 0 : 1 + random_.below(4);
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
        if (!p.last) p.afterwards = effects_of(after = grown(after));
        afterwards_[&p] = after;
        for (const random_call* const part : p.calls) after += part->all;
      }
    }
    c.all = grown(after);
    c.fx = effects_of(c.all);
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
      p.step_fx = effects_of(p.step->declared);
      k.step = p.step;
    }
    k.calls.assign(p.calls.begin(), p.calls.end());
    k.last = p.last;
    c.constructs.push_back(std::move(k));
    c.parts.push_back(std::move(p));
  }

  sennit::effects effects_of(const accesses& a) {
    if (a.everything) return sennit::effects::everything();
    sennit::effects fx;
    add_regions(fx, a.reads, [](const auto& region) { return sennit::effects(sennit::reads(region)); });
    add_regions(fx, a.writes, [](const auto& region) { return sennit::effects(sennit::writes(region)); });
    return fx;
  }
  template <class Access>
  void add_regions(sennit::effects& fx, std::uint64_t cells, Access access) {
    if (cells == 0) return;
    regions_of which = shape_.regions;
    if (which == regions_of::any) which = exact_ones[mixed(cells) % std::size(exact_ones)];
    // Intervals of cells, of which none crosses the end of a row.
    const auto intervals = [&](int row, auto&& use) {
      for (int first = 0; first < 64;) {
        if ((cells >> first & 1) == 0) {
          ++first;
          continue;
        }
        int last = first + 1;
        while (last < 64 && last % row != 0 && (cells >> last & 1) != 0) ++last;
        use(sennit::range{first, last});
        first = last;
      }
    };
    switch (which) {
      case regions_of::ranges:
        intervals(64, [&](sennit::range r) { fx += access(sennit::memory_range(base(), r)); });
        break;
      case regions_of::masks: fx += access(mask_region{cells}); break;
      case regions_of::hulls: fx += access(hulled_region{base(), cells}); break;
      case regions_of::large: fx += access(large_region{{cells, 1, 2}}); break;
      case regions_of::boxes:
        intervals(8, [&](sennit::range r) {
          const std::int64_t row = r.first / 8;
          fx += access(sennit::memory_box<2>(
              base(), {8}, {sennit::range{row, row + 1}, {r.first - 8 * row, r.last - 8 * row}}));
        });
        break;
      case regions_of::indices: {
        std::vector<std::int32_t>& list = lists_.emplace_back();
        for (std::int32_t i = 0; i < 64; ++i) {
          if ((cells >> i & 1) != 0) list.push_back(i);
        }
        fx += access(sennit::index_set(base(), list));
        break;
      }
      case regions_of::any: break;
    }
  }
  // Of no run in particular: regions are compared, not read.
  const std::uint64_t* base() const { return place_->data(); }

  void execute(state& s, const random_step& step) const {
    const std::uint32_t n = step.number;
    s.began[n] = s.clock.fetch_add(1, std::memory_order_relaxed);
    s.runs[n].fetch_add(1, std::memory_order_relaxed);
    std::uint64_t h = step.salt;
    for (std::uint64_t left = step.real.reads | step.real.writes; left != 0; left &= left - 1) {
      h = mixed(h ^ s.cells[static_cast<std::size_t>(std::countr_zero(left))]);
    }
    // Of different lengths, and now and then somebody else is let in between.
    for (std::uint64_t i = step.salt % (shape_.slow ? 8000 : 32); i > 0; --i)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    if (step.salt % (shape_.slow ? 8 : 64) == 1) std::this_thread::yield();
    for (std::uint64_t left = step.real.writes; left != 0; left &= left - 1) {
      s.cells[static_cast<std::size_t>(std::countr_zero(left))] += mixed(h + left);
    }
    s.ended[n] = s.clock.fetch_add(1, std::memory_order_relaxed);
    if (step.throws) throw thrown{n};
  }

  void serial(state& s, const random_call& c) const {
    for (const random_call::part& p : c.parts) {
      if (p.step != nullptr) {
        execute(s, *p.step);
        continue;
      }
      for (const random_step* const slice : p.slices) execute(s, *slice);
      try {
        for (const random_call* const part : p.calls) serial(s, *part);
      } catch (const thrown&) {
        if (!p.catches) throw;
      }
    }
  }

  // A declared tree over the calls.
  struct tree_part {
    const random_call* at;
    std::int64_t size() const { return at->parts[0].step != nullptr ? 0 : 2; }
    tree_part left() const { return {at->parts[0].calls[0]}; }
    tree_part right() const { return {at->parts[0].calls[1]}; }
  };
  struct part_effects {
    sennit::effects operator()(const tree_part& p) const { return p.at->fx; }
  };
  struct run_part {
    const random_calls* in;
    void operator()(const tree_part& p) const { in->execute(*in->running_, *p.at->parts[0].step); }
  };
  struct run_unknown {
    const random_calls* in;
    const random_call* c;
    void operator()() const { in->execute(*in->running_, *c->parts[0].step); }
  };
  struct run_function {
    const random_calls* in;
    void operator()(const random_call& c) const { in->call(c); }
  };
  using tree_item = sennit::divided<tree_part, part_effects, run_part>;
  using call_item = decltype(sennit::call(std::declval<run_function>(), std::declval<const random_call&>()));
  using item = std::variant<call_item, tree_item, run_unknown>;

  tree_item tree_of(const random_call& c) const { return {{&c}, 1, {}, {this}}; }
  call_item call_of(const random_call& c) const { return sennit::call(run_function{this}, c); }
  item item_of(const random_call& c) const {
    switch (c.how) {
      case random_call::kind::function: return call_of(c);
      case random_call::kind::tree: return tree_of(c);
      case random_call::kind::unknown: break;
    }
    return run_unknown{this, &c};
  }

  struct slices {
    std::span<const random_step* const> of;
    std::int64_t size() const { return static_cast<std::int64_t>(of.size()); }
    friend std::pair<slices, slices> slice(const slices& s) { return {{s.of.first(1)}, {s.of.subspan(1)}}; }
  };

  // The spliced function.
  void call(const random_call& c) const {
    const sennit::call_effects fx(c.fx);
    for (const random_call::part& p : c.parts) {
      if (!p.slices.empty()) {
        sennit::step(
            slices{p.slices},
            [](const slices& s) {
              sennit::effects all;
              for (const random_step* const slice : s.of) all += slice->fx;
              return all;
            },
            [&](const slices& s) { execute(*running_, *s.of.front()); });
      } else if (p.step == nullptr) {
        if (p.catches) {
          try {
            sequence(p);
          } catch (const thrown&) {
          }
        } else {
          sequence(p);
        }
      } else if (p.by_callee) {
        callee(p);
      } else {
        sennit::step(p.whole ? fx : p.step_fx, [&] { execute(*running_, *p.step); });
      }
    }
  }
  void callee(const random_call::part& p) const {
    const sennit::call_effects fx(p.step_fx);
    sennit::step(fx, [&] { execute(*running_, *p.step); });
  }
  void sequence(const random_call::part& p) const {
    if (p.as_list) {
      sennit::sequence_of(p.calls.size(), [&](std::size_t i) { return call_of(*p.calls[i]); });
      return;
    }
    const auto say = [&](const auto&... items) {
      if (p.last) {
        sennit::sequence(items...);
      } else {
        sennit::sequence(sennit::followed_by(p.afterwards), items...);
      }
    };
    switch (p.calls.size()) {
      case 1: return std::visit(say, item_of(*p.calls[0]));
      case 2: return std::visit(say, item_of(*p.calls[0]), item_of(*p.calls[1]));
      default: return std::visit(say, item_of(*p.calls[0]), item_of(*p.calls[1]), item_of(*p.calls[2]));
    }
  }

  const shape shape_;
  random_numbers random_;
  std::uint32_t thread_ = 0;
  std::deque<random_call> calls_;
  std::deque<std::vector<std::int32_t>> lists_;
  std::map<const random_call::part*, accesses> afterwards_;
  std::unique_ptr<std::array<std::uint64_t, 64>> place_ = std::make_unique<std::array<std::uint64_t, 64>>();
  mutable state* running_ = nullptr;
};

}  // namespace sennit_test

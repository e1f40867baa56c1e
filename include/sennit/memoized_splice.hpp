// memoized_splice: a splice that is run again and again, and looks for its order only once.
#pragma once

#include <sennit/detail/splice_log.hpp>
#include <sennit/detail/splice_order.hpp>
#include <sennit/divided.hpp>
#include <sennit/join.hpp>
#include <sennit/region.hpp>
#include <sennit/splice.hpp>
#include <sennit/splice_schedule.hpp>
#include <sennit/worker.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {
namespace detail {

// Steps of trees, in order, and strands between them that run beside one another.
template <class Tree>
class step_list final : public splice_log {
 public:
  using part = typename tree_call<Tree>::part;
  struct step {
    std::uint32_t tree;
    part at;
  };
  struct fork_at {
    std::size_t before;  // so many steps come first
    std::unique_ptr<step_list> left;
    std::unique_ptr<step_list> right;
  };

  explicit step_list(const Tree* trees) noexcept : trees_(trees) {}

  void note(spliced_call& c) override {
    const auto& d = c.template get<typename tree_call<Tree>::data>();
    note(static_cast<std::uint32_t>(d.tree - trees_), &d.at);
  }
  void note(std::uint32_t tree, const void* at) override {
    steps_.push_back({tree, *static_cast<const part*>(at)});
  }
  pair fork() override {
    forks_.push_back(
        {steps_.size(), std::make_unique<step_list>(trees_), std::make_unique<step_list>(trees_)});
    return {*forks_.back().left, *forks_.back().right};
  }

  void run(const Tree* trees) const {
#if SENNIT_EXCEPTIONS
    if (cancel_requested()) [[unlikely]]
      throw cancelled();
#endif
    const step* s = steps_.data();
    for (const fork_at& f : forks_) {
      for (const step* const end = steps_.data() + f.before; s != end; ++s) trees[s->tree].step(s->at);
      join([&] { f.left->run(trees); }, [&] { f.right->run(trees); });
    }
    for (const step* const end = steps_.data() + steps_.size(); s != end; ++s) trees[s->tree].step(s->at);
  }

  std::size_t size() const noexcept {
    std::size_t n = steps_.size();
    for (const fork_at& f : forks_) n += f.left->size() + f.right->size();
    return n;
  }
  // As items of a schedule, in which number(step) is the step's block.
  template <class Number>
  void write(std::vector<splice_item>& to, Number&& number) const {
    std::size_t i = 0;
    const auto write_until = [&](std::size_t end) {
      for (; i < end; ++i) to.push_back({steps_[i].tree, number(steps_[i])});
    };
    for (const fork_at& f : forks_) {
      write_until(f.before);
      to.push_back({splice_item::fork});
      f.left->write(to, number);
      to.push_back({splice_item::second});
      f.right->write(to, number);
      to.push_back({splice_item::both_over});
    }
    write_until(steps_.size());
  }
  // From them, up to the end of the strand, which may be that of all; returns what follows.
  std::span<const splice_item> read(std::span<const splice_item> from,
                                    const std::vector<std::vector<part>>& blocks) {
    while (!from.empty() && (from.front().is_step() || from.front().call == splice_item::fork)) {
      const splice_item item = from.front();
      from = from.subspan(1);
      if (item.is_step()) {
        steps_.push_back({item.call, blocks[item.call][item.block]});
      } else {
        const pair both = fork();
        from = static_cast<step_list&>(both.left).read(from, blocks).subspan(1);
        from = static_cast<step_list&>(both.right).read(from, blocks).subspan(1);
      }
    }
    return from;
  }

  // A few of them, from everywhere.
  template <class Visit>
  void sample(Visit&& visit) const {
    const std::size_t every = steps_.size() / 16 + 1;
    for (std::size_t i = 0; i < steps_.size(); i += every) visit(steps_[i]);
    for (const fork_at& f : forks_) {
      f.left->sample(visit);
      f.right->sample(visit);
    }
  }
  // In an order in which they may have been run.
  template <class Visit>
  void for_each(Visit&& visit) const {
    std::size_t i = 0;
    for (const fork_at& f : forks_) {
      for (; i < f.before; ++i) visit(steps_[i]);
      f.left->for_each(visit);
      f.right->for_each(visit);
    }
    for (; i < steps_.size(); ++i) visit(steps_[i]);
  }

 private:
  const Tree* trees_;  // while steps are noted
  std::vector<step> steps_;
  std::vector<fork_at> forks_;
};

// Of the trees' roots, and of some of the steps.
template <class Tree>
std::uint64_t fingerprint(const std::vector<Tree>& trees, const step_list<Tree>& steps) {
  std::uint64_t h = trees.size();
  const auto mix = [&h](std::uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  };
  for (const Tree& t : trees) {
    mix(static_cast<std::uint64_t>(t.block));
    mix(static_cast<std::uint64_t>(t.all.size()));
    mix(t.effects_of(t.all).fingerprint());
  }
  steps.sample([&](const auto& s) { mix(trees[s.tree].effects_of(s.at).fingerprint()); });
  return h;
}

}  // namespace detail

// A splice() of declared trees that is run often: the order of the steps is found the first time, and followed from then on,
// without any checks. Before each run the effects of the trees and of some of their steps are compared with those of
// the first; where they differ, or the runtime has other workers, the order is found anew.
//
// The order can be saved, and loaded by another run of the same program: splice_schedule.
//
// Precondition: a tree's effects are the same in each run, or differ in the addresses that the regions of the whole tree span
// (hull_of). What else may change (the indices in an index_set, the order below a subtree, a region of one's own without
// hull_of) is not noticed: use a new memoized_splice then.
//
// Body: as of splice(); returns a divided tree. The same one each time, or one of the same type. Not thread-safe. run() throws
// as splice(); where it follows an order, the first exception in that order, and the steps behind it in its strand are not run.
// Cost: for each step about a nanosecond and, kept until the end, the part and 8 bytes.
//
// Example:
//   #include <sennit/data_regions.hpp>
//
//   #include <vector>
//
//   void smooth(std::vector<double> (&u)[2], int hundreds) {
//     const sennit::range inner{1, static_cast<std::int64_t>(u[0].size()) - 1};
//     sennit::memoized_splice twenty([&](int t) {
//       double* const out = u[(t + 1) % 2].data();
//       const double* const in = u[t % 2].data();
//       return sennit::divided{inner, 4096,
//                              [=](sennit::range r) {
//                                return sennit::effects(sennit::reads(sennit::memory_range(in, r.grown(1))),
//                                                       sennit::writes(sennit::memory_range(out, r)));
//                              },
//                              [=](sennit::range r) {
//                                for (auto i = r.first; i < r.last; ++i) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
//                              }};
//     });
//     for (int i = 0; i < 5 * hundreds; ++i) twenty.run(20);
//   }
template <class Body>
class memoized_splice {
  using tree = std::invoke_result_t<Body&, int>;
  using part = typename detail::tree_call<tree>::part;

 public:
  explicit memoized_splice(Body body, splicing how = {}) : body_(std::move(body)), how_(how) {}

  template <std::integral N>
    requires detail::is_divided<std::invoke_result_t<Body&, N>>::value
  void run(N n) {
    static_assert(std::is_same_v<std::invoke_result_t<Body&, N>, tree>);
    std::vector<tree> trees;
    trees.reserve(static_cast<std::size_t>(std::max<N>(n, 0)));
    for (N i = 0; i < n; ++i) trees.push_back(body_(i));
    const bool loaded = !trees.empty() && trees.size() == loaded_blocks_.size();
    for (std::size_t i = 0; loaded && i < trees.size(); ++i) {
      if (trees[i].block <= 0) trees[i].block = loaded_blocks_[i];
    }
    const bool choose = n > 0 && !loaded && trees.front().block <= 0;
    detail::choose_blocks(how_, trees, times_);
    auto all = [&] {
      if (wanted_ && !detail::splices_are_checked()) {
        adopt(std::exchange(wanted_, std::nullopt).value(), trees);
      } else if (steps_ == nullptr || detail::splices_are_checked() || worker_count() != workers_ ||
                 too_short_ || !same_shape(trees) || detail::fingerprint(trees, *steps_) != fingerprint_) {
        find(trees);
        return;
      }
      const auto begin = std::chrono::steady_clock::now();
      steps_->run(trees.data());
      const std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - begin;
      if (choose && times_ < most_times &&
          detail::step_is_short(ns.count() * workers_ / static_cast<double>(steps_->size()))) {
        times_ *= 2;
        too_short_ = true;  // the next run finds an order of larger blocks
      }
    };
    detail::in_region(all);
  }

  // The order that run() has found or followed last, and will follow. Parts of the trees are compared with ==. Throws
  // std::logic_error if there is none: before the first run(), and after one that threw.
  // Cost: some tens of nanoseconds a step.
  splice_schedule schedule() const
    requires std::equality_comparable<part>
  {
    if (steps_ == nullptr) detail::refuse_to_save();
    std::vector<detail::block_numbers<part>> numbers(shapes_.begin(), shapes_.end());
    std::vector<std::uint32_t> blocks;
    blocks.reserve(numbers.size());
    for (const auto& of : numbers) blocks.push_back(of.count());
    std::vector<std::int64_t> sizes;
    sizes.reserve(shapes_.size());
    for (const auto& shape : shapes_) sizes.push_back(shape.block);
    std::vector<detail::splice_item> items;
    steps_->write(items, [&](const auto& step) { return numbers[step.tree].take(step.at); });
    return detail::splice_schedule_access::make(found_for_, std::move(blocks), std::move(items),
                                                std::move(sizes));
  }

  // The next run() follows that order instead of finding one, whatever the number of workers; those that come later do as
  // if it had found it. It first looks through all effects, whether this order keeps the steps that interfere in the order
  // of the loop: a schedule that does not fit is never followed, wherever it comes from. run() then throws
  // std::runtime_error that says what does not fit and calls the schedule by `name`, has run nothing, and finds an order of
  // its own the next time. Blocks of trees that do not give a size are of that which they had in the schedule. Cost: some
  // hundred nanoseconds a step, once.
  void follow(splice_schedule s, std::string name = "schedule in memory") {
    loaded_blocks_ = detail::splice_schedule_access::sizes(s);
    wanted_.emplace(wanted{std::move(s), std::move(name)});
  }

  // The same with a file: schedule().save() and splice_schedule::load(), which throw std::runtime_error.
  void save(const std::string& path) const
    requires std::equality_comparable<part>
  {
    schedule().save(path);
  }
  void load(const std::string& path) { follow(splice_schedule::load(path), path); }

 private:
  // Whether the steps kept are parts of these.
  bool same_shape(const std::vector<tree>& trees) const {
    if (trees.size() != shapes_.size()) return false;
    if constexpr (std::equality_comparable<part>) {
      for (std::size_t i = 0; i < trees.size(); ++i) {
        if (trees[i].block != shapes_[i].block || !(trees[i].all == shapes_[i].all)) return false;
      }
    }
    return true;
  }

  struct wanted {
    splice_schedule schedule;
    std::string name;
  };

  // Runs them, too.
  void find(const std::vector<tree>& trees) {
    steps_ = nullptr;
    auto found = std::make_unique<detail::step_list<tree>>(trees.data());
    detail::splice_trees(how_, trees, found.get());
    keep(std::move(found), worker_count(), trees);
  }
  void adopt(const wanted& w, const std::vector<tree>& trees) {
    steps_ = nullptr;
    std::vector<std::int64_t> sizes = std::exchange(loaded_blocks_, {});
    const std::vector<std::vector<part>> blocks = detail::blocks_of(trees);
    detail::check_order(trees, blocks, w.schedule, w.name);
    auto followed = std::make_unique<detail::step_list<tree>>(trees.data());
    followed->read(detail::splice_schedule_access::items(w.schedule), blocks);
    keep(std::move(followed), w.schedule.workers(), trees);
    loaded_blocks_ = std::move(sizes);
  }
  void keep(std::unique_ptr<detail::step_list<tree>> steps, unsigned found_for,
            const std::vector<tree>& trees) {
    fingerprint_ = detail::fingerprint(trees, *steps);
    shapes_.clear();
    for (const tree& t : trees) shapes_.push_back({t.all, t.block});
    workers_ = worker_count();
    found_for_ = found_for;
    too_short_ = false;
    steps_ = std::move(steps);
  }

  Body body_;
  splicing how_;
  std::unique_ptr<detail::step_list<tree>> steps_;
  // What a chosen block is multiplied by, as steps have turned out to be short.
  static constexpr std::int64_t most_times = 1024;
  std::int64_t times_ = 1;
  bool too_short_ = false;
  std::vector<detail::tree_shape<part>> shapes_;  // of the trees whose steps these are
  std::uint64_t fingerprint_ = 0;
  std::vector<std::int64_t> loaded_blocks_;  // for trees that have none
  unsigned workers_ = 0;
  unsigned found_for_ = 0;  // so many workers
  std::optional<wanted> wanted_;
};

}  // namespace sennit

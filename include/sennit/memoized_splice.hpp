// SPDX-License-Identifier: Apache-2.0
// memoized_splice: a splice that runs repeatedly, and finds its order only once.
#pragma once

#include <sennit/detail/splice/order.hpp>
#include <sennit/detail/splice/step_list.hpp>
#include <sennit/detail/splice/step_memory.hpp>
#include <sennit/detail/splice/tree_fingerprint.hpp>
#include <sennit/divided.hpp>
#include <sennit/region.hpp>
#include <sennit/splice.hpp>
#include <sennit/splice_schedule.hpp>
#include <sennit/worker.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {

// A splice() of declared trees that runs often. The first run finds the order of the steps; later runs
// follow that order as long as no effects have changed.
//
// The order can be saved, and another run of the same program can load it: see splice_schedule.
//
// Before each run it checks whether the order is still valid. It compares the effects of all steps with those
// for which the order was found: the addresses that the regions span (hull_of), and their fingerprints
// (fingerprint_of, see data_region), such as the indices in an index_set. If these differ, or the trees'
// parts, or the number of the runtime's workers, the run finds a new order. So the effects may change from
// one run to the next, also those of a single step. They do not change while a run lasts.
//
// Precondition: a region type of the program that refers to data which may change has a fingerprint_of() that
// tells the data apart.
//
// If the trees do not say the size of blocks, and a splice() with a body of the same type has found the best size, the memoized
// splice takes that size. So call splice() a few times first where the best size counts.
//
// Body: as for splice(), but it returns a divided tree, always of the same type. Throws what splice()
// throws. If a run follows an order and steps throw, it throws the first exception in that order, and does
// not run the later steps of that strand. Thread-safety: none. Cost: for each step, that of effects_of() and
// some twenty nanoseconds, divided among the workers, and memory for the step's part and 8 bytes; for an
// index_set, a comparison of all indices.
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
  using made = std::invoke_result_t<Body&, int>;
  static_assert(detail::is_divided<made>::value, "the body of a memoized_splice returns a sennit::divided");
  using tree = detail::spliced_tree_t<made>;
  using part = typename detail::tree_call<tree>::part;

 public:
  explicit memoized_splice(Body body, splicing how = {}) : body_(std::move(body)), how_(how) {}

  // Calls body(0) ... body(n - 1), as splice(n, body) does. Then runs their steps in the known order, or
  // finds an order if none is valid. If a body throws, the trees before it are spliced without an order, and
  // the known order does not change.
  template <std::integral N>
    requires std::invocable<Body&, N>
  void run(N n) {
    static_assert(std::is_same_v<std::invoke_result_t<Body&, N>, made>);
    const std::vector<std::int64_t>& sizes = loaded_blocks_;
    const bool loaded = n > 0 && std::cmp_equal(n, sizes.size());
    bool choose = false;
    const detail::made_trees<made> all_made(
        how_, n, body_, times_,
        [&](made& t, std::size_t i) {
          if (t.block > 0) return;
          if (loaded) t.block = sizes[i];
          choose = choose || !loaded;
        },
        nullptr);
    if (!all_made.all()) {
      all_made.splice(nullptr);
      all_made.rethrow();
    }
    const std::vector<tree>& trees = all_made.trees;
    auto all = [&] {
      // Before any step: what the steps change is for the next run.
      if (wanted_) {
        adopt(std::exchange(wanted_, std::nullopt).value(), trees);
        if (detail::splices_are_checked()) return find(all_made, {});
      } else if (const detail::tree_fingerprint now = fingerprint_of(trees); !fits(trees, now)) {
        return find(all_made, now);
      }
      const auto begin = std::chrono::steady_clock::now();
      steps_->run(trees.data());
      const std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - begin;
      if (!choose) return;
      if (!all_made.are_steps() && times_ < most_times &&
          detail::step_is_short(ns.count() * workers_ / static_cast<double>(steps_->size()))) {
        times_ *= 2;
        too_short_ = true;  // the next run finds an order with larger blocks
      }
      note_size(ns.count() / static_cast<double>(all_made.indices()));
    };
    detail::in_region(all);
  }

  // The order that the last run() found or followed, and that the next one will follow. Parts of the trees
  // are compared with ==. Throws std::logic_error if there is no order: before the first run(), and after a
  // run() that threw while it looked for an order. Cost: some tens of nanoseconds a step.
  splice_schedule schedule() const
    requires std::equality_comparable<part>
  {
    if (steps_ == nullptr) detail::refuse_no_order();
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
                                                std::move(sizes), notes_);
  }

  // From now on, a run() that looks for an order, or that checks one that was loaded, also notes which memory each step
  // touches. A schedule() then has it, and `sennit view splice` says how many bytes come from memory in this order, and how many
  // in that of the loop. Nothing is noted if a region does not say which bytes it has: see memory_runs. Cost: some hundred
  // nanoseconds a step in such a run, and 48 bytes for each region of each step.
  void note_memory(bool on = true) noexcept { notes_memory_ = on; }

  // What the last run() that looked for an order did; all zero after follow(). Runs that follow an order do
  // neither checks nor switches.
  const splice_report& report() const noexcept { return report_; }

  // The next run() follows this order instead of finding one, whatever the number of workers. Later runs
  // treat it as an order that they found. The next run() first checks, with all effects, whether the order
  // keeps interfering steps in the order of the loop. So a schedule that is not valid is never followed,
  // whatever its source. That run() then throws std::runtime_error, which says what does not match and calls
  // the schedule by `name`; it has run no step, and the run() after it finds an order of its own. Trees that
  // do not give the size of blocks get the size in the schedule. Cost: some hundred nanoseconds a step,
  // once.
  void follow(splice_schedule s, std::string name = "schedule in memory") {
    loaded_blocks_ = detail::splice_schedule_access::sizes(s);
    wanted_.emplace(wanted{std::move(s), std::move(name)});
  }

  // The same with a file: as schedule().save() and splice_schedule::load(), which throw std::runtime_error.
  void save(const std::string& path) const
    requires std::equality_comparable<part>
  {
    schedule().save(path);
  }
  void load(const std::string& path) { follow(splice_schedule::load(path), path); }

 private:
  // If effects_of() throws, it throws again in the splice that follows, and there at its place in the order.
  static detail::tree_fingerprint fingerprint_of(const std::vector<tree>& trees) {
    if (detail::splices_are_checked()) return {};
#if SENNIT_EXCEPTIONS
    try {
      return detail::tree_fingerprint(trees);
    } catch (const cancelled&) {
      throw;  // the order stays
    } catch (...) {
      return {};
    }
#else
    return detail::tree_fingerprint(trees);
#endif
  }
  // Whether the order is valid for these trees. The kept parts are shown to no tree before: data to which a
  // part points may no longer exist.
  bool fits(const std::vector<tree>& trees, const detail::tree_fingerprint& now) const {
    return steps_ != nullptr && worker_count() == workers_ && !too_short_ && same_shape(trees) &&
           now.is_same(found_with_);
  }
  // Whether the kept steps are parts of these trees.
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

  // Finds an order, and runs the steps.
  void find(const detail::made_trees<made>& all, const detail::tree_fingerprint& with) {
    const std::vector<tree>& trees = all.trees;
    steps_ = nullptr;
    auto found = std::make_unique<detail::step_list<tree>>(trees.data());
    notes_ = {};
    if (notes_memory_) detail::put_memory_of(trees, notes_);
    report_ = all.splice(found.get());
    if (!too_short_) tried_ = {};  // the trees may be others
    notes_.report = report_;
    notes_.caches = detail::caches_of_splices();
    keep(std::move(found), worker_count(), trees, with);
    put_tried();
  }
  // One index took so long in blocks of the size of these trees.
  void note_size(double ns) {
    tried_.add({shapes_.front().block, ns});
    put_tried();
  }
  void put_tried() noexcept {
    if (tried_.size() <= report_.tried.size()) return;  // what splice() has tried is more
    for (splice_report* const r : {&report_, &notes_.report}) {
      r->tried = tried_;
      r->blocks_tried = tried_.size() > 1 ? static_cast<std::uint32_t>(tried_.size()) : 0;
      r->tries_more = too_short_;
    }
  }
  void adopt(const wanted& w, const std::vector<tree>& trees) {
    steps_ = nullptr;
    report_ = {};
    std::vector<std::int64_t> sizes = std::exchange(loaded_blocks_, {});
    const std::vector<std::vector<part>> blocks = detail::blocks_of(trees, w.schedule, w.name);
    detail::order_check(trees, w.schedule, w.name).run();
    auto followed = std::make_unique<detail::step_list<tree>>(trees.data());
    followed->read(detail::splice_schedule_access::items(w.schedule), blocks);
    keep(std::move(followed), w.schedule.workers(), trees, fingerprint_of(trees));
    notes_ = detail::splice_schedule_access::notes(w.schedule);
    if (notes_memory_) detail::put_memory_of(trees, notes_);
    loaded_blocks_ = std::move(sizes);
  }
  void keep(std::unique_ptr<detail::step_list<tree>> steps, unsigned found_for,
            const std::vector<tree>& trees, const detail::tree_fingerprint& with) {
    found_with_ = with;
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
  splice_report report_;
  detail::splice_notes notes_;  // of the order
  bool notes_memory_ = false;
  // A limit for the factor by which a chosen block grows when steps turn out to be short.
  static constexpr std::int64_t most_times = 1024;
  std::int64_t times_ = 1;
  bool too_short_ = false;
  tried_blocks tried_;                            // sizes with which an order has been followed
  std::vector<detail::tree_shape<part>> shapes_;  // of the trees of these steps
  detail::tree_fingerprint found_with_;
  std::vector<std::int64_t> loaded_blocks_;  // for trees without a size of their own
  unsigned workers_ = 0;
  unsigned found_for_ = 0;  // the number of workers
  std::optional<wanted> wanted_;
};

}  // namespace sennit

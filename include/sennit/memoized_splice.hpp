// memoized_splice: a splice that is run again and again, and looks for its order only once.
#pragma once

#include <sennit/detail/splice/order.hpp>
#include <sennit/detail/splice/step_list.hpp>
#include <sennit/divided.hpp>
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

// A splice() of declared trees that is run often: the order of the steps is found the first time, and
// followed from then on, without any checks.
//
// The order can be saved, and loaded by another run of the same program: splice_schedule.
//
// Before each run it compares what the effects of the whole trees, and of some of their steps (some sixteen
// for each strand), say now with what they said when the order was found: the addresses that the regions span
// (hull_of), and their fingerprint_of (see data_region), such as the indices in an index_set. Where they
// differ, or the trees' parts or the runtime's workers do, the order is found anew.
//
// Precondition: the effects differ in that way, or not at all. A change that shows in none of the trees as a
// whole is not noticed if it is in other steps only; nor is one in a region of one's own that neither address
// nor fingerprint tells, such as in data that it points to. Use a new memoized_splice then.
//
// Body: as of splice(); returns a divided tree. The same one each time, or one of the same type. Not
// thread-safe. run() throws as splice(); where it follows an order, the first exception in that order, and
// the steps behind it in its strand are not run. Cost: for each step about a nanosecond and, kept until the
// end, the part and 8 bytes. For each run, what it compares: of an index_set all indices.
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
  static_assert(detail::is_divided<tree>::value, "the body of a memoized_splice returns a sennit::divided");
  using part = typename detail::tree_call<tree>::part;

 public:
  explicit memoized_splice(Body body, splicing how = {}) : body_(std::move(body)), how_(how) {}

  // As splice(n, body): calls body(0) ... body(n - 1), then does their steps in the order that it has, if
  // that fits, or else finds one. Where a body throws, the trees before it are spliced without an order, and
  // the order stays as it was.
  template <std::integral N>
    requires std::invocable<Body&, N>
  void run(N n) {
    static_assert(std::is_same_v<std::invoke_result_t<Body&, N>, tree>);
    const std::vector<std::int64_t>& sizes = loaded_blocks_;
    const bool loaded = n > 0 && std::cmp_equal(n, sizes.size());
    bool choose = false;
    const detail::made_trees<tree> made(how_, n, body_, times_, [&](tree& t, std::size_t i) {
      if (t.block > 0) return;
      if (loaded) t.block = sizes[i];
      choose = choose || !loaded;
    });
    if (!made.all()) {
      detail::splice_trees(how_, made.trees, nullptr);
      made.rethrow();
    }
    const std::vector<tree>& trees = made.trees;
    auto all = [&] {
      if (wanted_) adopt(std::exchange(wanted_, std::nullopt).value(), trees);
      if (detail::splices_are_checked() || !fits(trees)) {
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

  // The order that run() has found or followed last, and will follow. Parts of the trees are compared with
  // ==. Throws std::logic_error if there is none: before the first run(), and after one that threw while it
  // looked for an order. Cost: some tens of nanoseconds a step.
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
                                                std::move(sizes));
  }

  // The next run() follows that order instead of finding one, whatever the number of workers; those that come
  // later do as if it had found it. It first looks through all effects, whether this order keeps the steps
  // that interfere in the order of the loop: a schedule that does not fit is never followed, wherever it
  // comes from. run() then throws std::runtime_error that says what does not fit and calls the schedule by
  // `name`, has run nothing, and finds an order of its own the next time. Blocks of trees that do not give a
  // size are of that which they had in the schedule. Cost: some hundred nanoseconds a step, once.
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
  // Whether the order is one of these. The parts kept are shown to the trees only if these are as they were:
  // what a part points to may be gone.
  bool fits(const std::vector<tree>& trees) const {
    return steps_ != nullptr && worker_count() == workers_ && !too_short_ && same_shape(trees) &&
           detail::fingerprint_of_roots(trees) == of_roots_ &&
           detail::fingerprint_of_steps(trees, *steps_) == of_steps_;
  }
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
    const std::vector<std::vector<part>> blocks = detail::blocks_of(trees, w.schedule, w.name);
    detail::order_check(trees, w.schedule, w.name).run();
    auto followed = std::make_unique<detail::step_list<tree>>(trees.data());
    followed->read(detail::splice_schedule_access::items(w.schedule), blocks);
    keep(std::move(followed), w.schedule.workers(), trees);
    loaded_blocks_ = std::move(sizes);
  }
  void keep(std::unique_ptr<detail::step_list<tree>> steps, unsigned found_for,
            const std::vector<tree>& trees) {
    of_roots_ = detail::fingerprint_of_roots(trees);
    of_steps_ = detail::fingerprint_of_steps(trees, *steps);
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
  std::uint64_t of_roots_ = 0;
  std::uint64_t of_steps_ = 0;
  std::vector<std::int64_t> loaded_blocks_;  // for trees that have none
  unsigned workers_ = 0;
  unsigned found_for_ = 0;  // so many workers
  std::optional<wanted> wanted_;
};

}  // namespace sennit

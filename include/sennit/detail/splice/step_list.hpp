// SPDX-License-Identifier: Apache-2.0
// Steps of declared trees, in the order in which a splice has run them.
#pragma once

#include <sennit/detail/splice/log.hpp>
#include <sennit/divided.hpp>
#include <sennit/join.hpp>
#include <sennit/region.hpp>
#include <sennit/splice_schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sennit::detail {

// Steps of trees, in order, and between them places where parallel strands begin and end.
template <class Tree>
class step_list final : public splice_log {
 public:
  using part = typename tree_call<Tree>::part;
  struct step {
    std::uint32_t tree;
    part at;
  };
  struct fork_at {
    std::size_t before;  // the number of steps before it
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
    if (stop_requested()) [[unlikely]]
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
  // The steps as items of a schedule, in which number(step) is the step's block.
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
  // Reads items up to the end of a strand, or to the end of all items; returns the items that follow.
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

 private:
  const Tree* trees_;  // while steps are noted
  std::vector<step> steps_;
  std::vector<fork_at> forks_;
};

}  // namespace sennit::detail

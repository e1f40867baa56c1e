// SPDX-License-Identifier: Apache-2.0
// What a run of a graph notes for its trace, if it has one.
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/key_text.hpp>
#include <sennit/detail/graph/node.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sennit::graph {
class trace;
}  // namespace sennit::graph

namespace sennit::detail {

// A computed node. Keys, colors and predecessors are added after the run.
struct node_note {
  node_number node;
  std::uint32_t worker;
  std::uint32_t place;  // of the worker; in a graph with colors
  std::uint64_t begin;  // since the beginning of the run
  std::uint64_t end;
};

SENNIT_EXPORT SENNIT_COLD std::uint64_t trace_now_ns() noexcept;
SENNIT_EXPORT SENNIT_COLD std::uint32_t trace_worker() noexcept;

// Each strand writes its own notes, and adds them to those of the others when it ends.
template <bool Traced>
class graph_tracing {
 public:
  using notes = std::vector<node_note>;
  struct beginning {
    std::uint64_t at = 0;
    std::uint32_t worker = 0;
    std::uint32_t place = 0;
  };

  std::optional<color_kind> places;

  // Nothing may be noted before this call.
  void begin() noexcept {
    on_ = true;
    begun_ = trace_now_ns();
  }
  std::uint64_t begun() const noexcept { return begun_; }
  beginning begin_node(const notes&) const noexcept {
    if (!on_) return {};
    const std::uint32_t worker = trace_worker();
    const std::uint32_t place = places ? color_here(*places) : 0;
    return {.at = trace_now_ns() - begun_, .worker = worker, .place = place};
  }
  void end_node(notes& own, node_number n, const beginning& b) const {
    if (!on_) return;
    own.push_back(
        {.node = n, .worker = b.worker, .place = b.place, .begin = b.at, .end = trace_now_ns() - begun_});
  }
  void leave(notes& own) noexcept {
    if (own.empty()) return;
    const std::lock_guard guard(leaving_);
#if SENNIT_EXCEPTIONS
    try {
      left_.push_back(std::move(own));
    } catch (...) {
      lost_ = true;
    }
#else
    left_.push_back(std::move(own));
#endif
  }
  // Called after the run: returns all notes. Throws std::bad_alloc, also if there was no memory for some of
  // them.
  std::vector<node_note> take() {
    if (lost_) throw_lost();
    std::vector<node_note> all;
    for (const notes& part : left_) all.insert(all.end(), part.begin(), part.end());
    left_.clear();
    return all;
  }

 private:
  SENNIT_COLD static void throw_lost() {
#if SENNIT_EXCEPTIONS
    throw std::bad_alloc();
#endif
  }

  std::uint64_t begun_ = 0;
  bool on_ = false;
  bool lost_ = false;  // under leaving_
  std::mutex leaving_;
  std::vector<notes> left_;  // under leaving_
};

template <>
class graph_tracing<false> {
 public:
  struct notes {};
  struct beginning {};
  static constexpr beginning begin_node(const notes&) noexcept { return {}; }
  static constexpr void end_node(const notes&, node_number, beginning) noexcept {}
  static constexpr void leave(const notes&) noexcept {}
};

// The key as users know it: without the quotes of messages.
template <class Key>
std::string label_of_key(const Key& key) {
  if constexpr (std::convertible_to<const Key&, std::string_view>) {
    return std::string(std::string_view(key));
  } else {
    return text_of_key(key);
  }
}

SENNIT_EXPORT void clear_trace(graph::trace& t) noexcept;

// Makes a trace from notes.
class SENNIT_EXPORT trace_filler {
 public:
  // Sorts the notes by when their nodes began; positions refer to that order.
  trace_filler(graph::trace& to, std::vector<node_note> notes, std::uint64_t length);
  std::size_t size() const noexcept { return notes_.size(); }
  node_number number(std::size_t i) const noexcept { return notes_[i].node; }
  void set_colors(color_kind of, unsigned count);
  void set_failed();
  void set_key(std::size_t i, std::string key);
  void set_colors(std::size_t i, std::vector<std::uint32_t> colors);
  bool wants_predecessors() const noexcept { return !position_.empty(); }
  // Duplicates count once.
  void add_predecessor(std::size_t i, node_number p);
  void finish() noexcept;

 private:
  graph::trace& trace_;
  std::vector<node_note> notes_;
  std::unordered_map<node_number, std::uint32_t> position_;  // empty: no predecessors in this trace
};

}  // namespace sennit::detail

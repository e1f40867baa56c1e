// SPDX-License-Identifier: Apache-2.0
// Graphs whose nodes do next to nothing. --input names a shape, --size says how many nodes it has, --work how many steps a node
// takes beside its own, if more than 1.
//
// Each node adds one and twice the marks of its predecessors to its own mark, a byte. So a mark is odd if its node ran once, and
// right if its predecessors had run before.
//
// A shape tells:
//   prepare(nodes, work)     marks of 0
//   each(f)                  f(key) for all nodes, each after its predecessors
//   predecessors(key)        their keys, a range; nothing is allocated
//   number_of(key), numbers  its number; the numbers, not all of which have to be a node's
//   extents()                of the box that its keys are the points of
//   compute(number)          what the node does
#pragma once

#include "common/loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace graph_nodes {

using number = std::uint32_t;

// Up to N values without an allocation.
template <class T, std::size_t N>
class few {
 public:
  void add(const T& value) { values_[size_++] = value; }
  std::size_t size() const { return size_; }
  const T* begin() const { return values_.data(); }
  const T* end() const { return values_.data() + size_; }

 private:
  std::array<T, N> values_;
  std::size_t size_ = 0;
};

// No step can begin before the last has ended.
SENNIT_BENCH_NOINLINE inline std::uint64_t steps(std::uint64_t value, std::uint64_t count) {
  for (; count != 0; --count) value = (value ^ (value >> 1)) + 0x9e3779b97f4a7c15u;
  return value;
}

class shape {
 public:
  std::uint64_t nodes() const { return nodes_; }
  number numbers() const { return numbers_; }
  std::size_t bytes() const { return marks_.capacity(); }
  // Where the node's mark is, an address that no other node has.
  std::uint8_t* mark(number n) { return marks_.data() + front_ + n; }
  std::uint64_t check() const {
    bench::checksum sum;
    for (const std::uint8_t mark : marks_) sum.add(mark);
    return sum.value();
  }

 protected:
  // `front`: how many marks of 0 lie before the first, for nodes that have fewer predecessors than others.
  void begin(std::uint64_t nodes, std::uint64_t work, std::size_t front, std::uint64_t numbers) {
    nodes_ = nodes;
    work_ = work;
    front_ = front;
    numbers_ = static_cast<number>(numbers);
    marks_.assign(front + numbers, 0);
  }
  void set(number n, unsigned marks_before) {
    if (work_ > 1) marks_before += static_cast<unsigned>(steps(n, work_));
    std::uint8_t& own = *mark(n);
    own = static_cast<std::uint8_t>(own + 2 * marks_before + 1);
  }

 private:
  std::uint64_t nodes_ = 0;
  std::uint64_t work_ = 1;
  std::size_t front_ = 0;
  number numbers_ = 0;
  std::vector<std::uint8_t> marks_;
};

inline std::uint32_t side_of(std::uint64_t nodes) {
  const auto side = static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(nodes))));
  if (std::uint64_t{side} * side != nodes || side < 4)
    bench::program::fail("--size", "must be a square, of 4 at least, for this shape");
  return side;
}

// A square, with edges from the left and from above. One number at the end of each row is nobody's.
class grid : public shape {
 public:
  using key = std::array<std::uint32_t, 2>;

  void prepare(std::uint64_t nodes, std::uint64_t work) {
    side_ = side_of(nodes);
    row_ = side_ + 1;
    begin(nodes, work, row_, std::uint64_t{row_} * side_);
  }
  template <class F>
  void each(F&& f) const {
    for (std::uint32_t i = 0; i < side_; ++i)
      for (std::uint32_t j = 0; j < side_; ++j) f(key{i, j});
  }
  key sink() const { return {side_ - 1, side_ - 1}; }
  std::array<std::uint32_t, 2> extents() const { return {side_, side_}; }
  number number_of(const key& k) const { return k[0] * row_ + k[1]; }
  few<key, 2> predecessors(const key& k) const {
    few<key, 2> found;
    if (k[0] != 0) found.add({k[0] - 1, k[1]});
    if (k[1] != 0) found.add({k[0], k[1] - 1});
    return found;
  }
  void compute(number n) { set(n, unsigned{mark(n)[-1]} + mark(n)[-static_cast<std::ptrdiff_t>(row_)]); }

 private:
  std::uint32_t side_ = 0;
  std::uint32_t row_ = 0;
};

// Keys are the numbers, in an order that they can be computed in, and the last is the sink's.
class numbered : public shape {
 public:
  using key = number;

  template <class F>
  void each(F&& f) const {
    for (number n = 0; n < numbers(); ++n) f(n);
  }
  key sink() const { return numbers() - 1; }
  std::array<number, 1> extents() const { return {numbers()}; }
  number number_of(key k) const { return k; }
};

// As many layers as a layer has nodes. A node has three predecessors in the layer before: the one in its own column, so that
// all are needed, and two of the others by chance. The sink, one node more, has all of the last layer.
class layered : public numbered {
 public:
  void prepare(std::uint64_t nodes, std::uint64_t work) {
    const std::uint32_t width = side_of(nodes);
    begin(nodes, work, 0, nodes + 1);
    if (width == width_) return;
    width_ = width;
    table_.clear();
    table_.reserve(std::size_t{3} * (sink() - width_) + width_);
    bench::random_numbers random(width_);
    for (number n = width_; n < sink(); ++n) {
      const number before = n / width_ * width_ - width_;
      const number column = n % width_;
      const number one = other_than(column, column, random);
      const number two = other_than(column, one, random);
      for (const number c : {column, one, two}) table_.push_back(before + c);
    }
    for (number n = sink() - width_; n < sink(); ++n) table_.push_back(n);
  }
  std::span<const number> predecessors(key k) const {
    if (k < width_) return {};
    return {table_.data() + std::size_t{3} * (k - width_), k == sink() ? width_ : 3};
  }
  std::size_t bytes() const { return shape::bytes() + table_.capacity() * sizeof(number); }
  void compute(number n) {
    unsigned sum = 0;
    for (const number p : predecessors(n)) sum += *mark(p);
    set(n, sum);
  }

 private:
  number other_than(number a, number b, bench::random_numbers& random) const {
    for (;;) {
      const auto c = static_cast<number>(random.below(width_));
      if (c != a && c != b) return c;
    }
  }

  std::uint32_t width_ = 0;
  std::vector<number> table_;
};

class chain : public numbered {
 public:
  void prepare(std::uint64_t nodes, std::uint64_t work) { begin(nodes, work, 1, nodes); }
  std::ranges::iota_view<number, number> predecessors(key k) const {
    return std::views::iota(k == 0 ? number{0} : k - 1, k);
  }
  void compute(number n) { set(n, mark(n)[-1]); }
};

// A chain that knows how far apart on the stack its first and its last node were computed.
class deep_chain : public chain {
 public:
  void compute(number n) {
    if (n == 0) first_ = here();
    if (n == sink()) last_ = here();
    chain::compute(n);
  }
  double stack_kib() const {
    return static_cast<double>(std::max(first_, last_) - std::min(first_, last_)) / 1024;
  }

 private:
  static std::uintptr_t here() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

  std::uintptr_t first_ = 0;
  std::uintptr_t last_ = 0;
};

// A source, all the others but the last, which wait for it, and the last, which waits for those.
class fan : public numbered {
 public:
  void prepare(std::uint64_t nodes, std::uint64_t work) {
    if (nodes < 3) bench::program::fail("--size", "must be 3 at least for a fan");
    begin(nodes, work, 0, nodes);
  }
  std::ranges::iota_view<number, number> predecessors(key k) const {
    return k == sink() ? std::views::iota(number{1}, sink())
                       : std::views::iota(number{0}, k == 0 ? number{0} : number{1});
  }
  void compute(number n) {
    unsigned sum = 0;
    for (const number p : predecessors(n)) sum += *mark(p);
    set(n, sum);
  }
};

// A Way has prepare(shape), not timed, and run(shape).
template <class Shape, class Way>
class kernel {
 public:
  kernel(const bench::program& program, Way& way)
      : program_(program), way_(way), before_(bench::memory_kib("VmRSS:")) {}

  void prepare(std::uint64_t nodes) {
    shape_.prepare(nodes, program_.work());
    way_.prepare(shape_);
  }
  void run() { way_.run(shape_); }
  std::uint64_t check() const { return shape_.check(); }
  std::vector<std::pair<const char*, double>> figures() const {
    const double bytes = (bench::memory_kib("VmHWM:") - before_) * 1024 - static_cast<double>(shape_.bytes());
    std::vector<std::pair<const char*, double>> known{
        {"bytes_per_node", std::max(0.0, bytes) / static_cast<double>(shape_.nodes())}};
    if constexpr (requires { shape_.stack_kib(); }) {
      // With more workers the two may be on different stacks.
      if (program_.workers() == 1) known.emplace_back("stack_kib", shape_.stack_kib());
    }
    return known;
  }

 private:
  const bench::program& program_;
  Way& way_;
  double before_;
  Shape shape_;
};

template <class Way>
int run_with(bench::program& program, Way&& way) {
  using plain_way = std::remove_reference_t<Way>;
  const std::string& input = program.input();
  if (input == "grid") return program.run(kernel<grid, plain_way>(program, way));
  if (input == "layered") return program.run(kernel<layered, plain_way>(program, way));
  if (input == "chain") return program.run(kernel<chain, plain_way>(program, way));
  if (input == "deep-chain") return program.run(kernel<deep_chain, plain_way>(program, way));
  if (input == "fan") return program.run(kernel<fan, plain_way>(program, way));
  bench::program::fail("--input", "must be grid, layered, chain, deep-chain or fan");
}

}  // namespace graph_nodes

// SPDX-License-Identifier: Apache-2.0
#include "gallery/rmat.hpp"

#include "gallery/input_error.hpp"
#include "gallery/splitmix.hpp"

#include <sennit/parallel_for.hpp>
#include <sennit/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace gallery {
namespace {

// Items of pages, handed to the one worker that has the page's bucket at the time: so no two workers write to one page, and
// what they write to at a time is small enough for a cache. They are made and handed out in rounds, so that few of them are
// in memory at once. Which worker does what makes no difference to the order in which a page has its items.
class bucket_rounds {
 public:
  static constexpr std::uint64_t most_bytes = 100 << 20;  // while it is at work

  bucket_rounds(std::size_t pages, sennit::runtime& workers)
      : workers_(workers), buckets_(((pages - 1) >> bits) + 1) {}

  // make(position, put) for all positions below count, which calls put(page, item) at most once; then use(page, item).
  template <class Make, class Use>
  void each(std::uint64_t count, const Make& make, const Use& use) {
    constexpr std::uint64_t round = chunk * chunks;
    std::vector<made_chunk> made(std::min<std::uint64_t>(chunks, (count + chunk - 1) / chunk));
    for (std::uint64_t first = 0; first < count; first += round) {
      const std::uint64_t last = std::min(count, first + round);
      const std::size_t used = (last - first + chunk - 1) / chunk;
      workers_.run([&] {
        sennit::parallel_for(std::size_t{0}, used, [&](std::size_t c) {
          made[c].fill(first + c * chunk, std::min(last, first + (c + 1) * chunk), make, buckets_);
        });
        sennit::parallel_for(std::size_t{0}, buckets_, [&](std::size_t b) {
          for (std::size_t c = 0; c < used; ++c) made[c].each_of(b, use);
        });
      });
    }
  }

 private:
  static constexpr unsigned bits = 16;
  static constexpr std::uint64_t chunk = 1 << 16;
  static constexpr std::size_t chunks = 128;

  struct item {
    std::uint32_t page;
    std::uint32_t value;
  };
  // Items by their buckets.
  class made_chunk {
   public:
    template <class Make>
    void fill(std::uint64_t first, std::uint64_t last, const Make& make, std::size_t buckets) {
      std::vector<item> drawn;
      drawn.reserve(last - first);
      ends_.assign(buckets + 1, 0);
      for (std::uint64_t i = first; i < last; ++i) {
        make(i, [&](std::uint32_t page, std::uint32_t value) {
          drawn.push_back({page, value});
          ++ends_[(page >> bits) + 1];
        });
      }
      std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
      items_.resize(drawn.size());
      // A bucket's end is where it starts until its items are in their places.
      for (const item& one : drawn) items_[ends_[one.page >> bits]++] = one;
    }
    template <class Use>
    void each_of(std::size_t bucket, const Use& use) const {
      const std::size_t last = ends_[bucket];
      for (std::size_t i = bucket == 0 ? 0 : ends_[bucket - 1]; i < last; ++i)
        use(items_[i].page, items_[i].value);
    }

   private:
    std::vector<std::size_t> ends_;
    std::vector<item> items_;
  };

  sennit::runtime& workers_;
  std::size_t buckets_;
};

// How the links are shared out among the pages at one of their ends, where `first` is how likely the first half is.
class page_shares {
 public:
  page_shares(unsigned scale, double first) : scale_(scale), first_(first) {}
  // visit(pages, share): so many pages have that share each, those with the largest share first. Pages are alike that are as
  // often in the second half.
  template <class Visit>
  void each(const Visit& visit) const {
    double pages = 1;
    for (unsigned second = 0; second <= scale_; ++second) {
      visit(pages, std::pow(first_, scale_ - second) * std::pow(1 - first_, second));
      pages *= static_cast<double>(scale_ - second) / (second + 1);
    }
  }
  double largest() const { return std::pow(first_, scale_); }
  // Of so many links from or to one page, those that are no repetitions.
  double distinct(double drawn) const {
    double sum = 0;
    each([&](double pages, double share) { sum += pages * -std::expm1(-drawn * share); });
    return sum;
  }

 private:
  unsigned scale_;
  double first_;
};

// The largest number where the system does not tell.
std::uint64_t free_bytes() {
  std::ifstream memory("/proc/meminfo");
  for (std::string line; std::getline(memory, line);) {
    constexpr std::string_view field = "MemAvailable:";
    if (line.starts_with(field)) return std::strtoull(line.c_str() + field.size(), nullptr, 10) * 1024;
  }
  return UINT64_MAX;
}

}  // namespace

rmat_shape web_shape(unsigned scale) { return {.scale = scale, .drawn = std::uint64_t{16} << scale}; }

rmat_shape twitter_shape(unsigned scale) {
  constexpr double links = 1468365182;
  constexpr double pages_there = 41652230;
  constexpr double most_outgoing = 2997469 / links;
  constexpr double most_incoming = 770155 / links;
  const double pages = std::pow(2.0, scale);
  double drawn = links / pages_there * pages;
  const double wanted = drawn;
  double outgoing = most_outgoing;
  double incoming = most_incoming;
  double from = 0;
  double to = 0;
  // Repetitions are lost, most of them of the first pages: so more is drawn than is wanted, until what is left is right.
  for (int round = 0; round < 200; ++round) {
    from = std::pow(outgoing, 1.0 / scale);
    to = std::pow(incoming, 1.0 / scale);
    const page_shares sources(scale, from);
    const page_shares targets(scale, to);
    double left = 0;
    sources.each([&](double alike, double share) { left += alike * targets.distinct(drawn * share); });
    const double left_outgoing = targets.distinct(drawn * sources.largest()) / left;
    const double left_incoming = sources.distinct(drawn * targets.largest()) / left;
    outgoing = std::min(0.5, outgoing * std::sqrt(most_outgoing / left_outgoing));
    incoming = std::min(0.5, incoming * std::sqrt(most_incoming / left_incoming));
    // Few pages cannot have as many links each, however many are drawn.
    drawn = std::min(4 * wanted, drawn * std::sqrt(wanted / left));
  }
  return {.scale = scale,
          .drawn = static_cast<std::uint64_t>(drawn),
          .both_first = from * to,
          .from_first = from * (1 - to),
          .to_first = (1 - from) * to};
}

page_link rmat_link(const rmat_shape& shape, std::uint64_t seed, std::uint64_t position) {
  constexpr double dice_sides = 1 << 16;
  const auto both = static_cast<std::uint32_t>(shape.both_first * dice_sides);
  const auto from_first = both + static_cast<std::uint32_t>(shape.from_first * dice_sides);
  const auto to_first = from_first + static_cast<std::uint32_t>(shape.to_first * dice_sides);
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t state = splitmix64(splitmix64(seed) + position);
  std::uint64_t dice = 0;
  for (unsigned bit = 0; bit < shape.scale; ++bit) {
    // A number has four dice.
    dice = bit % 4 == 0 ? state = splitmix64(state) : dice >> 16;
    const auto thrown = static_cast<std::uint32_t>(dice & 0xffff);
    from = from << 1 | static_cast<std::uint32_t>(thrown >= from_first);
    to = to << 1 | static_cast<std::uint32_t>((thrown >= both && thrown < from_first) || thrown >= to_first);
  }
  // So that pages with many links are not all at the beginning.
  const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{1} << shape.scale) - 1);
  return {from * 0x9e3779b1U & mask, to * 0x9e3779b1U & mask};
}

std::uint64_t rmat_bytes(const rmat_shape& shape) {
  constexpr std::uint64_t of_page = sizeof(std::size_t) + 2 * sizeof(std::uint32_t);
  return (of_page << shape.scale) + shape.drawn * sizeof(std::uint32_t) + bucket_rounds::most_bytes;
}

link_graph rmat_graph(const rmat_shape& shape, std::uint64_t seed, sennit::runtime& workers) {
  const std::uint64_t needed = rmat_bytes(shape);
  if (const std::uint64_t free = free_bytes(); needed > free) {
    throw input_error("2^" + std::to_string(shape.scale) + " pages with " + std::to_string(shape.drawn) +
                      " links need " + std::to_string(needed >> 20) + " MiB of memory, and " +
                      std::to_string(free >> 20) + " MiB are free: choose a smaller scale");
  }
  link_graph made;
  made.pages = std::size_t{1} << shape.scale;
  made.starts.resize(made.pages + 1);
  made.outgoing.resize(made.pages);
  bucket_rounds rounds(made.pages, workers);
  const auto draw = [&](std::uint64_t i, const auto& put) {
    const auto [from, to] = rmat_link(shape, seed, i);
    if (from != to) put(to, from);
  };
  rounds.each(shape.drawn, draw, [&](std::uint32_t to, std::uint32_t) { ++made.starts[to]; });
  // Where a page's links end; each that is put in its place moves this toward where they start.
  std::partial_sum(made.starts.begin(), made.starts.end(), made.starts.begin());
  made.sources.resize(made.starts.back());
  rounds.each(shape.drawn, draw,
              [&](std::uint32_t to, std::uint32_t from) { made.sources[--made.starts[to]] = from; });

  std::vector<std::uint32_t> kept(made.pages);
  const auto at = [&](std::size_t i) { return made.sources.begin() + static_cast<std::ptrdiff_t>(i); };
  workers.run([&] {
    sennit::parallel_for(std::size_t{0}, made.pages, [&](std::size_t to) {
      const auto first = at(made.starts[to]);
      std::sort(first, at(made.starts[to + 1]));
      kept[to] = static_cast<std::uint32_t>(std::unique(first, at(made.starts[to + 1])) - first);
    });
  });
  // Toward the beginning, so in order.
  std::size_t end = 0;
  for (std::size_t to = 0; to < made.pages; ++to) {
    const auto first = at(made.starts[to]);
    std::copy(first, first + kept[to], at(end));
    made.starts[to] = end;
    end += kept[to];
  }
  made.starts[made.pages] = end;
  made.sources.resize(end);
  rounds.each(
      end, [&](std::uint64_t i, const auto& put) { put(made.sources[i], 0); },
      [&](std::uint32_t from, std::uint32_t) { ++made.outgoing[from]; });
  return made;
}

link_graph graph_of_links(std::size_t pages, const std::vector<page_link>& links) {
  std::vector<std::size_t> starts(pages + 1);
  for (const auto& [from, to] : links) ++starts[to + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint32_t> sources(links.size());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (const auto& [from, to] : links) sources[next[to]++] = from;

  link_graph made;
  made.pages = pages;
  made.outgoing.resize(pages);
  made.starts.reserve(pages + 1);
  made.starts.push_back(0);
  made.sources.reserve(links.size());
  for (std::size_t to = 0; to < pages; ++to) {
    const auto at = [&](std::size_t i) { return sources.begin() + static_cast<std::ptrdiff_t>(i); };
    std::sort(at(starts[to]), at(starts[to + 1]));
    for (std::size_t i = starts[to]; i < starts[to + 1]; ++i) {
      if (sources[i] == to || (i > starts[to] && sources[i] == sources[i - 1])) continue;
      made.sources.push_back(sources[i]);
      ++made.outgoing[sources[i]];
    }
    made.starts.push_back(made.sources.size());
  }
  return made;
}

}  // namespace gallery

// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/fetched_bytes.hpp"

#include "tools/sennit/lru_cache.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace command {
namespace {

using sennit::memory_runs;
using sennit::splice_schedule;

struct place {
  std::uint32_t call;
  std::uint32_t block;
};
std::vector<place> by_splice(const splice_schedule& s) {
  std::vector<place> all;
  for (const splice_schedule::step& step : s.steps()) all.push_back({step.call, step.block});
  return all;
}
std::vector<place> by_loop(const splice_schedule& s) {
  std::vector<place> all;
  for (std::uint32_t call = 0; call < s.blocks().size(); ++call) {
    for (std::uint32_t block = 0; block < s.blocks()[call]; ++block) all.push_back({call, block});
  }
  return all;
}

bool is_nothing(const memory_runs& r) { return r.bytes == 0 || r.count[0] == 0 || r.count[1] == 0; }

// Calls what(first, last) for each run that is not empty.
template <class What>
void for_each_run(std::span<const memory_runs> all, What&& what) {
  for (const memory_runs& r : all) {
    if (is_nothing(r)) continue;
    for (std::uint64_t i = 0; i < r.count[0]; ++i) {
      for (std::uint64_t j = 0; j < r.count[1]; ++j) {
        const std::uint64_t first = r.first + i * r.pitch[0] + j * r.pitch[1];
        what(first, first + r.bytes);
      }
    }
  }
}

// Roughly how many lines are used.
double lines_used(const splice_schedule& s, std::uint64_t line) {
  double sum = 0;
  for (const place& p : by_loop(s)) {
    for (const memory_runs& r : s.memory_of(p.call, p.block)) {
      if (is_nothing(r)) continue;
      sum += static_cast<double>(r.count[0]) * static_cast<double>(r.count[1]) *
             (static_cast<double>(r.bytes) / static_cast<double>(line) + 1);
    }
  }
  return sum;
}

// So many uses of lines take some hundredths of a second for each size of the cache.
constexpr double enough_uses = 3e6;
constexpr double most_uses = 2e7;
constexpr std::uint64_t least_line = 64;
constexpr std::uint64_t least_room = 64;  // lines in a cache, at least, if that is possible

// The lines that steps touch have the numbers 0, 1, ... in the order of their addresses.
class touched_lines {
 public:
  touched_lines(const splice_schedule& s, std::uint64_t line) : line_(line) {
    std::vector<stretch> all;
    for (const place& p : by_loop(s)) {
      for_each_run(s.memory_of(p.call, p.block), [&](std::uint64_t first, std::uint64_t last) {
        const stretch now{first / line, (last - 1) / line + 1, 0};
        // Most runs go on where the one before ended.
        if (!all.empty() && now.first >= all.back().first && now.first <= all.back().last) {
          all.back().last = std::max(all.back().last, now.last);
        } else {
          all.push_back(now);
        }
      });
    }
    std::ranges::sort(all, {}, &stretch::first);
    for (const stretch& now : all) {
      if (!stretches_.empty() && now.first <= stretches_.back().last) {
        stretches_.back().last = std::max(stretches_.back().last, now.last);
      } else {
        stretches_.push_back(now);
      }
    }
    for (stretch& now : stretches_) {
      now.number = count_;
      count_ += now.last - now.first;
    }
  }

  std::uint64_t count() const { return count_; }
  // The numbers of the lines that have these bytes.
  std::pair<std::uint32_t, std::uint32_t> of(std::uint64_t first, std::uint64_t last) const {
    const auto after = std::ranges::upper_bound(stretches_, first / line_, {}, &stretch::first);
    const stretch& in = *(after - 1);
    return {static_cast<std::uint32_t>(in.number + first / line_ - in.first),
            static_cast<std::uint32_t>(in.number + (last - 1) / line_ + 1 - in.first)};
  }

 private:
  struct stretch {
    std::uint64_t first;
    std::uint64_t last;
    std::uint64_t number;
  };
  std::uint64_t line_;
  std::uint64_t count_ = 0;
  std::vector<stretch> stretches_;
};

// The uses of lines in the order of the places, from the first line of each to the one after the last.
using uses = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
uses uses_of(const splice_schedule& s, const std::vector<place>& order, const touched_lines& lines) {
  uses all;
  for (const place& p : order) {
    for_each_run(s.memory_of(p.call, p.block),
                 [&](std::uint64_t first, std::uint64_t last) { all.push_back(lines.of(first, last)); });
  }
  return all;
}

std::uint64_t fetched_lines(const uses& all, const touched_lines& lines, std::uint64_t room) {
  const auto count = static_cast<std::uint32_t>(lines.count());
  lru_cache cache(count, static_cast<std::uint32_t>(std::min<std::uint64_t>(room, count)));
  std::uint64_t fetches = 0;
  for (const auto& [first, last] : all) {
    for (std::uint32_t line = first; line < last; ++line) fetches += cache.use(line) ? 1 : 0;
  }
  return fetches;
}

}  // namespace

std::optional<cache_simulation> simulate_caches(const splice_schedule& s, std::uint64_t cache) {
  if (!s.has_memory()) return std::nullopt;
  cache_simulation found;
  found.line = least_line;
  while (lines_used(s, found.line) > enough_uses && found.line * least_room < cache) found.line *= 2;
  if (lines_used(s, found.line) > most_uses) return std::nullopt;

  const touched_lines lines(s, found.line);
  if (lines.count() == 0) return std::nullopt;
  const uses loop = uses_of(s, by_loop(s), lines);
  const uses spliced = uses_of(s, by_splice(s), lines);
  found.data = lines.count() * found.line;
  for (const auto& [first, last] : loop) found.touched += (last - first) * found.line;
  constexpr int steps_down = 4;
  constexpr int steps_up = 4;
  for (int step = -steps_down; step <= steps_up; ++step) {
    const std::uint64_t size = step < 0 ? cache >> -step : cache << step;
    if (step != 0 && size < 4 * found.line) continue;
    const std::uint64_t room = size / found.line;
    found.sizes.push_back({size, fetched_lines(loop, lines, room) * found.line,
                           fetched_lines(spliced, lines, room) * found.line});
    if (step >= 0 && room > lines.count()) break;  // a larger one fetches no less
  }
  return found;
}

footprint footprint_of(const splice_schedule& s) {
  footprint seen;
  std::uint64_t end = 1;
  const auto all = by_loop(s);
  const auto runs_at = [&](const place& p, auto&& what) {
    if (!s.has_memory()) return what(std::uint64_t{p.block}, std::uint64_t{p.block} + 1);
    // Of a box, what is between its runs counts as touched: the picture is coarser than that.
    for (const memory_runs& r : s.memory_of(p.call, p.block)) {
      if (is_nothing(r)) continue;
      what(r.first, r.first + (r.count[0] - 1) * r.pitch[0] + (r.count[1] - 1) * r.pitch[1] + r.bytes);
    }
  };
  for (const place& p : all)
    runs_at(p, [&](std::uint64_t, std::uint64_t last) { end = std::max(end, last); });
  const auto draw = [&](const std::vector<place>& order, std::vector<bool>& to) {
    const auto row_of = [&](std::uint64_t at) {
      return static_cast<std::uint32_t>(static_cast<double>(at) / static_cast<double>(end) * footprint::rows);
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t first = i * footprint::columns / order.size();
      const std::size_t last = std::max(first + 1, (i + 1) * footprint::columns / order.size());
      runs_at(order[i], [&](std::uint64_t from, std::uint64_t to_byte) {
        const std::uint32_t bottom = std::min(row_of(to_byte - 1), footprint::rows - 1);
        for (std::uint32_t row = row_of(from); row <= bottom; ++row) {
          for (std::size_t c = first; c < last; ++c) to[row * footprint::columns + c] = true;
        }
      });
    }
  };
  draw(all, seen.loop);
  draw(by_splice(s), seen.spliced);
  return seen;
}

}  // namespace command

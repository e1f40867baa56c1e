// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/splice_view.hpp"

#include "tools/sennit/fetched_bytes.hpp"
#include "tools/sennit/page.hpp"
#include "tools/sennit/table.hpp"

#include <sennit/detail/splice/step_memory.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace command {
namespace {

constexpr std::string_view moments = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view strand_names = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::size_t most_columns = 72;
constexpr std::size_t most_lines = 64;

std::string plural(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", show_count(count), what, count == 1 ? "" : "s");
}

std::uint32_t most_blocks(const sennit::splice_schedule& s) {
  return s.blocks().empty() ? 0 : *std::max_element(s.blocks().begin(), s.blocks().end());
}

std::string shape_of(const sennit::splice_schedule& s) {
  const std::string calls = plural(s.blocks().size(), "call");
  if (s.blocks().empty()) return calls;
  const std::uint32_t least = *std::min_element(s.blocks().begin(), s.blocks().end());
  const std::uint32_t most = most_blocks(s);
  return least == most ? fmt::format("{} of {}", calls, plural(most, "block"))
                       : fmt::format("{} of {} to {} blocks", calls, show_count(least), show_count(most));
}

// A letter for each place, for as many calls and blocks as fit.
template <class Letter>
std::string drawn(const sennit::splice_schedule& s, const Letter& letter) {
  const std::size_t calls = s.blocks().size();
  const std::size_t lines = std::min(calls, most_lines);
  std::string out;
  for (std::size_t line = 0; line < lines; ++line) {
    const std::size_t call = line * calls / lines;
    const std::size_t blocks = s.blocks()[call];
    const std::size_t columns = std::min<std::size_t>(most_blocks(s), most_columns);
    out += fmt::format("{:>7}  ", call);
    for (std::size_t i = 0; blocks > 0 && i < columns; ++i) out += letter(call, i * blocks / columns);
    out += '\n';
  }
  return out;
}

struct simulated {
  std::uint64_t cache;
  std::optional<cache_simulation> seen;

  const fetched* of_this_cache() const {
    if (!seen) return nullptr;
    const auto same = [&](const fetched& f) { return f.cache == cache; };
    return &*std::find_if(seen->sizes.begin(), seen->sizes.end(), same);
  }
};

simulated simulation_of(const sennit::splice_schedule& s, std::uint64_t cache) {
  if (cache == 0) cache = s.caches().own;
  if (cache == 0 && s.has_memory()) cache = sennit::detail::caches_of_splices().own;
  return {cache, simulate_caches(s, cache)};
}

// Which engine runs what together, in which blocks. Empty if the file does not say it.
std::string headline_of(const sennit::splice_schedule& s) {
  const sennit::splice_report& r = s.report();
  std::string out;
  switch (r.engine) {
    case sennit::splice_engine::none: return out;
    case sennit::splice_engine::wavefront: out = "The wavefront runs"; break;
    case sennit::splice_engine::calls: out = "The splicer runs, call by call,"; break;
    case sennit::splice_engine::in_order:
      return "Each call is one step, and the calls run one after the other.";
    case sennit::splice_engine::checker: return "The effect checker has run the calls one after the other.";
    case sennit::splice_engine::several: out = "Several engines run"; break;
  }
  const auto count = [](std::int64_t n, std::string_view what) {
    return plural(static_cast<std::uint64_t>(n), what);
  };
  out += fmt::format(" {} together", plural(r.together, "call"));
  if (r.tile_rows != 0) {
    out += fmt::format(", in tiles of {} and {}", count(r.tile_rows, "row"), count(r.tile_columns, "column"));
  } else if (r.block != 0) {
    out += fmt::format(", in blocks of {}", show_count(static_cast<std::uint64_t>(r.block)));
  }
  if (r.block_bytes != 0) out += fmt::format(" ({} of data)", show_bytes(r.block_bytes));
  if (r.shift_of_columns != 0) {
    out += fmt::format(", the last of them {} and {} behind the first", count(r.shift, "row"),
                       count(r.shift_of_columns, "column"));
  } else if (r.shift != 0) {
    out += fmt::format(", the last of them {} behind the first", r.tile_rows != 0 ? count(r.shift, "row")
                                                                 : r.shift == 1
                                                                     ? "1 index"
                                                                     : fmt::format("{} indices", r.shift));
  }
  return out + '.';
}

// What is said of the memory, in a sentence or two.
std::string sentence_of(const sennit::splice_schedule& s, const simulated& by) {
  if (s.size() == 0) return {};
  const fetched* const f = by.of_this_cache();
  if (f == nullptr) {
    return s.has_memory()
               ? "The steps touch so many pieces of memory that nobody has counted what comes from memory."
               : "The file does not say which memory each step touches: call note_memory() before run().";
  }
  const double less =
      static_cast<double>(f->loop) / static_cast<double>(std::max<std::uint64_t>(f->spliced, 1));
  return fmt::format(
      "One core with a cache of {} fetches {} in the order of the loop, and {} in this order{}.",
      show_bytes(by.cache), show_bytes(f->loop), show_bytes(f->spliced),
      less < 1.005 ? ": it gains nothing" : fmt::format(", {:.{}f} times less", less, less < 10 ? 2 : 1));
}

std::string remark_of(const simulated& by) {
  if (!by.seen) return {};
  return fmt::format("Simulated with lines of {}, of which the cache keeps those that were used last; as one "
                     "worker runs the steps. They touch "
                     "{} of memory, {} in all.",
                     show_bytes(by.seen->line), show_bytes(by.seen->data), show_bytes(by.seen->touched));
}

}  // namespace

splice_picture picture_of(const sennit::splice_schedule& s) {
  splice_picture p;
  for (const std::uint32_t blocks : s.blocks()) {
    p.turns.emplace_back(blocks);
    p.strands.emplace_back(blocks);
    p.tiles.emplace_back(blocks);
  }
  std::optional<sennit::splice_schedule::step> last;
  for (const sennit::splice_schedule::step& step : s.steps()) {
    if (!last || step.strand != last->strand || step.call <= last->call) ++p.tile_count;
    p.turns[step.call][step.block] = step.turn;
    p.strands[step.call][step.block] = step.strand;
    p.tiles[step.call][step.block] = p.tile_count - 1;
    last = step;
  }
  return p;
}

std::optional<std::int64_t> block_of(const sennit::splice_schedule& s) {
  const std::vector<std::int64_t>& sizes = sennit::detail::splice_schedule_access::sizes(s);
  if (sizes.empty() || sizes.front() <= 0) return std::nullopt;
  if (std::any_of(sizes.begin(), sizes.end(), [&](std::int64_t size) { return size != sizes.front(); }))
    return std::nullopt;
  return sizes.front();
}

std::optional<reuse> reuse_of(const splice_picture& p) {
  std::vector<std::int64_t> distances;
  std::vector<std::uint32_t> plain;
  for (std::size_t call = 1; call < p.turns.size(); ++call) {
    const auto& before = p.turns[call - 1];
    const auto& now = p.turns[call];
    if (before.size() != now.size()) continue;
    for (std::size_t i = 0; i < now.size(); ++i) {
      distances.push_back(static_cast<std::int64_t>(now[i] - before[i]));
      plain.push_back(static_cast<std::uint32_t>(now.size()));
    }
  }
  if (distances.empty()) return std::nullopt;
  const auto middle = static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), distances.begin() + middle, distances.end());
  std::nth_element(plain.begin(), plain.begin() + middle, plain.end());
  return reuse{distances[static_cast<std::size_t>(middle)], plain[static_cast<std::size_t>(middle)]};
}

std::string text(const sennit::splice_schedule& s, std::string_view name, std::uint64_t cache) {
  const splice_picture p = picture_of(s);
  const std::uint64_t length = s.length();
  const std::uint32_t strands = s.strands();
  std::string out = fmt::format("{}: {}, {}, found for {}\n", name, plural(s.size(), "step"), shape_of(s),
                                plural(s.workers(), "worker"));
  if (strands > 1) {
    out += fmt::format("{} strands beside one another, {} in the longest chain\n", strands,
                       plural(length, "step"));
  }
  if (const auto block = block_of(s)) {
    out += fmt::format("blocks of at most {}\n", show_count(static_cast<std::uint64_t>(*block)));
  }
  if (s.size() > 0) {
    out += fmt::format("{}, of {} on average\n", plural(p.tile_count, "tile"),
                       plural(s.size() / p.tile_count, "step"));
  }
  if (const auto r = reuse_of(p)) {
    out += fmt::format("a block is used by the next call after {} (median); call by call, after {}\n",
                       plural(static_cast<std::uint64_t>(r->spliced), "step"), show_count(r->plain));
  }
  if (s.report().engine != sennit::splice_engine::none) out += s.report().text() + '\n';
  const simulated by = simulation_of(s, cache);
  if (s.has_memory()) out += fmt::format("{}\n{}\n", sentence_of(s, by), remark_of(by));
  if (s.size() == 0) return out;
  out += "\nWhen, from 0 to 9 and on to z; calls down, blocks across:\n";
  out += drawn(s, [&](std::size_t call, std::size_t block) {
    return moments[p.turns[call][block] * moments.size() / length];
  });
  if (strands > 1) {
    out += "\nOn which strand:\n";
    out += drawn(s, [&](std::size_t call, std::size_t block) {
      return strand_names[p.strands[call][block] % strand_names.size()];
    });
  }
  return out;
}

namespace {

// Each row as the numbers of columns that are not set and set by turns, as the page draws stretches.
nlohmann::json stretches_of(const std::vector<bool>& all) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::uint32_t row = 0; row < footprint::rows; ++row) {
    nlohmann::json lengths = nlohmann::json::array();
    bool now = false;
    std::uint32_t length = 0;
    for (std::uint32_t c = 0; c < footprint::columns; ++c, ++length) {
      if (all[std::size_t{row} * footprint::columns + c] == now) continue;
      lengths.push_back(std::exchange(length, 0));
      now = !now;
    }
    lengths.push_back(length);
    rows.push_back(std::move(lengths));
  }
  return rows;
}

nlohmann::json memory_of(const sennit::splice_schedule& s, const simulated& by) {
  nlohmann::json memory{{"sentence", sentence_of(s, by)}, {"remark", remark_of(by)}, {"cache", by.cache}};
  if (by.seen) {
    memory["data"] = by.seen->data;
    for (const fetched& f : by.seen->sizes) memory["sizes"].push_back({f.cache, f.loop, f.spliced});
  }
  const footprint seen = footprint_of(s);
  memory["footprint"] = {{"columns", footprint::columns},
                         {"is_of_memory", s.has_memory()},
                         {"loop", stretches_of(seen.loop)},
                         {"spliced", stretches_of(seen.spliced)}};
  return memory;
}

nlohmann::json choices_of(const sennit::splice_schedule& s) {
  const sennit::splice_report& r = s.report();
  if (r.engine == sennit::splice_engine::none) return nullptr;
  nlohmann::json tried = nlohmann::json::array();
  for (const sennit::tried_block& t : r.tried) tried.push_back({t.block, t.ns});
  return {{"headline", headline_of(s)}, {"text", r.text()}, {"block", r.block}, {"tried", std::move(tried)}};
}

}  // namespace

std::string page(const sennit::splice_schedule& s, std::string_view name, std::uint64_t cache) {
  splice_picture p = picture_of(s);
  nlohmann::json data{{"name", name},
                      {"steps", s.size()},
                      {"workers", s.workers()},
                      {"strands", s.strands()},
                      {"length", s.length()}};
  if (const auto r = reuse_of(p)) data["reuse"] = {{"spliced", r->spliced}, {"plain", r->plain}};
  if (const auto block = block_of(s)) data["block"] = *block;
  data["tiles"] = p.tile_count;
  // For each call, and for each of its blocks.
  data["turns"] = std::move(p.turns);
  data["tile_of"] = std::move(p.tiles);
  if (s.strands() > 1) data["strand_of"] = std::move(p.strands);
  data["choices"] = choices_of(s);
  if (s.size() > 0) data["memory"] = memory_of(s, simulation_of(s, cache));
  return page_with(splice_page_template, data);
}

}  // namespace command

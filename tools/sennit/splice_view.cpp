#include "tools/sennit/splice_view.hpp"

#include "tools/sennit/page.hpp"
#include "tools/sennit/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

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

std::string text(const sennit::splice_schedule& s, std::string_view name) {
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

std::string page(const sennit::splice_schedule& s, std::string_view name) {
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
  return page_with(splice_page_template, data);
}

}  // namespace command

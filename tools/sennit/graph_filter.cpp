// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/graph_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <string_view>

namespace command {
namespace {

using sennit::graph::trace;

std::regex compile(const std::string& matching) {
  try {
    return std::regex(matching, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    throw std::runtime_error(fmt::format(
        "--matching '{}' is no regular expression ({}); put a backslash before characters that stand for "
        "themselves, or give the text to --key",
        matching, error.what()));
  }
}

void check(const trace& t, const std::string& file, const graph_filter& filter) {
  if (filter.worker && *filter.worker >= t.workers()) {
    throw std::runtime_error(fmt::format("--worker {}: '{}' has the workers 0 to {}; give one of these",
                                         *filter.worker, file, t.workers() - 1));
  }
  if (filter.color && !t.colors()) {
    throw std::runtime_error(
        fmt::format("--color {}: the graph of '{}' has no colors; leave out --color", *filter.color, file));
  }
  if (filter.color && *filter.color >= t.color_count()) {
    throw std::runtime_error(fmt::format("--color {}: '{}' has the colors 0 to {}; give one of these",
                                         *filter.color, file,
                                         static_cast<std::int64_t>(t.color_count()) - 1));
  }
  if (filter.from && filter.to && *filter.from > *filter.to)
    throw std::runtime_error("--from is later than --to; exchange the two times");
  if (filter.chain && !t.has_predecessors()) {
    throw std::runtime_error(fmt::format("--chain: '{}' does not say which nodes needed which others; {}",
                                         file, how_to_get_predecessors(t)));
  }
}

}  // namespace

const char* const filter_options = "--key, --matching, --worker, --color, --chain, --from and --to";

bool graph_filter::any() const {
  return !key.empty() || !matching.empty() || worker || color || from || to || chain;
}

std::vector<std::uint32_t> select(const trace& t, const std::string& file, const graph_filter& filter,
                                  const std::optional<graph_chain>& chain) {
  check(t, file, filter);
  const std::regex pattern = compile(filter.matching);
  // The standard library's search calls itself for each character.
  constexpr std::size_t most_searched = 4096;
  const auto fits = [&](const trace::node& n) {
    if (filter.worker && n.worker != *filter.worker) return false;
    if (filter.color && std::ranges::find(n.colors, *filter.color) == n.colors.end()) return false;
    if (filter.from && static_cast<double>(n.end.count()) < *filter.from) return false;
    if (filter.to && static_cast<double>(n.begin.count()) > *filter.to) return false;
    if (!filter.key.empty() && n.key.find(filter.key) == std::string::npos) return false;
    const auto end = n.key.begin() + static_cast<std::ptrdiff_t>(std::min(n.key.size(), most_searched));
    return filter.matching.empty() || std::regex_search(n.key.begin(), end, pattern);
  };
  std::vector<bool> considered(t.nodes().size(), !filter.chain);
  if (filter.chain) {
    for (const std::uint32_t i : chain->nodes) considered[i] = true;
  }
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < considered.size(); ++i) {
    if (considered[i] && fits(t.nodes()[i])) found.push_back(i);
  }
  return found;
}

std::string how_to_get_predecessors(const trace& t) {
  return fmt::format(
      "trace the run again with a graph::trace of room for them, such as graph::trace seen({})",
      std::max<std::size_t>(t.nodes().size(), 1));
}

}  // namespace command

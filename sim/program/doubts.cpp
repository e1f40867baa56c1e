// SPDX-License-Identifier: Apache-2.0
#include "program/doubts.hpp"

#include <fmt/format.h>

#include <string_view>

namespace sennit::sim {

std::vector<std::string> sentences_of(const doubts& all, const program& of) {
  std::vector<std::string> sentences;
  const auto say = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) sentences.push_back(fmt::format("{} {}", count, what));
  };
  say(all.unfinished_bodies, "bodies had not ended when the file did. What is known of them is taken as "
                             "sections one after another.");
  if (all.brief_constructs > 0) {
    sentences.push_back(fmt::format(
        "{:.3g} ms of the work are an estimate: {} loops and forks that were too brief to be told one by "
        "one, of "
        "which {} were measured. Their iterations are taken to be equal, and their branches to be serial.",
        static_cast<double>(all.estimated) * 1e-9, all.brief_constructs, all.brief_measured));
  }
  for (const auto& [site, at] : all.held_up_at) {
    const std::string& name = of.site_name(site);
    sentences.push_back(fmt::format(
        "Of the loop{}{}, {} {} longer an iteration than the others, {:.3g} ms more in all: unless these "
        "iterations have more to do, the system ran something else meanwhile, and the span is too long. "
        "Close "
        "everything else and trace again.",
        name.empty() ? "" : " at ", name, at.leaves,
        at.leaves == 1 ? "leaf took more than 8 times" : "leaves took more than 8 times", at.excess_ms));
  }
  say(all.forks_without_right, "forks have no right branch in the file.");
  say(all.loops_without_iterations, "loops lack some of their iterations in the file.");
  say(all.edges_without_node, "edges of graphs are from nodes that the file does not have.");
  say(all.graphs_told_in_part,
      "graphs have too many brief nodes to tell all of them: what comes after the first ones is taken "
      "to be like them.");
  say(all.graphs_like_others,
      "graphs have brief nodes, which are not told: such a graph is taken to be like one whose nodes "
      "are told, at the same place.");
  return sentences;
}

}  // namespace sennit::sim

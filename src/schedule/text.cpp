// SPDX-License-Identifier: Apache-2.0
#include "schedule/text.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

namespace sennit::detail {
namespace {

using kind = steal::kind;

// Deeper nodes get no more indentation. Otherwise a tree as deep as a long recursion would be mostly blanks.
constexpr std::size_t deepest_indent = 40;

std::string name_of(const event& e) {
  return "worker " + std::to_string(e.role) + " (event " + std::to_string(e.sequence) + ")";
}

std::string microseconds(std::uint64_t nanoseconds) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.1f", static_cast<double>(nanoseconds) / 1000);
  return digits;
}

std::string during(const span_of_time& s) {
  if (s.end == 0) return {};
  return ", " + microseconds(s.begin) + " to " + microseconds(s.end) + " us";
}

std::string count(std::size_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

// How many nodes of a graph each worker had.
std::string shares_of(const graph_record& of) {
  std::map<std::uint32_t, std::size_t> by_role;
  for (const graph_record::node& n : of.nodes) ++by_role[n.role];
  std::string shares = " of " + count(of.nodes.size(), "node");
  for (const auto& [role, number] : by_role)
    shares += (role == by_role.begin()->first ? ": " : ", ") + std::to_string(number) + " by worker " +
              std::to_string(role);
  return shares;
}

std::string line_of(const steal& node) {
  std::string line = name_of(node);
  if (node.nodes) line += shares_of(*node.nodes);
  if (node.taken) {
    line +=
        (node.what == kind::fork ? ": right branch by " : ": by ") + name_of(node.begun) + during(node.ran);
  }
  if (node.waited) {
    line += (node.taken ? "; end waits, then " : ": end waits, then ") + name_of(node.resumed) +
            during(node.paused);
  }
  return line;
}

}  // namespace

std::string name_of(const steal& node) {
  const std::string at = std::to_string(node.at);
  switch (node.what) {
    case kind::fork: return "fork " + at + (node.cut > 0 ? " at iteration " + std::to_string(node.cut) : "");
    case kind::child: return "child " + at;
    case kind::wait: return "wait " + at;
    case kind::graph: return "graph " + at;
    case kind::loop: break;
  }
  return "loop " + at + " of " + std::to_string(node.size);
}

std::string text(const steal_tree& tree) {
  std::string out = count(tree.roles, "worker") + ", " + count(steals(tree), "steal") + ", " +
                    count(depth(tree), "level") +
                    (tree.length > 0 ? ", " + microseconds(tree.length) + " us\n" : "\n");
  std::size_t deep = 0;
  walk(
      tree.root,
      [&](const visit& at) {
        out.append(2 * std::min(deep++, deepest_indent), ' ');
        out += line_of(at.node) + "\n";
      },
      [&](const steal&) { --deep; });
  return out;
}

}  // namespace sennit::detail

// cluster FOLDER PROGRAM...: what the ranks of each program did, from their notes FOLDER/PROGRAM.RANK.json: a table, and a page
// FOLDER/index.html.
#include "cluster_template.hpp"
#include "tools/output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;
using stretches = std::vector<std::pair<std::int64_t, std::int64_t>>;

// What overlaps becomes one.
stretches merged(stretches all) {
  std::ranges::sort(all);
  stretches made;
  for (const auto& [begin, end] : all) {
    if (!made.empty() && begin <= made.back().second)
      made.back().second = std::max(made.back().second, end);
    else
      made.emplace_back(begin, end);
  }
  return made;
}

std::int64_t length_of(const stretches& all) {
  std::int64_t sum = 0;
  for (const auto& [begin, end] : all) sum += end - begin;
  return sum;
}

// By the ranks.
std::vector<json> notes_of(const std::string& folder, const std::string& program) {
  std::vector<json> ranks;
  for (;;) {
    const std::string name = fmt::format("{}/{}.{}.json", folder, program, ranks.size());
    if (!std::filesystem::exists(name)) break;
    std::ifstream file(name);
    ranks.push_back(json::parse(file));
  }
  if (ranks.empty()) {
    throw std::runtime_error(fmt::format("{}/{}.0.json: no such file; run {} with --notes {}/{} first",
                                         folder, program, program, folder, program));
  }
  return ranks;
}

// Messages from where and when to where and when. Those of one sender, receiver and tag come in the order in which they were
// sent.
json arrows_of(const std::vector<json>& ranks) {
  struct end {
    std::int64_t tag;
    std::int64_t at;
    std::uint64_t bytes;
  };
  const auto ends = [](const json& messages, std::size_t peer) {
    std::vector<end> found;
    for (const json& m : messages)
      if (m[1] == peer) found.push_back({m[2], m[0], m[3]});
    std::ranges::stable_sort(found, {}, &end::tag);
    return found;
  };
  json arrows = json::array();
  for (std::size_t from = 0; from < ranks.size(); ++from) {
    for (std::size_t to = 0; to < ranks.size(); ++to) {
      const auto sent = ends(ranks[from]["sent"], to);
      const auto received = ends(ranks[to]["received"], from);
      for (std::size_t i = 0; i < std::min(sent.size(), received.size()); ++i)
        arrows.push_back({from, to, sent[i].at, received[i].at, sent[i].bytes});
    }
  }
  return arrows;
}

json page_part(const std::string& program, const std::vector<json>& ranks) {
  json lanes = json::array();
  fmt::print("\n{}\n{:>4} {:>10} {:>9} {:>12} {:>11} {:>7}\n", program, "rank", "computed", "messages",
             "bytes", "computing", "idle");
  std::int64_t length = 1;
  for (const json& rank : ranks) length = std::max(length, rank["length"].get<std::int64_t>());
  for (const json& rank : ranks) {
    const auto computing = merged(rank["computing"]);
    const auto busy = length_of(computing);
    std::uint64_t bytes = 0;
    for (const json& m : rank["sent"]) bytes += m[3].get<std::uint64_t>();
    const double idle = 1 - static_cast<double>(busy) / static_cast<double>(length);
    fmt::print("{:>4} {:>10} {:>9} {:>12} {:>8.1f} ms {:>6.1f}%\n", rank["rank"].get<int>(),
               rank["computing"].size(), rank["sent"].size(), bytes, static_cast<double>(busy) / 1e6,
               100 * idle);
    lanes.push_back({{"computing", computing},
                     {"waiting", merged(rank["waiting"])},
                     {"computed", rank["computing"].size()},
                     {"messages", rank["sent"].size()},
                     {"bytes", bytes},
                     {"busy", busy}});
  }
  return {{"name", program}, {"length", length}, {"lanes", lanes}, {"arrows", arrows_of(ranks)}};
}

std::string page_with(const json& data) {
  std::string made(cluster_template);
  constexpr std::string_view place = "{{data}}";
  return made.replace(made.find(place), place.size(), data.dump());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3)
      throw std::runtime_error("cluster FOLDER PROGRAM...: give the folder with notes, and programs");
    const std::string folder = argv[1];
    json programs = json::array();
    for (const std::string& program : std::vector<std::string>(argv + 2, argv + argc))
      programs.push_back(page_part(program, notes_of(folder, program)));
    const std::string page = folder + "/index.html";
    tools::write_file(page, page_with({{"length", 1}, {"programs", programs}}));
    fmt::print("\n{}: open it in a browser.\n", page);
  } catch (const std::exception& e) {
    fmt::print(stderr, "cluster: {}\n", e.what());
    return 1;
  }
}

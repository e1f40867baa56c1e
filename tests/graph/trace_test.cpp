// SPDX-License-Identifier: Apache-2.0
// Traces: what a run notes of itself, and what becomes of that in files.
#include "support.hpp"

#include <sennit/graph_trace.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using trace = graph::trace;

constexpr int side = 12;
std::vector<int> neighbors(int k) {
  std::vector<int> before;
  if (k % side != 0) before.push_back(k - 1);
  if (k >= side) before.push_back(k - side);
  return before;
}

// The positions of keys in the trace, each of which is there once.
std::map<std::string, std::size_t> positions(const trace& t) {
  std::map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < t.nodes().size(); ++i) at.emplace(t.nodes()[i].key, i);
  EXPECT_EQ(at.size(), t.nodes().size()) << "a node is there twice";
  return at;
}

void expect_in_order(const trace& t) {
  for (std::size_t i = 0; i < t.nodes().size(); ++i) {
    const trace::node& n = t.nodes()[i];
    EXPECT_LE(n.begin, n.end);
    EXPECT_LE(n.end, t.length());
    EXPECT_LT(n.worker, t.workers());
    EXPECT_LE(t.nodes()[i > 0 ? i - 1 : 0].begin, n.begin);
    for (const std::uint32_t p : n.predecessors) EXPECT_LE(t.nodes()[p].end, n.begin);
  }
}

class folder {
 public:
  folder() { path_ = mkdtemp(name_); }
  ~folder() {
    std::remove((path_ + "/file").c_str());
    rmdir(path_.c_str());
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  std::string file() const { return path_ + "/file"; }
  std::string read() const {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& text) const { std::ofstream(file(), std::ios::binary) << text; }

 private:
  char name_[32] = "/tmp/sennit-trace-XXXXXX";
  std::string path_;
};

// Catches: notes of a strand that are lost, nodes that are noted twice, times of the wrong node.
TEST(graph_trace, has_each_node_once_and_what_it_needs) {
  with_workers([] {
    const auto run = [](auto keys) {
      trace seen;
      graph::run(side * side - 1, graph::nodes{.predecessors = neighbors,
                                               .compute = [](int k) { return long{k}; },
                                               .keys = keys,
                                               .trace = &seen});
      const auto at = positions(seen);
      ASSERT_EQ(at.size(), std::size_t{side * side});
      EXPECT_TRUE(seen.has_predecessors());
      EXPECT_FALSE(seen.colors());
      for (int k = 0; k < side * side; ++k) {
        std::vector<std::uint32_t> expected;
        for (const int p : neighbors(k))
          expected.push_back(static_cast<std::uint32_t>(at.at(std::to_string(p))));
        std::ranges::sort(expected);
        EXPECT_EQ(seen.nodes()[at.at(std::to_string(k))].predecessors, expected);
      }
      expect_in_order(seen);
    };
    for (int round = 0; round < 5; ++round) {
      run(graph::dense(side * side));
      run(graph::hashed<>());
    }
  });
}

// Catches: a worker, or a place, that is not the one that the node ran on.
TEST(graph_trace, says_who_computed_a_node_and_where_it_belongs) {
  with_workers([] {
    std::vector<unsigned> by(side * side);
    trace seen;
    const unsigned count = graph::color_count(graph::places::workers);
    graph::run(side * side - 1, graph::nodes{.predecessors = neighbors,
                                             .compute =
                                                 [&](int k) {
                                                   const auto until = std::chrono::steady_clock::now() +
                                                                      std::chrono::microseconds(20);
                                                   while (std::chrono::steady_clock::now() < until) {
                                                   }
                                                   by[static_cast<std::size_t>(k)] = sennit::worker_index();
                                                 },
                                             .color = [](int k) { return k % side == 0 ? -1 : k % 3; },
                                             .coloring = {.of = graph::places::workers},
                                             .trace = &seen});
    EXPECT_EQ(seen.colors(), graph::places::workers);
    EXPECT_EQ(seen.color_count(), count);
    EXPECT_EQ(seen.workers(), sennit::worker_count());
    for (const trace::node& n : seen.nodes()) {
      const int k = std::stoi(n.key);
      EXPECT_EQ(n.worker, by[static_cast<std::size_t>(k)]);
      EXPECT_LT(n.place, count);
      EXPECT_GE(n.end - n.begin, std::chrono::microseconds(20));
      std::vector<std::uint32_t> expected;
      if (k % side != 0 && k % 3 < static_cast<int>(count))
        expected.push_back(static_cast<std::uint32_t>(k % 3));
      EXPECT_EQ(n.colors, expected);
    }
  });
}
TEST(graph_trace, has_the_colors_that_weigh_most) {
  sennit::runtime rt({.workers = 2});
  rt.run([] {
    trace seen;
    const auto weights = [](int) { return std::vector<graph::weighted_color>{{1, 1}, {0, 0.6}, {9, 1}}; };
    graph::run(0, graph::nodes{.predecessors = [](int) { return std::vector<int>(); },
                               .compute = [](int) {},
                               .color = weights,
                               .coloring = {.of = graph::places::workers},
                               .trace = &seen});
    EXPECT_EQ(seen.nodes().at(0).colors, (std::vector<std::uint32_t>{1, 0}));
  });
}

// Catches: a trace that is left as it was, or has nodes that did not come to their ends.
TEST(graph_trace, of_a_run_that_fails) {
  with_workers([] {
    trace seen;
    const auto run = [&](auto before, auto compute) {
      graph::run(
          9,
          graph::nodes{.predecessors = before, .compute = compute, .keys = graph::dense(10), .trace = &seen});
    };
    const auto chain = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; };
    run(chain, [](int) {});
    EXPECT_EQ(seen.nodes().size(), 10U);
    EXPECT_FALSE(seen.failed());
    EXPECT_THROW(run(chain,
                     [](int k) {
                       if (k == 4) throw std::runtime_error("no");
                     }),
                 graph::node_error);
    EXPECT_EQ(positions(seen).size(), 4U);
    EXPECT_TRUE(seen.failed());
    EXPECT_TRUE(trace::from_bytes(seen.to_bytes()) == seen);
    EXPECT_EQ(seen.nodes().back().key, "3");
    expect_in_order(seen);
    EXPECT_THROW(
        run([](int k) { return k == 2 ? std::vector<int>{} : std::vector<int>{k == 3 ? 9 : k - 1, 2}; },
            [](int) {}),
        graph::cycle_error<int>);
    ASSERT_EQ(seen.nodes().size(), 1U);
    EXPECT_EQ(seen.nodes()[0].key, "2");
    EXPECT_TRUE(seen.failed());
    EXPECT_THROW(graph::run(10, graph::nodes{.predecessors = chain,
                                             .compute = [](int) {},
                                             .keys = graph::dense(10),
                                             .trace = &seen}),
                 std::out_of_range);
    EXPECT_TRUE(seen.nodes().empty());
  });
}

TEST(graph_trace, of_more_nodes_than_wanted_has_no_predecessors) {
  trace seen(9);
  const auto run = [&](int sink) {
    graph::run(sink,
               graph::nodes{.predecessors = [](int k) { return std::views::iota(std::max(0, k - 1), k); },
                            .compute = [](int) {},
                            .trace = &seen});
  };
  run(9);
  EXPECT_EQ(seen.nodes().size(), 10U);
  EXPECT_FALSE(seen.has_predecessors());
  EXPECT_TRUE(std::ranges::all_of(seen.nodes(), [](const auto& n) { return n.predecessors.empty(); }));
  run(8);
  EXPECT_TRUE(seen.has_predecessors());
  EXPECT_EQ(seen.nodes().back().predecessors, std::vector<std::uint32_t>{7});
}

TEST(graph_trace, may_be_left_out_at_run_time) {
  trace* none = nullptr;
  const int answer = graph::run(0, graph::nodes{.predecessors = [](int) { return std::vector<int>(); },
                                                .compute = [](int) { return 42; },
                                                .trace = none});
  EXPECT_EQ(answer, 42);
}

TEST(graph_trace, of_functions_behind_pointers) {
  trace seen;
  graph::run(std::string("dinner"), {.predecessors =
                                         [](const std::string& k) {
                                           return k == "dinner" ? std::vector<std::string>{"soup", "soup"}
                                                                : std::vector<std::string>();
                                         },
                                     .compute = [](const std::string&) {},
                                     .trace = &seen});
  ASSERT_EQ(seen.nodes().size(), 2U);
  EXPECT_EQ(seen.nodes()[0].key, "soup");
  EXPECT_EQ(seen.nodes()[1].predecessors, std::vector<std::uint32_t>{0});
}

// A graph of keys with whatever bytes.
trace of_strange_keys(unsigned seed) {
  constexpr std::string_view letters = "\"\\\n n,-\r\xff{}<>\tend ";
  const auto key = [=](unsigned n) {
    std::string text = std::to_string(n) + ":";
    for (unsigned i = 0; i < n % 9; ++i) text += letters[(seed * 7 + n * n + i * 5) % letters.size()];
    return text;
  };
  trace seen;
  graph::run(key(30), graph::nodes{.predecessors =
                                       [=](const std::string& k) {
                                         const auto n = static_cast<unsigned>(std::stoul(k));
                                         return n == 0 ? std::vector<std::string>()
                                                       : std::vector<std::string>{key(n - 1), key(n / 2)};
                                       },
                                   .compute = [](const std::string&) {},
                                   .color = [](const std::string& k) { return std::stoi(k) % 2; },
                                   .trace = &seen});
  EXPECT_EQ(seen.nodes().size(), 31U);
  return seen;
}

TEST(graph_trace, comes_back_from_its_file) {
  const folder here;
  for (unsigned seed = 0; seed < 30; ++seed) {
    const trace seen = of_strange_keys(seed);
    seen.save(here.file());
    EXPECT_TRUE(trace::is_saved_in(here.file()));
    EXPECT_TRUE(trace::load(here.file()) == seen);
    EXPECT_TRUE(trace::from_bytes(seen.to_bytes()) == seen);
  }
  trace().save(here.file());
  EXPECT_TRUE(trace::load(here.file()) == trace());
}

// Catches: a Sennit that cannot read the traces of the one before it.
TEST(graph_trace, of_the_first_version_can_be_read) {
  const std::string text =
      "sennit graph trace 1\nlength 1234567\nworkers 2\ncolors nodes 2\npredecessors 1\nnodes 3\n"
      "0 0 1200 3400 1 - (1, 7)\n1 1 3600 5600 0,1 0 (2, 7)\n0 0 5700 5800 - 0,1 (3, 0)\n";
  const trace seen = trace::from_bytes(std::as_bytes(std::span(std::string_view(text + "end 4213680700\n"))));
  ASSERT_EQ(seen.nodes().size(), 3U);
  EXPECT_FALSE(seen.failed());
  EXPECT_EQ(seen.nodes()[1].key, "(2, 7)");
}

// Catches: a file that is taken for what it is not, or crashes its reader.
TEST(graph_trace, refuses_what_is_damaged_or_foreign) {
  const folder here;
  const auto complaint = [&](const std::string& text) {
    here.write(text);
    return text_of<std::runtime_error>([&] { static_cast<void>(trace::load(here.file())); });
  };
  of_strange_keys(3).save(here.file());
  const std::string whole = here.read();
  for (std::size_t size = 0; size < whole.size(); size += 29)
    EXPECT_THAT(complaint(whole.substr(0, size)), HasSubstr("cannot load the trace '" + here.file()));
  for (std::size_t at = 0; at < whole.size(); at += 13) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_THAT(complaint(damaged), HasSubstr("cannot load the trace '"));
  }
  EXPECT_THAT(complaint(whole + "more"), HasSubstr("checksum"));
  EXPECT_THAT(complaint("something else"), HasSubstr("graph::trace::save()"));
  EXPECT_THAT(complaint("sennit graph trace 3\n"), HasSubstr("format version 3"));
  EXPECT_FALSE(trace::is_saved_in("/no/such/file"));
  EXPECT_THAT(text_of<std::runtime_error>([] { static_cast<void>(trace::load("/no/such/file")); }),
              HasSubstr("cannot load the trace '/no/such/file'"));
  EXPECT_THAT(text_of<std::runtime_error>([] { trace().save("/no/such/file"); }),
              HasSubstr("cannot save the trace '/no/such/file'"));
}

// Strings in DOT: all that is between quotes, of which those with a backslash count as letters.
TEST(graph_trace, is_drawn_as_a_graph) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const trace seen = of_strange_keys(seed);
    std::ostringstream out;
    seen.write_dot(out);
    std::istringstream lines(out.str());
    std::size_t edges = 0;
    std::size_t labels = 0;
    for (std::string line; std::getline(lines, line);) {
      edges += line.find(" -> ") != std::string::npos && line.find('[') == std::string::npos ? 1 : 0;
      const std::size_t label = line.find("[label=\"");
      if (label == std::string::npos) continue;
      std::string key;
      std::size_t at = label + 8;
      for (; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] == '\\') ++at;
        key += line[at - 1] == '\\' && line[at] == 'n' ? '\n' : line[at];
      }
      EXPECT_EQ(key, seen.nodes()[labels++].key);
      EXPECT_THAT(line.substr(at), testing::StartsWith("\""));
    }
    std::size_t expected = 0;
    for (const auto& n : seen.nodes()) expected += n.predecessors.size();
    EXPECT_EQ(labels, seen.nodes().size());
    EXPECT_EQ(edges, expected);
  }
}

}  // namespace
}  // namespace sennit_test

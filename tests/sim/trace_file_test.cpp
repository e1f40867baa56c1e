// SPDX-License-Identifier: Apache-2.0
// Traces of programs: what program they tell of, and files that are not as they should be.
#include "scale/scale.hpp"
#include "scale/spans.hpp"
#include "traces.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace sennit::sim {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr picoseconds us = 1000 * nanosecond;

// The program in letters: time in microseconds; F(left,right); L[iterations:part ...]; S spawn; W wait; G graph.
std::string drawn(const program& p, node_number n) {
  const node& at = p.at(n);
  std::string out;
  const auto all = [&](const char* between) {
    for (const node_number c : p.children(at)) out += (c == p.children(at)[0] ? "" : between) + drawn(p, c);
  };
  switch (at.what) {
    case part::work: return std::to_string(at.time / us);
    case part::wait: return "W";
    case part::spawn: return "S(" + drawn(p, p.children(at)[0]) + ")";
    case part::splice: all(" "); return "I(" + out + ")";
    case part::series: all(" "); return "(" + out + ")";
    case part::fork: all(","); return "F(" + out + ")";
    case part::loop:
      for (const node_number c : p.children(at))
        out += (out.empty() ? "" : " ") + std::to_string(p.at(c).iterations) + ":" + drawn(p, c);
      return "L[" + out + "]";
    case part::graph:
      all(" ");
      for (const program::edge& e : p.edges(at))
        out += " " + std::to_string(e.before) + ">" + std::to_string(e.after);
      return "G(" + out + ")";
  }
  return "?";
}

std::string drawn(const std::vector<std::string>& events) {
  const traced_program t = program_in(events);
  return drawn(t.what, t.what.root());
}

const std::vector<std::string> sample{
    event("region", 1, 0, 100, 100, R"("site":1)"),
    event("fork", 2, 1, 110, 30, R"("site":1,"left":10)"),
    event("right", 3, 2, 120, 20, R"("stolen":1)", 1),
    event("loop", 4, 1, 150, 30, R"("n":10,"site":2)"),
    event("leaf", 5, 4, 150, 20, R"("first":0,"last":5)"),
    event("leaf", 6, 4, 155, 10, R"("first":5,"last":10)", 1),
    event("named", 7, 1, 185, 10, R"("site":2)"),
    event("child", 8, 7, 188, 3, R"("group":1,"at":187)"),
    event("wait", 9, 7, 188, 3, R"("group":1)"),
};

// Catches: work that is counted twice, or lost; a strand that waits, taken for one that works; a branch in the wrong place.
TEST(sim_trace, takes_children_in_nothing_for_work_of_their_own) {
  // Catches: a trace that the library writes and that nobody reads: a group fed by threads that run no strand.
  EXPECT_EQ(
      drawn({event("child", 1, 0, 0, 30, R"("group":1,"at":0)"),
             event("child", 2, 0, 0, 20, R"("group":1,"at":0)", 1), event("loop", 3, 2, 5, 10, R"("n":1)", 1),
             event("leaf", 4, 3, 5, 10, R"("first":0,"last":1)", 1)}),
      "G((30) (5 L[1:10] 5))");
}

TEST(sim_trace, is_the_program_that_ran) {
  EXPECT_EQ(drawn(sample), "(10 F(10,20) 10 L[5:20 5:10] 5 (2 S(3) 1 W 4) 5)");
}

// Catches: a reader that needs a body before what is in it, as those that end last come last in the file.
TEST(sim_trace, has_events_in_any_order) {
  std::vector<std::string> events = sample;
  const std::string expected = drawn(events);
  std::mt19937 random(7);
  for (int i = 0; i < 50; ++i) {
    std::shuffle(events.begin(), events.end(), random);
    EXPECT_EQ(drawn(events), expected);
  }
}

// Catches: constructs of a left branch, of a right one, and of what is around, that are taken for each other's.
TEST(sim_trace, nests_forks_on_both_sides) {
  EXPECT_EQ(drawn({event("region", 1, 0, 0, 20), event("fork", 2, 1, 0, 20, R"("left":10)"),
                   event("fork", 3, 2, 1, 8, R"("left":4)"), event("right", 4, 3, 5, 4),
                   event("right", 5, 2, 10, 10), event("fork", 6, 5, 10, 6, R"("left":2)"),
                   event("right", 7, 6, 12, 3)}),
            "(F((1 F(4,4) 1),(F(2,3) 4)))");
}

// Catches: a child that ran at once, whose time is also taken for its parent's; one elsewhere, whose time is taken from it.
TEST(sim_trace, has_right_branches_that_were_too_brief_to_be_told) {
  // Catches: a program with less in parallel than there was, and a remark on a file that lacks nothing.
  const traced_program t = program_in({event("region", 1, 0, 100, 100, R"("site":1)"),
                                       event("fork", 2, 1, 110, 30, R"("site":1,"left":25)")});
  EXPECT_EQ(drawn(t.what, t.what.root()), "(10 F(25,5) 60)");
  EXPECT_THAT(t.remarks, IsEmpty());
}

TEST(sim_trace, tells_children_that_ran_at_once_from_others) {
  const auto child = [](int worker) {
    return std::vector<std::string>{event("region", 1, 0, 0, 20),
                                    event("child", 2, 1, 5, 10, R"("group":1,"at":4)", worker),
                                    event("wait", 3, 1, 18, 1, R"("group":1)")};
  };
  EXPECT_EQ(drawn(child(0)), "(4 S(10) 1 3 W 1)");
  EXPECT_EQ(drawn(child(1)), "(4 S(10) 14 W 1)");
}

// Catches: work that is counted for two bodies at a time; work of children that were too brief to be told, which is lost where one
// worker ran them while their parent waited.
TEST(sim_trace, counts_each_time_of_a_worker_once) {
  const auto lines = [](const std::string& workers) {
    // The second child ran within the first one, though it was spawned in the region.
    std::vector<std::string> all = trace_lines(
        {event("region", 1, 0, 0, 100), event("child", 2, 1, 20, 40, R"("group":1,"at":4)"),
         event("child", 3, 1, 30, 20, R"("group":2,"at":5)"), event("wait", 4, 1, 10, 80, R"("group":1)")});
    all[0].replace(all[0].find("\"workers\":2"), 11, "\"workers\":" + workers);
    return read(joined(all));
  };
  const traced_program two = program_of(lines("2"));
  EXPECT_EQ(drawn(two.what, two.what.root()), "(4 S((10 10)) 1 S(20) 5 W 10)");
  const traced_program one = program_of(lines("1"));
  EXPECT_EQ(drawn(one.what, one.what.root()), "(4 S((10 10)) 1 S(20) 5 W 10 40)");
}

// Catches: iterations of loops in loops that are lost, or that cannot be cut; a loop without leaves that has no work.
TEST(sim_trace, cuts_leaves_between_their_constructs) {
  EXPECT_EQ(drawn({event("region", 1, 0, 0, 40), event("loop", 2, 1, 0, 40, R"("n":4)"),
                   event("leaf", 3, 2, 0, 40, R"("first":0,"last":4)"),
                   event("loop", 4, 3, 1, 9, R"("n":100)"), event("loop", 5, 3, 11, 9, R"("n":100)"),
                   event("loop", 6, 3, 21, 9, R"("n":100)"), event("loop", 7, 3, 31, 9, R"("n":100)")}),
            "(L[1:(1 L[100:9]) 1:(1 L[100:9]) 1:(1 L[100:9]) 1:(1 L[100:9])])");
}

// Catches: edges of another graph's nodes, or of nodes in another order than that of their ids.
TEST(sim_trace, has_graphs_with_their_edges) {
  EXPECT_EQ(
      drawn({event("region", 1, 0, 0, 20), event("graph", 2, 1, 5, 10), event("node", 9, 2, 5, 1),
             event("node", 4, 2, 7, 2, R"("after":[9])"), event("node", 3, 2, 9, 3, R"("after":[4,9])")}),
      "(5 G(1 2 3 0>1 0>2 1>2) 5)");
}

// Catches: numbers of nodes that are taken for those of another graph, or for ids; edges that another line tells; a graph with
// nodes that are not told, whose work is lost or serial, or that is another one's at another place.
TEST(sim_trace, has_graphs_whose_nodes_are_told_in_part_or_not) {
  const std::string edges =
      R"({"name":"edges","ph":"M","pid":1,"tid":0,"args":{"in":2,"node":1,"then":[2]}})";
  const std::string whole =
      drawn({event("region", 1, 0, 0, 40), event("graph", 2, 1, 5, 4, R"("site":1,"nodes":3)"),
             event("node", 3, 2, 5, 1, R"("node":0,"then":[1])"), event("node", 4, 2, 6, 1, R"("node":1)"),
             edges, event("node", 5, 2, 7, 2, R"("node":2)"), event("graph", 6, 1, 10, 8, R"("site":1)"),
             event("graph", 7, 1, 20, 8, R"("site":2)")});
  EXPECT_EQ(whole, "(5 G(1 1 2 0>1 1>2) 1 G(2 2 4 0>1 1>2) 2 8 12)");
  const std::string in_part =
      drawn({event("region", 1, 0, 0, 40), event("graph", 2, 1, 0, 20, R"("site":1,"nodes":2,"until":4)"),
             event("node", 3, 2, 0, 4, R"("node":0)"), event("node", 4, 2, 0, 4, R"("node":1)", 1),
             event("graph", 5, 1, 20, 20, R"("site":1)")});
  EXPECT_EQ(in_part, "((G(4 4)G(4 4)G(4 4)) (G(4 4)G(4 4) G(2 2)))");
}

// Catches: time in which a strand of a flow looks for tasks, taken for work; tasks that count for the strand that ran them, too;
// nodes without a place of their own that are not at their graph's.
TEST(sim_trace, has_flows_whose_tasks_run_before_the_wait_and_in_it) {
  std::string flow = event("graph", 2, 1, 10, 20, R"("site":1,"nodes":3)");
  flow.replace(flow.find("graph"), 5, "flow");
  EXPECT_EQ(drawn({event("region", 1, 0, 0, 40), event("node", 3, 2, 5, 2, R"("node":1)"),
                   event("child", 7, 1, 6, 30, R"("at":4,"group":5)", 1),
                   event("node", 4, 2, 10, 8, R"("node":2,"after":[1])", 1), flow,
                   event("node", 5, 2, 20, 4, R"("node":3,"after":[1])")}),
            "(4 S(0) 1 3 G(2 8 4 0>1 0>2) 10)");
}

// Catches: regions of several threads that are taken for each other's continuation; serial code between regions that is lost.
TEST(sim_trace, has_regions_after_and_beside_each_other) {
  const traced_program t = program_in({event("region", 1, 0, 10, 5), event("region", 2, 0, 20, 10),
                                       event("region", 3, 0, 25, 10, "", 1), event("region", 4, 0, 31, 6)});
  EXPECT_EQ(drawn(t.what, t.what.root()), "((5) 5 G((10) (10) (6) 0>2))");
  EXPECT_EQ(t.outside, 5 * us);
}

// Catches: regions in a section of the program that are taken for regions beside it; a region that is put in a section which
// ended before; regions of several threads in one section that are taken for each other's continuation.
TEST(sim_trace, has_regions_in_sections) {
  EXPECT_EQ(drawn({event("named", 9, 0, 0, 30), event("region", 1, 0, 5, 10), event("region", 2, 0, 20, 5),
                   event("region", 3, 0, 40, 5)}),
            "((5 (10) 5 (5) 5) 10 (5))");
  EXPECT_EQ(drawn({event("named", 9, 0, 0, 30), event("region", 1, 0, 5, 10), event("region", 2, 0, 10, 10)}),
            "(5 G((10) (10)) 10)");
  // One that goes on when the section has ended is of another thread.
  EXPECT_EQ(drawn({event("named", 9, 0, 0, 30), event("region", 1, 0, 25, 10)}), "G((30) (10))");
}

// Catches: sites of another event; a user's name that is lost; names for people that are not used.
TEST(sim_trace, names_sites) {
  const traced_program t =
      program_in({event("region", 1, 0, 0, 10, R"("site":1)"),
                  R"({"name":"assemble","cat":"named","ph":"X","ts":1,"dur":5,"pid":1,"tid":0,)"
                  R"("args":{"id":2,"in":1,"site":2}})"});
  EXPECT_EQ(t.what.site_name(t.what.at(t.what.root()).site), "main");
  const node_number section = t.what.children(t.what.at(t.what.root()))[1];
  EXPECT_EQ(t.what.site_name(t.what.at(section).site), "assemble (step)");
  const std::vector<std::string> names{"", "heat.cpp:12", "heat.cpp:40"};
  const traced_program named = program_of(read(joined(trace_lines(sample))), names);
  EXPECT_EQ(named.what.site_name(named.what.at(named.what.root()).site), "heat.cpp:12");
}

// Catches: memory that strands touch and that no strand of the program touches.
TEST(sim_trace, has_memory_and_colors) {
  const traced_program t =
      program_in({event("region", 1, 0, 0, 10), event("graph", 2, 1, 0, 10),
                  event("node", 3, 2, 0, 5, R"("color":3,"reads":[[900,64]],"writes":[[7,5000000000]])")});
  const program& p = t.what;
  const node_number g = p.children(p.at(p.root()))[0];
  const node& task = p.at(p.children(p.at(g))[0]);
  EXPECT_EQ(task.color, 3U);
  std::uint64_t bytes = 0;
  for (const touch& each : p.touches(task)) bytes += each.writes ? each.bytes : 0;
  EXPECT_EQ(bytes, 5000000000U);
  EXPECT_EQ(p.blocks(), 2U);
}

// Files that are not as they should be -------------------------------------------------------------------------------------

std::string complaint(const std::string& content) {
  try {
    program_of(read(content));
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

std::string complaint_about(const std::vector<std::string>& events) {
  return complaint(joined(trace_lines(events)));
}

// Catches: an error that does not say where it is, or what to do.
TEST(sim_trace, names_what_is_wrong) {
  EXPECT_THAT(complaint(""),
              AllOf(HasSubstr("'heat.trace' is no trace of a program"), HasSubstr("SENNIT_TRACE=FILE")));
  EXPECT_THAT(complaint("{\"a\": 1}\n{\"a\": 1}\n"), HasSubstr("is no trace of a program"));
  EXPECT_THAT(complaint("garbage\nmore\n"), HasSubstr("is no trace of a program"));
  EXPECT_THAT(complaint_about({event("region", 0, 0, 0, 1)}), HasSubstr("line 5: 'id' is 0"));
  EXPECT_THAT(complaint_about({event("region", 1, 0, -1, 1)}), HasSubstr("line 5: 'ts' is -1"));
  EXPECT_THAT(complaint_about({event("region", 1, 0, 0, 1), event("region", 1, 0, 2, 1)}),
              HasSubstr("line 6: the id 1 is in the file twice"));
  EXPECT_THAT(
      complaint_about({event("fork", 1, 2, 0, 1, R"("left":1)"), event("fork", 2, 1, 0, 1, R"("left":1)")}),
      HasSubstr("inside itself"));
  EXPECT_THAT(complaint_about({event("region", 1, 0, 0, 9), event("right", 2, 1, 0, 1)}),
              HasSubstr("another kind"));
  EXPECT_THAT(complaint_about({event("region", 1, 0, 0, 9), event("graph", 2, 1, 0, 9),
                               event("node", 3, 2, 0, 1, R"("after":[4])"),
                               event("node", 4, 2, 0, 1, R"("after":[3])")}),
              AllOf(HasSubstr("waits for itself"), HasSubstr("write the trace again")));
  std::vector<std::string> lines = trace_lines(sample);
  lines[0].replace(lines[0].find("\"version\":1"), 11, "\"version\":2");
  EXPECT_THAT(complaint(joined(lines)), HasSubstr("newer Sennit"));
}

// Catches: a file of a killed program that is refused, or read without a word; constructs in it that are lost.
TEST(sim_trace, of_a_killed_program_is_read_as_far_as_it_goes) {
  const std::string all = joined(trace_lines(sample));
  const std::string without_end = all.substr(0, all.size() - 2);
  EXPECT_THAT(read(all).remarks, IsEmpty());
  EXPECT_THAT(read(without_end).remarks, Contains(HasSubstr("has no end")));
  EXPECT_THAT(read(all.substr(0, all.size() - 20)).remarks, Contains(HasSubstr("in the middle of line 13")));
  // The region and the loop have not ended.
  std::vector<std::string> events = sample;
  events.erase(events.begin() + 3);
  events.erase(events.begin());
  const traced_program t = program_in(events);
  EXPECT_THAT(t.remarks, Contains(HasSubstr("2 bodies had not ended")));
  EXPECT_THAT(drawn(t.what, t.what.root()), AllOf(HasSubstr("F(10,20)"), HasSubstr("L[5:20 5:10]")));
}

// Catches: brief constructs that count as serial work, or as parallel beyond what was measured; time between them that is lost;
// a trace whose estimate nobody is told of; a leaf of several iterations that can no longer be cut where they were.
TEST(sim_trace, estimates_brief_constructs) {
  const std::string loops = R"("site":1,"count":1000,"seen":20,"took":50000,"n":100)";
  const traced_program t =
      program_in({event("region", 1, 0, 0, 61000), event("brief", 2, 1, 500, 60000, loops)});
  const scalability s = scale(t.what, {});
  EXPECT_EQ(s.all.work, 61'000 * us);
  // 10 us between two loops of 50 us, and 1 ms without any.
  EXPECT_NEAR(static_cast<double>(s.all.span), 11'500.0 * us, 1.0 * us);
  EXPECT_THAT(t.remarks, Contains(AllOf(HasSubstr("50 ms of the work are an estimate"),
                                        HasSubstr("1000 loops"), HasSubstr("20 were measured"))));
  ASSERT_EQ(t.estimated.size(), t.what.sites());
  EXPECT_EQ(std::accumulate(t.estimated.begin(), t.estimated.end(), picoseconds{0}), 50'000 * us);

  const std::string forks = R"("site":1,"count":70,"seen":20,"took":700,"left":490)";
  const std::vector<std::string> events{event("region", 1, 0, 0, 700), event("brief", 2, 1, 0, 700, forks)};
  const scalability of_forks = scale(program_in(events).what, {});
  EXPECT_EQ(of_forks.all, (work_and_span{700 * us, 490 * us}));

  const traced_program nest =
      program_in({event("region", 1, 0, 0, 1000), event("loop", 2, 1, 0, 1000, R"("n":10)"),
                  event("leaf", 3, 2, 0, 1000, R"("first":0,"last":10)"),
                  event("brief", 4, 3, 0, 1000, R"("count":20,"seen":2,"took":1000,"n":2)")});
  EXPECT_EQ(spans(nest.what, 0).span(), 100 * us);
}

// Catches: a leaf that was held up, and sets the span, of which the user hears nothing; a warning of every loop.
TEST(sim_trace, warns_of_leaves_that_were_held_up) {
  const auto loop_with = [](double longest) {
    std::vector<std::string> events{event("region", 1, 0, 0, 20000),
                                    event("loop", 2, 1, 0, 20000, R"("n":40,"site":1)")};
    for (int i = 0; i < 4; ++i)
      events.push_back(
          event("leaf", 3 + i, 2, 1000 * i, i == 3 ? longest : 1000,
                R"("first":)" + std::to_string(10 * i) + R"(,"last":)" + std::to_string(10 * i + 10)));
    return program_in(events).remarks;
  };
  EXPECT_THAT(loop_with(9000), Contains(AllOf(HasSubstr("at main"), HasSubstr("1 leaf"),
                                              HasSubstr("8 ms more"), HasSubstr("trace again"))));
  EXPECT_THAT(loop_with(7000), Not(Contains(HasSubstr("trace again"))));
}

// Analyzes whatever is read, and sees that nothing else happens than an error that names the file.
void try_it(const std::string& content) {
  try {
    const traced_program t = program_of(read(content));
    const spans s(t.what, nanosecond);
    EXPECT_GE(s.path().strands.size(), 1U);
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("heat.trace"));
  }
}

std::vector<std::string> rich_sample() {
  std::vector<std::string> events = sample;
  events.push_back(event("brief", 19, 1, 195, 1, R"("count":200,"seen":2,"took":0.5,"left":0.25)"));
  events.push_back(event("graph", 20, 1, 196, 2));
  events.push_back(event("node", 21, 20, 196, 1, R"("reads":[[1,64],[2,64]],"color":1)"));
  events.push_back(event("node", 22, 20, 197, 1, R"("after":[21],"skipped":3)"));
  return events;
}

// Catches: a crash, or a search without an end, where a line is missing or the file is cut.
TEST(sim_trace, may_lack_any_line_and_end_anywhere) {
  const std::vector<std::string> lines = trace_lines(rich_sample());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> without = lines;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    try_it(joined(without));
  }
  const std::string all = joined(lines);
  for (std::size_t i = 0; i < all.size(); ++i) try_it(all.substr(0, i));
}

// Catches: the same for bytes that are others; numbers without bounds that a size, an index or a shift is made of.
TEST(sim_trace, may_have_any_byte_changed) {
  const std::string all = joined(trace_lines(rich_sample()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const char other :
         {'9', '-', '.', 'e', '"', '{', '}', '[', ']', ',', ':', '\n', '\0', '\\', '\xff', 'x'}) {
      std::string changed = all;
      changed[i] = other;
      try_it(changed);
    }
  }
}

// Catches: the same for numbers of any size in any place, and for events in other events.
TEST(sim_trace, may_have_any_number_changed) {
  const std::string all = joined(trace_lines(rich_sample()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(all[i])) == 0 ||
        std::isdigit(static_cast<unsigned char>(all[i - 1])) != 0)
      continue;
    std::size_t end = i;
    while (std::isdigit(static_cast<unsigned char>(all[end])) != 0) ++end;
    for (int n = 0; n < 24; ++n) try_it(all.substr(0, i) + std::to_string(n) + all.substr(end));
    for (const char* other : {"9007199254740992", "9007199254740993", "18446744073709551616", "1e300",
                              "1e-300", "0.5", "null", "[]", "{}", "true", "\"a\""})
      try_it(all.substr(0, i) + other + all.substr(end));
  }
}

// Catches: recursion that is as deep as the program; time that grows with the square of the events, which ends at the time limit
// of a test.
TEST(sim_trace, may_be_long_and_deep) {
  constexpr int depth = 150'000;
  std::string deep = trace_lines({})[0].substr(1) + "\n" + event("region", 1, 0, 0, 1000) + ",\n";
  for (int i = 2; i < depth; ++i) deep += event("fork", i, i - 1, i * 0.001, 900, R"("left":890)") + ",\n";
  std::string wide = trace_lines({})[0].substr(1) + "\n" + event("region", 1, 0, 0, 1e6) + ",\n";
  for (int i = 2; i < depth; ++i)
    wide += event("child", i, 1, 5e5 + i, 1, R"("group":1,"at":)" + std::to_string(i)) + ",\n";
  for (const std::string& content : {deep, wide}) {
    const traced_program t = program_of(read(content));
    EXPECT_GT(t.what.size(), 100'000U);
    EXPECT_GT(spans(t.what, nanosecond).span(), 0U);
  }
}

// Catches: messages and waits that are taken for work of the program, or for events of an unknown kind; times that do not begin
// where the others do; a rank's own clock where that of rank 0 is known.
TEST(sim_trace, of_a_rank_has_messages) {
  const trace t = read(joined(trace_lines(
      {R"({"name":"rank","ph":"M","pid":1,"tid":0,"args":{"rank":1,"ranks":4,"clock_ns":5000}})",
       event("region", 1, 0, 100, 1000),
       R"({"name":"send to 3","cat":"message","ph":"i","s":"t","ts":50,"pid":1,"tid":1,"args":{"to":3,"tag":7,"bytes":800}})",
       R"({"name":"recv from 0","cat":"message","ph":"i","s":"t","ts":150,"pid":1,"tid":0,"args":{"from":0,"tag":8,"bytes":8}})",
       R"({"name":"recv from rank 0","cat":"outside","ph":"X","ts":120,"dur":30,"pid":1,"tid":0})"})));
  EXPECT_EQ(t.rank, 1U);
  EXPECT_EQ(t.ranks, 4U);
  EXPECT_TRUE(t.by_clock_of_rank_0);
  EXPECT_EQ(t.clock_ns, 55'000U);
  EXPECT_EQ(t.events.size(), 1U);
  EXPECT_EQ(t.events[0].begin, 50 * us);
  ASSERT_EQ(t.messages.size(), 2U);
  EXPECT_TRUE(t.messages[0].sent);
  EXPECT_EQ(t.messages[0].at, 0U);
  EXPECT_EQ(t.messages[0].peer, 3U);
  EXPECT_EQ(t.messages[0].worker, 1U);
  EXPECT_FALSE(t.messages[1].sent);
  EXPECT_EQ(t.messages[1].peer, 0U);
  EXPECT_EQ(t.messages[1].bytes, 8U);
  ASSERT_EQ(t.outside_waits.size(), 1U);
  EXPECT_EQ(t.names[t.outside_waits[0].name], "recv from rank 0");
  EXPECT_THAT(t.remarks, IsEmpty());
  EXPECT_EQ(drawn(program_of(t).what, program_of(t).what.root()), "(1000)");
}

}  // namespace
}  // namespace sennit::sim

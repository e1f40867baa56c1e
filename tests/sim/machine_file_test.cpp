// SPDX-License-Identifier: Apache-2.0
// Machines as texts.
#include "machine/machine_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sennit::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  lines.pop_back();
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

std::string refusal(const std::function<void()>& run) {
  try {
    run();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}
std::string refusal_of(const std::string& text) {
  return refusal([&] { (void)read_machine(text, "some.machine"); });
}

// Of a machine whose values all differ.
std::string some_text() {
  machine m = find_machine("2x96");
  const std::vector<std::vector<unsigned>> nodes = {{4, 4, 2}, {8}, {8}};
  m.where = places(nodes);
  m.name = "an odd one";
  m.costs.fork = 1375;
  m.memory.private_bytes = 3 << 20;
  m.memory.shared_bytes = 1000;
  return machine_text(m);
}

std::string replaced(std::string_view key, std::string_view value) {
  std::vector<std::string> lines = lines_of(some_text());
  for (std::string& line : lines) {
    if (line.starts_with(std::string(key) + " =")) line = std::string(key) + " = " + std::string(value);
  }
  return joined(lines);
}

// Catches: a value that is written in another unit than it is read in, or rounded; a key that sets another one's value; a tree
// that comes back as another.
TEST(sim_machine_file, reads_what_it_has_written) {
  const std::string text = some_text();
  const machine m = read_machine(text, "some.machine");
  EXPECT_EQ(machine_text(m), text);
  EXPECT_EQ(m.name, "an odd one");
  EXPECT_EQ(m.where.cores(), 26U);
  EXPECT_EQ(m.where.caches_of_node(0).size(), 3U);
  EXPECT_THAT(text, AllOf(HasSubstr("cores = (2 x 4 + 2), 2 x (8)\n"), HasSubstr("fork = 1.375 ns\n"),
                          HasSubstr("private_cache = 3 MiB\n"), HasSubstr("shared_cache = 1000 B\n")));
}

// Catches: two keys that stand for one value.
TEST(sim_machine_file, has_a_value_of_its_own_for_each_key) {
  const std::string text = some_text();
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 2; i < lines.size(); ++i) {
    const std::string key = lines[i].substr(0, lines[i].find(' '));
    const bool is_time = lines[i].ends_with(" ns");
    machine m = read_machine(text, "some.machine");
    // Far from all bounds between values, one after the other is changed by little.
    std::vector<std::string> changed = lines;
    const std::string_view unit = std::string_view(lines[i]).substr(lines[i].rfind(' '));
    const unsigned long value = std::stoul(lines[i].substr(lines[i].find('=') + 1));
    changed[i] = key + " = " + std::to_string(is_time ? value + 1 : value * 2) + std::string(unit);
    const std::string message = refusal_of(joined(changed));
    if (!message.empty()) continue;  // out of order with another one
    const std::vector<std::string> again =
        lines_of(machine_text(read_machine(joined(changed), "some.machine")));
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (k != i) {
        EXPECT_EQ(again[k], lines[k]) << key;
      }
    }
    EXPECT_NE(again[i], lines[i]) << key;
  }
}

// Catches: comments, empty lines, tabs, other units or another order of lines that change what is read.
TEST(sim_machine_file, does_not_mind_how_a_text_is_laid_out) {
  std::vector<std::string> lines = lines_of(replaced("wake_latency", "2.5 us"));
  std::vector<std::string> turned = {"# a comment", "", "\t  \r"};
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) turned.push_back("  " + *line + "\t# why\r");
  EXPECT_EQ(machine_text(read_machine(joined(turned), "a")), machine_text(read_machine(joined(lines), "b")));
  EXPECT_EQ(read_machine(joined(turned), "a").costs.wake_latency, 2500 * nanosecond);
}

// Catches: notes that are read as values or stand beside another key.
TEST(sim_machine_file, writes_notes_as_comments) {
  const machine m = read_machine(some_text(), "some.machine");
  const machine_note notes[] = {{"", "about all"}, {"fork", "about forks"}};
  const std::string text = machine_text(m, notes);
  EXPECT_TRUE(text.starts_with("# about all\nname = "));
  EXPECT_THAT(text, HasSubstr("# about forks\nfork = "));
  EXPECT_EQ(read_machine(text, "a"), m);
}

// Catches: built-in machines that cannot be read, go by another name, or are not what the library would write; a value of
// which nobody knows where it is from.
TEST(sim_machine_file, has_machines_built_in) {
  EXPECT_EQ(built_in_machines().size(), 7U);
  for (const built_in_machine& known : built_in_machines()) {
    const machine m = find_machine(std::string(known.name));
    EXPECT_EQ(m.name, known.name);
    std::string bare;
    for (const std::string& line : lines_of(known.text)) {
      const std::string value = line.substr(0, line.find('#'));
      const std::size_t end = value.find_last_not_of(' ');
      if (end == std::string::npos) continue;
      bare += value.substr(0, end + 1) + '\n';
      EXPECT_TRUE(line.starts_with("name") || value.size() + 2 < line.size()) << known.name << ": " << line;
    }
    EXPECT_EQ(machine_text(m), bare);
    EXPECT_THAT(std::string(known.text), HasSubstr("Frozen"));
  }
  EXPECT_EQ(find_machine("8x10").where.cores(), 80U);
  EXPECT_EQ(find_machine("8x10").where.nodes(), 8U);
  EXPECT_EQ(find_machine("64x16").where.cores(), 1024U);
  EXPECT_EQ(find_machine("16-epyc-7281").where.caches(), 8U);
}

// Catches: a line whose loss goes unnoticed, so that a cost is zero.
TEST(sim_machine_file, refuses_a_text_without_any_of_its_lines) {
  const std::vector<std::string> lines = lines_of(some_text());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> fewer = lines;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const std::string key = lines[i].substr(0, lines[i].find(' '));
    EXPECT_EQ(refusal_of(joined(fewer)), "sennit: some.machine has no line for " + key + "; add it");
  }
}

// Catches: a garbled line that is passed over or read as something else; a message without file, line or remedy.
TEST(sim_machine_file, refuses_a_text_with_any_line_garbled) {
  const std::vector<std::string> lines = lines_of(some_text());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const std::string at = "sennit: some.machine, line " + std::to_string(i + 1) + ": ";
    const std::size_t equals = line.find('=');
    const std::string key = line.substr(0, equals - 1);
    const auto with = [&](const std::string& garbled) {
      std::vector<std::string> changed = lines;
      changed[i] = garbled;
      return refusal_of(joined(changed));
    };
    EXPECT_THAT(with(key + line.substr(equals + 1)), AllOf(HasSubstr(at), HasSubstr("# before a comment")));
    EXPECT_THAT(with("x" + line), AllOf(HasSubstr(at + "\"x" + key + "\""), HasSubstr("did you mean")));
    EXPECT_THAT(with(key + " ="),
                AllOf(HasSubstr(at + key), testing::AnyOf(HasSubstr("give "), HasSubstr("write "))));
    std::vector<std::string> doubled = lines;
    doubled.push_back(line);
    EXPECT_THAT(
        refusal_of(joined(doubled)),
        AllOf(HasSubstr("line " + std::to_string(lines.size() + 1)),
              HasSubstr("\"" + key + "\" is given a second time, after line " + std::to_string(i + 1))));
    if (i == 0) continue;
    for (const char* value :
         {"-1 ns", "1", "1 parsec", "1.2.3 ns", "1e3 ns", ". ns", "1. ns", "nan ns", "0x10 B",
          "99999999999999999999 ns", "18446744073709551615 ms", "1.0001 ns", "1.00000000001 ns", "1 MB"}) {
      EXPECT_THAT(with(key + " = " + value), HasSubstr(at + key)) << value;
    }
  }
}

// Catches: values that no machine has.
TEST(sim_machine_file, refuses_what_cannot_be) {
  EXPECT_THAT(refusal_of(replaced("fork", "1001 ms")), HasSubstr("from 0 ns to 1000000000 ns"));
  EXPECT_EQ(refusal_of(replaced("signal_send", "0 ns")), "");
  EXPECT_EQ(refusal_of(replaced("shared_cache", "0 B")), "");
  EXPECT_THAT(refusal_of(replaced("private_cache", "0 KiB")),
              HasSubstr("private_cache = 0 KiB is not from 1 B"));
  EXPECT_THAT(refusal_of(replaced("node_bandwidth", "0 GB/s")), HasSubstr("node_bandwidth"));
  EXPECT_THAT(refusal_of(replaced("line", "65 B")), HasSubstr("line is no power of two"));
  EXPECT_THAT(refusal_of(replaced("remote_latency", "1 ns")),
              HasSubstr("local_latency is greater than remote_latency (line "));
  EXPECT_THAT(refusal_of(replaced("core_remote", "40 GB/s")),
              HasSubstr("core_remote is greater than core_local"));
  EXPECT_THAT(refusal_of(replaced("steal_hit.same_node", "1 ns")),
              HasSubstr("steal_hit.same_cache is greater"));
  EXPECT_THAT(refusal_of(replaced("name", "a\x1b[31m")), HasSubstr("printable"));
  for (const char* tree : {"0",
                           "()",
                           "(0)",
                           "0 x (4)",
                           "4",
                           "(4",
                           "4)",
                           "(4))",
                           "(4),",
                           "(4 +)",
                           "2 x 3 x (4)",
                           "(4 x)",
                           "(x 4)",
                           "(-1)",
                           "(4) (4)",
                           "(65537)",
                           "2 x (32769)",
                           "65536 x (65536)",
                           "(4294967296)",
                           "65537 x (1)",
                           "(18446744073709551616)",
                           "40000 x (1 + 1)"}) {
    EXPECT_THAT(refusal_of(replaced("cores", tree)), HasSubstr("is no tree of 1 to 65536 cores")) << tree;
  }
  EXPECT_EQ(read_machine(replaced("cores", "2x(2x4+2),(8)"), "a").where.cores(), 28U);
  EXPECT_EQ(read_machine(replaced("cores", "65536 x (1)"), "a").where.cores(), 65536U);
}

// Catches: a message that does not say which machines there are; a file that is missed, or a directory that is read.
TEST(sim_machine_file, finds_machines_by_name_and_by_file) {
  EXPECT_THAT(refusal([] { (void)find_machine("9x9"); }),
              AllOf(HasSubstr("no machine \"9x9\""), HasSubstr("8x10")));
  EXPECT_THAT(refusal([] { (void)find_machine("none.machine"); }),
              AllOf(HasSubstr("none.machine cannot be read (No such file"),
                    HasSubstr("sennit doctor --write-machine")));
  EXPECT_THAT(refusal([] { (void)find_machine("./"); }), HasSubstr("cannot be read"));
  const std::string name = testing::TempDir() + "sim_machine_file_test.machine";
  std::ofstream(name) << some_text();
  EXPECT_EQ(machine_text(find_machine(name)), some_text());
  std::ofstream(name) << std::string(std::size_t{2} << 20, '#');
  EXPECT_THAT(refusal([&] { (void)find_machine(name); }), HasSubstr("more than 1 MiB"));
  std::remove(name.c_str());
}

}  // namespace
}  // namespace sennit::sim

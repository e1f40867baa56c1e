// SPDX-License-Identifier: Apache-2.0
// Machines as small texts.
//
// A line is `key = value`, or empty; `#` begins a comment. Each key stands once, in any order. A value has its unit: times ns,
// us or ms, sizes B, KiB, MiB or GiB, bandwidths MB/s or GB/s. `cores` has the tree: caches with so many cores, within the
// parentheses of a node, as in `8 x (10)` for eight nodes with a cache of ten cores, `2 x (12 x 8)` for two nodes with twelve
// caches of eight, `(4 + 2), (4)` for two nodes that differ. A machine of several ranks has `ranks = 1024`, each rank with
// these cores, and the lines of the network: `link_latency`, `rank_bandwidth`, `message_send`, `message_receive` and
// `progress_delay`.
#pragma once

#include "machine/machine.hpp"

#include <span>
#include <string>
#include <string_view>

namespace sennit::sim {

// The machine that the text describes. `file` is for messages. Throws std::invalid_argument, which names the file, the line,
// the key and the remedy, for a line that is none, a key that is unknown, missing or there twice, a value without its unit or
// out of bounds, and for what cannot be: no core, memory of another node that is nearer than that of the own.
machine read_machine(std::string_view text, const std::string& file);

// What is to be said of a key, as a comment before its line; without a key, at the top.
struct machine_note {
  std::string_view key;
  std::string text;
};

// The text of the machine: of two equal machines the same, byte by byte. Precondition: read_machine() would not refuse it.
std::string machine_text(const machine& m, std::span<const machine_note> notes = {});

// A machine that is built into the program.
struct built_in_machine {
  std::string_view name;
  std::string_view text;
};
std::span<const built_in_machine> built_in_machines() noexcept;

// The machine that people mean: a built-in one by its name, such as "8x10", or that of a file. A name with a slash, or with
// ".machine" at its end, is a file's. Throws std::invalid_argument as read_machine() does, and if there is no such machine or
// the file cannot be read.
machine find_machine(const std::string& name);

}  // namespace sennit::sim

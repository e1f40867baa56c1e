// SPDX-License-Identifier: Apache-2.0
#include "splice/notes_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sennit::detail {

namespace {

constexpr std::uint64_t has_report = 1;
constexpr std::uint64_t has_memory = 2;

// Addresses are below it, so that no sum of a few overflows.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;
constexpr double picoseconds = 1000;  // in a nanosecond

void write_report(number_writer& to, const splice_notes& notes) {
  const splice_report& r = notes.report;
  for (const std::uint64_t n :
       {r.steps, r.checks, r.switches, r.delayed, r.dependences, r.unspliced, std::uint64_t{r.extra_bytes}})
    to.number(n);
  to.number(static_cast<std::uint64_t>(r.engine));
  to.number(static_cast<std::uint64_t>(r.no_wavefront));
  to.number(static_cast<std::uint64_t>(r.no_tiles));
  to.number(static_cast<std::uint64_t>(r.no_shift));
  to.number(r.together);
  to.number(static_cast<std::uint64_t>(r.group));
  for (const std::int64_t n : {r.block, r.tile_rows, r.tile_columns, r.shift, r.shift_of_columns})
    to.number(static_cast<std::uint64_t>(n));
  to.number(r.block_bytes);
  to.number((r.block_is_chosen ? 1 : 0) + (r.tries_more ? 2 : 0));
  to.number(r.blocks_tried);
  to.number(r.tried.size());
  for (const tried_block& t : r.tried) {
    to.number(static_cast<std::uint64_t>(t.block));
    to.number(static_cast<std::uint64_t>(std::llround(t.ns * picoseconds)));
  }
  for (const std::uint64_t bytes : {notes.caches.first, notes.caches.own, notes.caches.shared})
    to.number(bytes);
}

// The next number, of which `last` is the greatest.
std::uint64_t number_up_to(number_reader& from, std::uint64_t last, const char* what) {
  const std::uint64_t n = from.number();
  if (n > last) from.refuse(what);
  return n;
}

template <class Enum>
Enum word(number_reader& from, Enum last) {
  return static_cast<Enum>(number_up_to(from, static_cast<std::uint64_t>(last),
                                        "has an engine or a reason that this Sennit does not know"));
}

constexpr splice_engine last_engine = splice_engine::several;
constexpr splice_reason last_reason = splice_reason::ordered_steps;
constexpr splice_group last_group = splice_group::tried;

void read_report(number_reader& from, splice_notes& notes) {
  splice_report& r = notes.report;
  for (std::uint64_t* const n : {&r.steps, &r.checks, &r.switches, &r.delayed, &r.dependences, &r.unspliced})
    *n = from.number();
  r.extra_bytes = from.number();
  r.engine = word(from, last_engine);
  if (r.engine == splice_engine::none) from.refuse("has a report of no engine");
  r.no_wavefront = word(from, last_reason);
  r.no_tiles = word(from, last_reason);
  r.no_shift = word(from, last_reason);
  r.together = from.small_number();
  r.group = word(from, last_group);
  for (std::int64_t* const n : {&r.block, &r.tile_rows, &r.tile_columns, &r.shift, &r.shift_of_columns})
    *n =
        static_cast<std::int64_t>(number_up_to(from, most_bytes, "has a block or a shift that is too large"));
  r.block_bytes = number_up_to(from, most_bytes, "has a block that is too large");
  const std::uint64_t yes = number_up_to(from, 3, "has flags that this Sennit does not know");
  r.block_is_chosen = (yes & 1) != 0;
  r.tries_more = (yes & 2) != 0;
  r.blocks_tried = from.small_number();
  const std::uint64_t tried =
      number_up_to(from, tried_blocks::most, "has more sizes of blocks than are ever kept");
  for (std::uint64_t i = 0; i < tried; ++i) {
    const auto size =
        static_cast<std::int64_t>(number_up_to(from, most_bytes, "has a block that is too large"));
    const std::uint64_t took = number_up_to(from, most_bytes, "has a time that is too long");
    r.tried.add({size, static_cast<double>(took) / picoseconds});
    if (r.tried.size() != i + 1 || (r.tried.end() - 1)->block != size)
      from.refuse("has sizes of blocks that are not in order");
  }
  for (std::uint64_t* const bytes : {&notes.caches.first, &notes.caches.own, &notes.caches.shared})
    *bytes = number_up_to(from, most_bytes, "has a cache that is too large");
}

void write_runs(number_writer& to, const memory_runs& r, const memory_runs& before) {
  to.number(zigzag(r.first - before.first));
  to.number(r.bytes);
  const std::uint64_t dimensions = r.count[1] != 1 ? 2 : r.count[0] != 1 ? 1 : 0;
  to.number(dimensions);
  for (std::uint64_t d = 0; d < dimensions; ++d) {
    to.number(r.count[d]);
    to.number(r.pitch[d]);
  }
}

memory_runs read_runs(number_reader& from, const memory_runs& before) {
  constexpr const char* too_far = "touches memory that no machine has";
  memory_runs r;
  r.first = before.first + unzigzag(from.number());
  r.bytes = from.number();
  using wide = unsigned __int128;
  wide end = wide{r.first} + r.bytes;
  const std::uint64_t dimensions = number_up_to(from, 2, "has memory of more dimensions than there are");
  for (std::uint64_t d = 0; d < dimensions; ++d) {
    r.count[d] = from.number();
    r.pitch[d] = from.number();
    if (r.count[d] > 0) end += wide{r.count[d] - 1} * r.pitch[d];
    // Before the next product, as the sum of two could be too large for the type.
    if (end > most_bytes) from.refuse(too_far);
    // So few bytes could stand for more runs than anybody can go through.
    if (r.count[d] > 1 && (r.pitch[d] == 0 || r.bytes == 0))
      from.refuse("touches the same memory again and again");
  }
  if (end > most_bytes) from.refuse(too_far);
  return r;
}

// Calls what(run, the run with the same number in the block before) for all runs. The runs of a block often are those of the
// block before, a block further.
template <class Notes, class What>
void for_each_run(Notes& notes, What&& what) {
  std::uint64_t at = 0;
  std::uint64_t before = 0;
  for (const std::uint64_t end : notes.memory_ends) {
    const std::uint64_t first = at;
    for (; at < end; ++at) {
      const std::uint64_t same = before + (at - first);
      what(notes.memory[at], same < first ? notes.memory[same] : memory_runs{});
    }
    before = first;
  }
}

}  // namespace

void write_notes(number_writer& to, const splice_notes& notes, const std::vector<std::uint32_t>& blocks) {
  std::uint64_t all = 0;
  for (const std::uint32_t b : blocks) all += b;
  const bool report = notes.report.engine != splice_engine::none;
  const bool memory = !notes.memory_ends.empty() && notes.memory_ends.size() == all;
  to.number((report ? has_report : 0) + (memory ? has_memory : 0));
  if (report) write_report(to, notes);
  if (!memory) return;
  std::uint64_t before = 0;
  for (const std::uint64_t end : notes.memory_ends) {
    to.number(end - before);
    before = end;
  }
  for_each_run(notes, [&](const memory_runs& r, const memory_runs& same) { write_runs(to, r, same); });
}

splice_notes read_notes(number_reader& from, const std::vector<std::uint32_t>& blocks) {
  splice_notes notes;
  const std::uint64_t flags =
      number_up_to(from, has_report | has_memory, "has flags that this Sennit does not know");
  if ((flags & has_report) != 0) read_report(from, notes);
  if ((flags & has_memory) == 0) return notes;
  std::uint64_t all = 0;
  std::uint64_t runs = 0;
  for (const std::uint32_t b : blocks) {
    notes.first_blocks.push_back(all);
    all += b;
  }
  // A number takes a byte at least, and a run three.
  if (all > from.left()) from.refuse("promises more blocks than it holds");
  notes.memory_ends.reserve(all);
  for (std::uint64_t i = 0; i < all; ++i) {
    runs += from.small_number();
    if (runs > from.left() / 3) from.refuse("promises more memory than it holds");
    notes.memory_ends.push_back(runs);
  }
  notes.memory.resize(runs);
  for_each_run(notes, [&](memory_runs& r, const memory_runs& same) { r = read_runs(from, same); });
  return notes;
}

}  // namespace sennit::detail

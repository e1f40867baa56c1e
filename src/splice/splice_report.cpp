// SPDX-License-Identifier: Apache-2.0
#include <sennit/splice_report.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace sennit {

namespace {

std::string_view name(splice_engine engine) {
  switch (engine) {
    case splice_engine::none: break;
    case splice_engine::wavefront: return "by the wavefront";
    case splice_engine::calls: return "call by call";
    case splice_engine::in_order: return "one tree after the other";
    case splice_engine::checker: return "serially, under the effect checker";
    case splice_engine::several: return "by several engines";
  }
  return "none";
}

std::string_view name(splice_reason reason) {
  switch (reason) {
    case splice_reason::none: break;
    case splice_reason::functions:
      return "the body calls functions; a body that returns a sennit::divided costs less";
    case splice_reason::parts:
      return "the parts of the trees are not of type sennit::range or sennit::rectangle";
    case splice_reason::ranges:
      return "the trees are over different ranges or rectangles, or rectangles have different blocks";
    case splice_reason::scattered_data: return "a region is far from contiguous";
    case splice_reason::independent_trees: return "a tree shares no data with the trees before it";
    case splice_reason::opposite_directions: return "a tree begins with data with which an earlier tree ends";
    case splice_reason::far_data:
      return "a block needs data of an earlier tree that is an eighth of the range away, or more";
    case splice_reason::large_distance:
      return "the data between the blocks of the first and the last tree would not fit the cache; a "
             "sennit::rectangle can be cut in columns, too";
    case splice_reason::uneven_distance:
      return "a tile needs data of an earlier tree that is farther away than at the middle";
    case splice_reason::small_data: return "all data fits the cache of the only worker";
    case splice_reason::failed_effects: return "effects_of() threw";
    case splice_reason::checked: return "the effect checker observes the splice";
    case splice_reason::ordered_steps:
      return "a tree's steps depend on one another, and it would have to begin elsewhere or go backward";
  }
  return "";
}

// With three digits.
std::string rounded(double x) {
  std::ostringstream out;
  if (x >= 1000) {
    out << std::fixed << std::setprecision(0) << x;
  } else {
    out << std::setprecision(x < 1 ? 2 : 3) << x;
  }
  return std::move(out).str();
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto n = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; n >= 1024 && unit + 1 < units.size(); ++unit) n /= 1024;
  return rounded(n) + ' ' + units[unit];
}

std::string counted(std::uint64_t n, std::string_view what) {
  return std::to_string(n) + ' ' + std::string(what) + (n == 1 ? "" : "s");
}

std::string_view name(splice_group group) {
  switch (group) {
    case splice_group::none: break;
    case splice_group::all: return "all that there are";
    case splice_group::given: return "as the program says by splicing::together";
    case splice_group::usual: return "as more would gain almost nothing";
    case splice_group::caches: return "as the data of more would not fit the caches";
    case splice_group::tried: return "as other numbers are tried, too";
  }
  return "";
}

// What is said of one thing at a time. Each begins a line, and says nothing if there is nothing to say.
class lines {
 public:
  explicit lines(const splice_report& report)
      : report_(report), is_of_functions_(report.no_wavefront == splice_reason::functions) {}

  std::string all() && {
    engine();
    if (report_.block != 0) {
      block();
      tried();
      shift();
    }
    group();
    counts();
    return std::move(out_).str();
  }

 private:
  void engine() {
    out_ << counted(report_.steps, "step") << ", " << name(report_.engine);
    if (report_.tile_rows != 0) out_ << ", tile by tile";
    out_ << '.';
    if (report_.no_wavefront != splice_reason::none && report_.no_wavefront != splice_reason::checked)
      out_ << " Nothing faster, because " << name(report_.no_wavefront) << '.';
    const bool said = report_.no_tiles == report_.no_wavefront || report_.no_tiles == report_.no_shift;
    if (report_.no_tiles != splice_reason::none && !said)
      out_ << " Not tile by tile, because " << name(report_.no_tiles) << '.';
  }
  void block() {
    out_ << '\n';
    if (is_of_functions_) {
      out_ << "Slices of " << report_.block << '.';
      return;
    }
    out_ << "Blocks of " << report_.block;
    if (report_.tile_rows != 0)
      out_ << " cells, in " << counted(static_cast<std::uint64_t>(report_.tile_rows), "row") << " and "
           << counted(static_cast<std::uint64_t>(report_.tile_columns), "column");
    if (report_.block_bytes != 0) out_ << ", which is " << bytes_text(report_.block_bytes) << " of data";
    out_ << '.';
    if (!report_.block_is_chosen) {
      out_ << " The program says this size.";
    } else if (report_.blocks_tried == 0) {
      out_ << " The library chose this size for the caches.";
    }
  }
  void tried() {
    if (report_.blocks_tried == 0) return;
    out_ << "\nAfter trying " << counted(report_.blocks_tried, "size");
    if (report_.tried.size() != 0) {
      out_ << ". One index takes, in all interleaved " << (is_of_functions_ ? "calls" : "trees")
           << " together:";
      const char* before = " ";
      for (const tried_block& t : report_.tried) {
        out_ << std::exchange(before, ", ") << rounded(t.ns) << " ns in "
             << (is_of_functions_ ? "slices" : "blocks") << " of " << t.block;
      }
    }
    out_ << ". ";
    if (!report_.tries_more) {
      out_ << "No size is more than 2% faster than the best of them, which stays.";
    } else {
      out_ << (is_of_functions_ ? "The splice ended before all sizes had been tried."
                                : "The next splice here goes on trying.");
    }
  }
  void shift() {
    if (report_.no_shift != splice_reason::none) {
      out_ << "\nBlocks are not shifted, because " << name(report_.no_shift) << '.';
    } else if (report_.shift_of_columns != 0) {
      out_ << "\nBlocks are shifted by " << counted(static_cast<std::uint64_t>(report_.shift), "row")
           << " and " << counted(static_cast<std::uint64_t>(report_.shift_of_columns), "column")
           << " from the first tree to the last.";
    } else if (report_.shift != 0) {
      out_ << '\n'
           << (is_of_functions_ ? "Slices" : "Blocks") << " are shifted by " << report_.shift
           << (is_of_functions_ ? " from the first call to the last." : " from the first tree to the last.");
    }
    if (report_.moved != 0)
      out_ << ' ' << counted(report_.moved, "tree")
           << (report_.moved == 1 ? " begins elsewhere or goes backward."
                                  : " begin elsewhere or go backward.");
  }
  void group() {
    if (report_.together == 0) return;
    out_ << '\n' << counted(report_.together, is_of_functions_ ? "call" : "tree") << " together, ";
    const bool is_tried = report_.group == splice_group::usual || report_.group == splice_group::tried;
    if (is_tried && report_.together_tried != 0) {
      out_ << "after trying " << counted(report_.together_tried, "number") << '.';
    } else {
      out_ << name(report_.group) << '.';
    }
  }
  void counts() {
    out_ << '\n'
         << counted(report_.checks, "comparison") << " of effects, " << report_.switches
         << (report_.switches == 1 ? " switch" : " switches") << " between stacks.";
    out_ << '\n' << report_.delayed << " steps waited, for " << report_.dependences << " calls or steps.";
    if (report_.unspliced != 0) {
      out_ << '\n'
           << report_.unspliced
           << " calls were not spliced: they were too many or too deep, see splicing::most_bytes.";
    }
    out_ << '\n' << report_.extra_bytes << " bytes for calls and waiting steps.";
  }

  const splice_report& report_;
  const bool is_of_functions_;
  std::ostringstream out_;
};

}  // namespace

std::string splice_report::text() const {
  if (engine == splice_engine::none) return "no steps";
  return lines(*this).all();
}

}  // namespace sennit

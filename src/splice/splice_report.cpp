#include <sennit/splice_report.hpp>

#include <sstream>
#include <string_view>
#include <utility>

namespace sennit {

namespace {

std::string_view name(splice_engine engine) {
  switch (engine) {
    case splice_engine::none: break;
    case splice_engine::wavefront: return "by the wavefront";
    case splice_engine::calls: return "call by call";
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
    case splice_reason::failed_effects: return "effects_of() threw";
    case splice_reason::checked: return "the effect checker observes the splice";
    case splice_reason::ordered_steps:
      return "a tree's steps depend on one another, and it would have to begin elsewhere or go backward";
  }
  return "";
}

}  // namespace

std::string splice_report::text() const {
  if (engine == splice_engine::none) return "no steps";
  std::ostringstream out;
  out << steps << " steps, " << name(engine);
  if (no_wavefront != splice_reason::none && no_wavefront != splice_reason::checked) {
    out << " (" << name(no_wavefront) << ')';
  }
  if (block != 0) {
    out << "\nblocks of " << block;
    if (blocks_tried != 0) out << ", after trying " << blocks_tried << " sizes";
    if (shift_of_columns != 0) {
      out << ", shifted by " << shift << " rows and " << shift_of_columns
          << " columns from the first tree to the last";
    } else if (shift != 0) {
      out << ", shifted by " << shift << " from the first tree to the last";
    }
    if (moved != 0) out << ", and " << moved << " trees begin elsewhere or go backward";
    if (no_shift != splice_reason::none) out << ", not shifted (" << name(no_shift) << ')';
  }
  if (together_tried != 0) {
    out << "\n" << together << " trees at most together, after trying " << together_tried << " numbers";
  }
  out << '\n' << checks << " comparisons of effects, " << switches << " switches between stacks";
  out << '\n' << delayed << " steps waited, for " << dependences << " calls or steps";
  if (unspliced != 0) {
    out << '\n'
        << unspliced << " calls were not spliced: they were too many or too deep, see splicing::most_bytes";
  }
  out << '\n' << extra_bytes << " bytes for calls and waiting steps";
  return std::move(out).str();
}

}  // namespace sennit

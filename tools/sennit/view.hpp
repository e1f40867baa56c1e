// `sennit view FILE` and `sennit view splice FILE`
#pragma once

#include <filesystem>

namespace command {

struct view_options {
  std::filesystem::path file;
  std::filesystem::path output;   // empty: FILE.html, unless something else is asked for
  std::filesystem::path trace;    // empty: write none
  std::filesystem::path against;  // empty: compare it with nothing
  std::filesystem::path dot;      // of a graph; empty: write none
  unsigned nodes = 0;             // that the workers are on; 0: compare the workers themselves
  bool text = false;
};

void view(const view_options& options);
// Of what a splice_schedule saved, and nothing else.
void view_splice(const view_options& options);

}  // namespace command

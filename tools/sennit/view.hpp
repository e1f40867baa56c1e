// `sennit view FILE`, or `sennit view splice FILE`
#pragma once

#include <filesystem>
#include <string>

namespace command {

struct view_options {
  std::filesystem::path file;
  std::string output{};           // empty: FILE.html, unless something else is asked for
  std::string trace{};            // empty: write none
  std::filesystem::path against;  // empty: compare it with nothing
  std::string dot{};              // of a graph; empty: write none
  unsigned nodes = 0;             // that the workers are on; 0: compare the workers themselves
  bool text = false;
  bool splice = false;  // to be taken for the schedule of a splice, whatever is in it
};

void view(const view_options& options);

}  // namespace command

// SPDX-License-Identifier: Apache-2.0
// Reports progress on standard error: on a terminal in one line that is rewritten, elsewhere in occasional
// lines.
#pragma once

#include <string_view>

namespace command {

class progress {
 public:
  progress();
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // A step that readers of a log want to see.
  void step(std::string_view what);
  // A detail that matters only to someone who watches.
  void detail(std::string_view what);
  // Removes the line from the terminal, so that other output begins on an empty line.
  void clear();

 private:
  void rewrite(std::string_view line);

  const bool terminal_;
  std::string_view::size_type shown_ = 0;
};

}  // namespace command

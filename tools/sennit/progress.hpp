// Says on standard error what goes on: on a terminal one line that is rewritten,
// elsewhere a line now and then.
#pragma once

#include <string_view>

namespace command {

class progress {
 public:
  progress();
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // Something of which whoever reads a log wants to know.
  void step(std::string_view what);
  // Something that only matters while one watches.
  void detail(std::string_view what);
  // Takes the line off the terminal, so that other output starts in a clean one.
  void clear();

 private:
  void rewrite(std::string_view line);

  const bool terminal_;
  std::string_view::size_type shown_ = 0;
};

}  // namespace command

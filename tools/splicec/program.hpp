// SPDX-License-Identifier: Apache-2.0
// The spliced functions of a file, and what is known of them.
#pragma once

#include "tools/splicec/accesses.hpp"
#include "tools/splicec/pragmas.hpp"
#include "tools/splicec/source.hpp"

#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace splicec {

struct spliced_function {
  std::string usr;
  std::string name;
  const pragma* says = nullptr;
  cursor declaration{};
  cursor definition{};  // null if it is elsewhere
  std::vector<std::string> parameters{};
  bool plain = true;  // a function of a file or namespace that its name alone denotes
  // What it does outside its annotated steps, and what those that it calls do there: to be added to what is said of it.
  touched inferred{};
};

class program {
 public:
  explicit program(const source& all);

  const source& all;
  accesses reach;

  // Null if calls of it are no affair of the splicer.
  spliced_function* find(cursor function);
  std::list<spliced_function>& functions() { return functions_; }
  // All that are defined in the file, spliced or not.
  const std::vector<cursor>& definitions() const noexcept { return definitions_; }
  // Those of the file that stands before what is at the offset; null if there is none.
  pragma* said_before(unsigned offset, pragma::sort what);
  // In [begin, end).
  bool steps_in(extent e) const;
  const std::vector<pragma>& pragmas() const noexcept { return pragmas_; }

 private:
  void visit(cursor around);
  void declare(cursor function);
  void find_steady();

  std::vector<pragma> pragmas_;
  struct header {
    file_text file;
    std::vector<pragma> pragmas;
  };
  std::list<header> headers_{};
  std::list<spliced_function> functions_{};
  std::map<std::string, spliced_function*> by_usr_{};
  std::map<std::string, int> overloads_{};
  std::set<std::string> counted_{};
  std::vector<cursor> definitions_{};
};

}  // namespace splicec

// SPDX-License-Identifier: Apache-2.0
// What code touches besides its own variables, as far as it can be seen.
#pragma once

#include "tools/splicec/source.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace splicec {

// Variables of a file or namespace, by a name that can be used in the program.
struct global {
  std::string name;
  unsigned declared;  // where in the file; 0 if in another one
  friend auto operator<=>(const global&, const global&) = default;
};

struct touched {
  std::set<global> reads{};
  std::set<global> writes{};
  std::set<global> addressed{};
  // Data of others: through pointers and references.
  bool pointed = false;
  unsigned pointed_at = 0;
  // Calls of which nothing is known: the first of them, and all.
  bool unknown = false;
  unsigned unknown_at = 0;
  std::string unknown_what{};
  std::map<unsigned, std::string> all_unknown{};
  // Local variables, by name.
  std::set<std::string> read{};
  std::set<std::string> used{};     // those that are numbers or pointers, and no constants
  std::set<std::string> changed{};  // or may be
  std::set<std::string> exposed{};  // their address is known elsewhere

  // Nothing but its own variables, and what stays as it is.
  bool local() const noexcept { return reads.empty() && writes.empty() && !pointed && !unknown; }
  void add(const touched& more);
};

class accesses {
 public:
  // `spliced`: whether calls of the function are the splicer's affair.
  accesses(const source& all, std::function<bool(cursor)> spliced)
      : all_(all), spliced_(std::move(spliced)) {}

  // In a statement or expression. Calls of spliced functions count for no more than their arguments.
  touched of(cursor code);
  // In what is given for a parameter of this type.
  touched of_argument(cursor code, CXType parameter);
  // Variables that are no longer written once the program has begun.
  void keep(std::set<global> steady) {
    steady_ = std::move(steady);
    summaries_.clear();
  }

 private:
  enum class use { value, write, address };

  void walk(cursor c, use how, touched& t);
  void walk_all(cursor c, touched& t);
  void variable(cursor of, cursor at, use how, touched& t);
  void member(cursor c, use how, touched& t);
  void element(cursor c, cursor base, use how, touched& t);
  void call(cursor c, touched& t);
  void arguments(cursor c, cursor callee, bool known, touched& t);
  void declaration(cursor c, touched& t);
  void point(cursor at, use how, touched& t);
  void give_up_on(cursor at, std::string what, touched& t);
  const touched& summary(cursor definition);

  const source& all_;
  std::function<bool(cursor)> spliced_;
  std::set<global> steady_{};
  std::map<std::string, touched> summaries_{};
  std::vector<std::string> under_way_{};
  int depth_ = 0;  // in the bodies of functions that are called
};

// The variable is the function's own, and gone when that returns.
bool is_local(cursor variable);
bool is_number_or_pointer(CXType type);
std::string usr_of(cursor c);
// With its namespaces and classes.
std::string qualified_name(cursor c);

}  // namespace splicec

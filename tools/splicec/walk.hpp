// SPDX-License-Identifier: Apache-2.0
// A spliced function, taken apart into steps, calls, and what does neither.
#pragma once

#include "tools/splicec/program.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace splicec {

// What code in a step does: what its pragma says, or else what can be seen of it.
struct step_effects {
  const pragma* says = nullptr;
  touched seen{};
  // What the pragma names has changed on the way from it to here.
  bool stale = false;

  bool none() const noexcept { return says == nullptr && seen.local(); }
  // Only the whole of what the function does is sure to be enough.
  bool whole() const noexcept {
    return says != nullptr ? stale || !says->says_effects() : seen.pointed || seen.unknown;
  }
};

// The statements that follow, innermost first. A loop is followed by its later rounds.
struct follow {
  const follow* around = nullptr;
  const std::vector<cursor>* list = nullptr;
  std::size_t from = 0;
  const cursor* loop = nullptr;
};

// `for (T i = first; i < last; i += by)`.
struct counted_loop {
  cursor statement{};
  cursor variable{};
  cursor body{};
  std::string name{};
  std::string first{};
  std::string last{};
  std::string by = "1";
  bool inclusive = false;
};

// Gets what the walk comes to, in order.
class visitor {
 public:
  virtual ~visitor() = default;
  // Statements without calls of spliced functions. `returns`: there is a return in them.
  virtual void run(extent statements, const step_effects& does, bool returns) = 0;
  // An expression whose value is used; in `update` only what it does is.
  virtual void value(cursor expression, const step_effects& does, bool update) = 0;
  // Statements, one after the other, that are calls of spliced functions.
  virtual void calls(const std::vector<cursor>& list, const pragma* says, const follow* after) = 0;
  virtual void loop_of_calls(const counted_loop& loop, const std::vector<cursor>& list,
                             const follow* after) = 0;
  virtual void fault(unsigned offset, std::string text) = 0;
};

class walker {
 public:
  // Of a function that is defined in the file.
  walker(program& of, cursor function);

  void walk_function(visitor& v);
  // All that follows.
  void walk_after(const follow* after, visitor& v);

  // Code that stands at `offset`.
  step_effects does(const touched& t, const pragma* says, unsigned offset) const;
  // Adds the variables that are declared anew in each round of a loop.
  void add_declared_in(cursor loop, std::set<std::string>& names) const;
  bool has_call(cursor c) const;
  // The call that a statement consists of; null if it is none of a spliced function.
  cursor call_in(cursor statement) const;
  bool is_counted(cursor statement, counted_loop& result) const;
  // Declared in more than one place, changed through its address, or unknown here.
  bool is_doubtful(const std::string& name) const;
  bool is_variable(const std::string& name) const { return declared_.contains(name); }
  // Reads a variable that somebody else may change, as he has its address.
  bool reads_exposed(const touched& t) const;
  // Variables that can be named at `offset`.
  bool in_scope(const std::string& name, unsigned offset) const;
  unsigned begin_of(cursor c) const { return of_.all.extent_of(c).begin; }
  touched touched_in(cursor c) const { return of_.reach.of(c); }
  const std::vector<cursor>& body() const noexcept { return body_; }
  // Calls on each path through a statement: least and most.
  std::pair<int, int> calls_in(cursor statement) const;

 private:
  struct declaration {
    unsigned begin;
    extent scope;
  };

  void note(cursor c, extent scope);
  bool descends(cursor c) const;
  bool leaves(cursor c, bool in_loop, bool in_switch) const;
  bool has_return(cursor c) const;
  bool used_after(cursor declaration_statement, unsigned offset) const;

  bool walk_list(const std::vector<cursor>& list, std::size_t from, const pragma* says, const follow* after,
                 visitor& v);
  void walk_group(const std::vector<cursor>& group, const pragma* says, visitor& v);
  bool walk(cursor s, const pragma* says, const follow* after, visitor& v);
  void walk_if(cursor s, const pragma* says, const follow* after, visitor& v);
  void walk_for(cursor s, const pragma* says, const follow* after, visitor& v);
  void walk_declaration(cursor s, const pragma* says, visitor& v);
  void walk_value(cursor c, const pragma* says, unsigned offset, bool update, visitor& v);

  program& of_;
  std::vector<cursor> body_{};
  std::map<std::string, std::vector<declaration>> declared_{};
  std::map<std::string, std::vector<unsigned>> uses_{};
  std::set<std::string> exposed_{};
  std::set<std::string> changed_{};
};

}  // namespace splicec

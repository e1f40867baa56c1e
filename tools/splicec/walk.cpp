// SPDX-License-Identifier: Apache-2.0
#include "tools/splicec/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace splicec {

namespace {

bool is_loop(CXCursorKind k) {
  return k == CXCursor_ForStmt || k == CXCursor_WhileStmt || k == CXCursor_DoStmt ||
         k == CXCursor_CXXForRangeStmt;
}
bool is_code(cursor c) { return clang_isStatement(kind_of(c)) != 0 || clang_isExpression(kind_of(c)) != 0; }

// Expressions with cleanups, casts to void and parentheses around a call.
cursor bare(cursor c) {
  for (;;) {
    const CXCursorKind k = kind_of(c);
    if (k != CXCursor_ParenExpr && k != CXCursor_UnexposedExpr && k != CXCursor_CStyleCastExpr) return c;
    cursor inner = clang_getNullCursor();
    for (const cursor child : children_of(c)) {
      if (clang_isExpression(kind_of(child)) != 0) inner = child;
    }
    if (is_null(inner)) return c;
    c = inner;
  }
}

}  // namespace

walker::walker(program& of, cursor function) : of_(of) {
  for (const cursor c : children_of(function)) {
    if (kind_of(c) == CXCursor_CompoundStmt) body_ = children_of(c);
  }
  note(function, of.all.extent_of(function));
  const touched t = of.reach.of(function);
  exposed_ = t.exposed;
  changed_ = t.changed;
}

void walker::note(cursor c, extent scope) {
  for (const cursor child : children_of(c)) {
    const CXCursorKind k = kind_of(child);
    if (k == CXCursor_VarDecl || k == CXCursor_ParmDecl) {
      declared_[text_of(clang_getCursorSpelling(child))].push_back({of_.all.extent_of(child).begin, scope});
    } else if (k == CXCursor_DeclRefExpr) {
      uses_[text_of(clang_getCursorSpelling(child))].push_back(of_.all.extent_of(child).begin);
    }
    const bool opens = k == CXCursor_CompoundStmt || is_loop(k) || k == CXCursor_IfStmt ||
                       k == CXCursor_SwitchStmt || k == CXCursor_LambdaExpr;
    note(child, opens ? of_.all.extent_of(child) : scope);
  }
}

bool walker::is_doubtful(const std::string& name) const {
  const auto at = declared_.find(name);
  return at != declared_.end() && (at->second.size() > 1 || exposed_.contains(name));
}

bool walker::reads_exposed(const touched& t) const {
  return std::any_of(t.read.begin(), t.read.end(),
                     [&](const std::string& n) { return exposed_.contains(n); });
}

bool walker::in_scope(const std::string& name, unsigned offset) const {
  const auto at = declared_.find(name);
  if (at == declared_.end()) return true;  // of the file
  const declaration& d = at->second.front();
  return d.begin < offset && d.scope.begin <= offset && offset < d.scope.end;
}

bool walker::has_call(cursor c) const {
  if (kind_of(c) == CXCursor_CallExpr && of_.find(clang_getCursorReferenced(c)) != nullptr) return true;
  for (const cursor child : children_of(c)) {
    if (has_call(child)) return true;
  }
  return false;
}

cursor walker::call_in(cursor statement) const {
  const cursor c = bare(statement);
  return kind_of(c) == CXCursor_CallExpr && of_.find(clang_getCursorReferenced(c)) != nullptr
             ? c
             : clang_getNullCursor();
}

// Whether a break, continue or goto in it leads out of it.
bool walker::leaves(cursor c, bool in_loop, bool in_switch) const {
  const CXCursorKind k = kind_of(c);
  if (k == CXCursor_BreakStmt) return !in_loop && !in_switch;
  if (k == CXCursor_ContinueStmt) return !in_loop;
  if (k == CXCursor_LambdaExpr) return false;
  in_loop = in_loop || is_loop(k);
  in_switch = in_switch || k == CXCursor_SwitchStmt;
  for (const cursor child : children_of(c)) {
    if (leaves(child, in_loop, in_switch)) return true;
  }
  return false;
}

bool walker::has_return(cursor c) const {
  if (kind_of(c) == CXCursor_LambdaExpr) return false;
  if (kind_of(c) == CXCursor_ReturnStmt) return true;
  for (const cursor child : children_of(c)) {
    if (has_return(child)) return true;
  }
  return false;
}

bool walker::descends(cursor c) const {
  const CXCursorKind k = kind_of(c);
  if (k == CXCursor_ReturnStmt || k == CXCursor_CaseStmt || k == CXCursor_DefaultStmt ||
      k == CXCursor_GotoStmt || k == CXCursor_IndirectGotoStmt || k == CXCursor_LabelStmt) {
    return true;
  }
  if (has_call(c) || of_.steps_in(of_.all.extent_of(c)) || leaves(c, false, false)) return true;
  return (k == CXCursor_IfStmt || k == CXCursor_CompoundStmt) && has_return(c);
}

bool walker::used_after(cursor declaration_statement, unsigned offset) const {
  for (const cursor v : children_of(declaration_statement)) {
    if (kind_of(v) != CXCursor_VarDecl) return true;  // a type, say
    const std::string name = text_of(clang_getCursorSpelling(v));
    if (const auto at = uses_.find(name); at != uses_.end()) {
      if (std::any_of(at->second.begin(), at->second.end(), [&](unsigned u) { return u >= offset; }))
        return true;
    }
    for (const pragma& p : of_.pragmas()) {
      if (p.begin >= offset && p.names.contains(name)) return true;
    }
  }
  return false;
}

step_effects walker::does(const touched& t, const pragma* says, unsigned offset) const {
  step_effects result{t.local() ? nullptr : says, t};
  if (result.says == nullptr) return result;
  for (const std::string& name : says->names) {
    if (exposed_.contains(name) && offset != says->next) result.stale = true;
    const auto at = uses_.find(name);
    if (!changed_.contains(name) || at == uses_.end()) continue;
    result.stale = result.stale || std::any_of(at->second.begin(), at->second.end(),
                                               [&](unsigned u) { return says->end <= u && u < offset; });
  }
  return result;
}

void walker::add_declared_in(cursor loop, std::set<std::string>& names) const {
  const extent e = of_.all.extent_of(loop);
  for (const auto& [name, places] : declared_) {
    if (std::any_of(places.begin(), places.end(),
                    [&](const declaration& d) { return e.begin <= d.begin && d.begin < e.end; })) {
      names.insert(name);
    }
  }
}

void walker::walk_function(visitor& v) { walk_list(body_, 0, nullptr, nullptr, v); }

void walker::walk_after(const follow* after, visitor& v) {
  for (const follow* f = after; f != nullptr; f = f->around) {
    if (f->loop != nullptr) {
      walk(*f->loop, nullptr, nullptr, v);
      continue;
    }
    walk_list(*f->list, f->from, nullptr, nullptr, v);
    for (std::size_t i = f->from; i < f->list->size(); ++i) {
      if (kind_of((*f->list)[i]) == CXCursor_ReturnStmt) return;
    }
  }
}

// Returns whether there is a call of a spliced function among them.
bool walker::walk_list(const std::vector<cursor>& list, std::size_t from, const pragma* says,
                       const follow* after, visitor& v) {
  bool called = false;
  const auto begins = [&](std::size_t i) {
    return of_.said_before(of_.all.extent_of(list[i]).begin, pragma::sort::step);
  };
  for (std::size_t i = from; i < list.size();) {
    if (const pragma* const p = begins(i)) says = p;
    if (!descends(list[i])) {
      std::vector<cursor> group{list[i++]};
      while (i < list.size() && begins(i) == nullptr && !descends(list[i])) group.push_back(list[i++]);
      walk_group(group, says, v);
      continue;
    }
    const follow rest{after, &list, i + 1, nullptr};
    if (!is_null(call_in(list[i]))) {
      // Calls that follow one another: nothing happens in between.
      std::vector<cursor> group;
      std::size_t end = i;
      for (; end < list.size() && !is_null(call_in(list[end])); ++end) {
        const touched t = touched_in(list[end]);
        // What it is given may be what a call before it writes.
        const bool simple = t.local() && t.changed.empty() && !reads_exposed(t);
        if (!group.empty() && (!simple || begins(end) != nullptr)) break;
        group.push_back(list[end]);
        if (!simple) {
          ++end;
          break;
        }
      }
      const follow beyond{after, &list, end, nullptr};
      v.calls(group, says, &beyond);
      called = true;
      says = nullptr;
      i = end;
      continue;
    }
    if (walk(list[i], says, &rest, v)) {
      called = true;
      says = nullptr;
    }
    if (kind_of(list[i++]) == CXCursor_ReturnStmt) return called;
  }
  return called;
}

// Statements that may be one step. What they declare for others stays outside.
void walker::walk_group(const std::vector<cursor>& group, const pragma* says, visitor& v) {
  const unsigned end_of_all = of_.all.end_with_semicolon(of_.all.extent_of(group.back()));
  extent now{};
  touched all;
  bool returns = false;
  const auto flush = [&] {
    if (now.end != 0) v.run(now, does(all, says, now.begin), returns);
    now = {};
    all = {};
    returns = false;
  };
  for (const cursor s : group) {
    const bool declares = kind_of(s) == CXCursor_DeclStmt;
    if (kind_of(s) == CXCursor_NullStmt) continue;
    const touched t = touched_in(s);
    if (declares && used_after(s, end_of_all)) {
      flush();
      if (!t.local()) walk_declaration(s, says, v);
      continue;
    }
    if (t.local() && now.end == 0) {
      // What comes later and uses it is given a copy, or refers to it. A return in it is one of the function itself.
      continue;
    }
    const extent e = of_.all.extent_of(s);
    if (now.end == 0) now.begin = e.begin;
    now.end = of_.all.end_with_semicolon(e);
    all.add(t);
    returns = returns || has_return(s);
  }
  flush();
}

void walker::walk_declaration(cursor s, const pragma* says, visitor& v) {
  for (const cursor variable : children_of(s)) {
    if (kind_of(variable) != CXCursor_VarDecl) continue;
    const touched t = touched_in(variable);
    if (t.local()) continue;
    const unsigned begin = of_.all.name_of(variable);
    const std::string name = text_of(clang_getCursorSpelling(variable));
    const cursor initial = clang_Cursor_getVarDeclInitializer(variable);
    const CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    bool fits = !is_null(initial) && kind_of(initial) != CXCursor_InitListExpr &&
                type.kind != CXType_LValueReference && type.kind != CXType_RValueReference;
    if (fits) {
      // `T x = value`, not `T x(value)`.
      std::string_view before = std::string_view(of_.all.text()).substr(0, of_.all.extent_of(initial).begin);
      before = before.substr(0, before.find_last_not_of(" \t\r\n") + 1);
      fits = before.ends_with('=');
    }
    if (!fits) {
      v.fault(begin,
              fmt::format("'{0}' is initialized from data of others, and used after that step: declare it "
                          "first, then assign to it; or use '{0} = value'",
                          name));
      continue;
    }
    v.value(initial, does(t, says, of_.all.extent_of(initial).begin), false);
  }
}

// `offset`: where it stands; if it is come to again and again, the end of that loop.
void walker::walk_value(cursor c, const pragma* says, unsigned offset, bool update, visitor& v) {
  if (is_null(c)) return;
  if (has_call(c)) {
    v.fault(of_.all.extent_of(c).begin,
            "a call of a spliced function is part of an expression: make it a statement of its own");
    return;
  }
  const touched t = touched_in(c);
  if (t.local()) return;
  if (clang_isDeclaration(kind_of(c)) != 0) {
    v.fault(of_.all.extent_of(c).begin,
            "this condition declares a variable from data of others: declare it before");
    return;
  }
  v.value(c, does(t, says, offset), update);
}

// Returns whether there is a call of a spliced function in it.
bool walker::walk(cursor s, const pragma* says, const follow* after, visitor& v) {
  const extent e = of_.all.extent_of(s);
  if (const pragma* const p = of_.said_before(e.begin, pragma::sort::step)) says = p;
  if (!descends(s)) {
    walk_group({s}, says, v);
    return false;
  }
  const bool called = has_call(s);
  if (!is_null(call_in(s))) {
    v.calls({s}, says, after);
    return true;
  }
  const std::vector<cursor> parts = children_of(s);
  const follow again{after, nullptr, 0, &s};
  // Of a loop with calls, what is said before it is said of its head.
  const pragma* const inside = called ? nullptr : says;
  switch (kind_of(s)) {
    case CXCursor_CompoundStmt: walk_list(parts, 0, says, after, v); break;
    case CXCursor_IfStmt: walk_if(s, says, after, v); break;
    case CXCursor_ForStmt: walk_for(s, says, after, v); break;
    case CXCursor_WhileStmt:
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) walk_value(parts[i], says, e.end, false, v);
      walk(parts.back(), inside, &again, v);
      break;
    case CXCursor_DoStmt:
      walk(parts.front(), inside, &again, v);
      walk_value(parts.back(), says, e.end, false, v);
      break;
    case CXCursor_SwitchStmt:
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) walk_value(parts[i], says, e.begin, false, v);
      walk(parts.back(), says, after, v);
      break;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
      if (!parts.empty() && is_code(parts.back())) walk(parts.back(), says, after, v);
      break;
    case CXCursor_CXXForRangeStmt: {
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const touched t = touched_in(parts[i]);
        if (!t.local()) {
          v.fault(e.begin,
                  "this loop goes over data of others and has calls of spliced functions in it: count "
                  "with an index");
          break;
        }
      }
      walk(parts.back(), inside, &again, v);
      break;
    }
    case CXCursor_CXXTryStmt: {
      std::vector<cursor> blocks = parts;
      for (cursor& b : blocks) {
        if (kind_of(b) == CXCursor_CXXCatchStmt) b = children_of(b).back();
      }
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        const follow handlers{after, &blocks, i + 1, nullptr};
        walk_list(children_of(blocks[i]), 0, i == 0 ? says : inside, &handlers, v);
      }
      break;
    }
    case CXCursor_ReturnStmt:
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
      for (const cursor p : parts) {
        if (has_call(p)) {
          v.fault(e.begin, "'return' of a spliced call: make the call a statement of its own");
        } else if (!touched_in(p).local()) {
          v.fault(e.begin,
                  "'return' of something that uses data of others: make that a statement of its own");
        }
      }
      break;
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
    case CXCursor_LabelStmt:
      v.fault(e.begin, "'goto' in a spliced function: put the code with it into a function of its own");
      break;
    default:
      v.fault(e.begin,
              called
                  ? "a call of a spliced function is part of something else: make it a statement of its own"
                  : "this cannot be translated: put it into a function of its own, and call that in a step");
      break;
  }
  return called;
}

void walker::walk_if(cursor s, const pragma* says, const follow* after, visitor& v) {
  const std::vector<cursor> parts = children_of(s);
  std::size_t branches = 1;
  if (parts.size() >= 3) {
    const extent last_but_one = of_.all.extent_of(parts[parts.size() - 2]);
    const std::size_t next = of_.all.token_from(of_.all.end_with_semicolon(last_but_one));
    if (next < of_.all.tokens().size() && of_.all.words(of_.all.tokens()[next]) == "else") branches = 2;
  }
  const std::size_t first = parts.size() - branches;
  for (std::size_t i = 0; i < first; ++i) {
    walk_value(parts[i], says, of_.all.extent_of(parts[i]).begin, false, v);
  }
  for (std::size_t i = first; i < parts.size(); ++i) walk(parts[i], says, after, v);
}

void walker::walk_for(cursor s, const pragma* says, const follow* after, visitor& v) {
  counted_loop counted;
  if (is_counted(s, counted)) {
    std::vector<cursor> list{counted.body};
    if (kind_of(counted.body) == CXCursor_CompoundStmt) list = children_of(counted.body);
    const touched t = touched_in(counted.body);
    const bool calls = !list.empty() && std::all_of(list.begin(), list.end(), [&](cursor c) {
      return !is_null(call_in(c)) &&
             of_.said_before(of_.all.extent_of(c).begin, pragma::sort::step) == nullptr;
    });
    if (calls && t.local() && t.changed.empty() && !reads_exposed(touched_in(s)) &&
        !t.exposed.contains(counted.name)) {
      v.loop_of_calls(counted, list, after);
      return;
    }
  }
  // Which of its parts there are is told by where they are.
  const std::vector<cursor> parts = children_of(s);
  std::vector<unsigned> semicolons;
  int depth = 0;
  for (std::size_t i = of_.all.token_from(of_.all.extent_of(s).begin) + 1; semicolons.size() < 2; ++i) {
    const std::string_view word = of_.all.words(of_.all.tokens()[i]);
    if (word == "(" || word == "{" || word == "[") ++depth;
    if (word == ")" || word == "}" || word == "]") --depth;
    if (word == ";" && depth == 1) semicolons.push_back(of_.all.tokens()[i].begin);
  }
  const bool called = has_call(s);
  const pragma* const inside = called ? nullptr : says;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const unsigned begin = of_.all.extent_of(parts[i]).begin;
    if (begin >= semicolons[0]) {
      walk_value(parts[i], says, of_.all.extent_of(s).end, begin > semicolons[1], v);
    } else if (kind_of(parts[i]) == CXCursor_DeclStmt) {
      if (!touched_in(parts[i]).local()) walk_declaration(parts[i], says, v);
    } else {
      walk_value(parts[i], says, begin, true, v);
    }
  }
  const follow again{after, nullptr, 0, &s};
  walk(parts.back(), inside, &again, v);
}

bool walker::is_counted(cursor statement, counted_loop& result) const {
  if (kind_of(statement) != CXCursor_ForStmt) return false;
  const std::vector<cursor> parts = children_of(statement);
  if (parts.size() != 4 || kind_of(parts[0]) != CXCursor_DeclStmt) return false;
  const std::vector<cursor> declared = children_of(parts[0]);
  if (declared.size() != 1 || kind_of(declared[0]) != CXCursor_VarDecl) return false;
  const cursor initial = clang_Cursor_getVarDeclInitializer(declared[0]);
  const CXType type = clang_getCanonicalType(clang_getCursorType(declared[0]));
  if (is_null(initial) || type.kind < CXType_FirstBuiltin || type.kind > CXType_LongLong) return false;
  result.statement = statement;
  result.variable = declared[0];
  result.body = parts[3];
  result.name = text_of(clang_getCursorSpelling(declared[0]));
  const auto is_variable = [&](cursor c) {
    return clang_equalCursors(clang_getCursorReferenced(stripped(c)), declared[0]) != 0;
  };
  const auto words = [&](cursor c) { return std::string(of_.all.words(of_.all.extent_of(c))); };
  const auto steady = [&](cursor c) {
    const touched t = touched_in(c);
    return t.local() && t.changed.empty() && !has_call(c) && of_.all.is_delimited(of_.all.extent_of(c));
  };
  const std::vector<cursor> sides = children_of(parts[1]);
  if (kind_of(parts[1]) != CXCursor_BinaryOperator || sides.size() != 2 || !is_variable(sides[0]))
    return false;
  const CXBinaryOperatorKind compares = clang_getCursorBinaryOperatorKind(parts[1]);
  if (compares != CXBinaryOperator_LT && compares != CXBinaryOperator_LE) return false;
  result.inclusive = compares == CXBinaryOperator_LE;
  const CXType bound = clang_getCanonicalType(clang_getCursorType(sides[1]));
  if (!steady(initial) || !steady(sides[1]) || (bound.kind > CXType_LongLong && bound.kind != CXType_Enum))
    return false;
  result.first = words(initial);
  result.last = words(sides[1]);
  const std::vector<cursor> operands = children_of(parts[2]);
  if (operands.empty() || !is_variable(operands[0])) return false;
  if (kind_of(parts[2]) == CXCursor_CompoundAssignOperator) {
    if (clang_getCursorBinaryOperatorKind(parts[2]) != CXBinaryOperator_AddAssign || !steady(operands[1]))
      return false;
    result.by = words(operands[1]);
  } else if (kind_of(parts[2]) != CXCursor_UnaryOperator ||
             (clang_getCursorUnaryOperatorKind(parts[2]) != CXUnaryOperator_PreInc &&
              clang_getCursorUnaryOperatorKind(parts[2]) != CXUnaryOperator_PostInc)) {
    return false;
  }
  const touched t = touched_in(result.body);
  if (t.changed.contains(result.name) || t.exposed.contains(result.name)) return false;
  // What it counts to may not change on the way.
  for (const cursor c : {sides[1], parts[2]}) {
    touched bounds = touched_in(c);
    bounds.used.erase(result.name);
    for (const std::string& name : bounds.used) {
      if (t.changed.contains(name) || t.exposed.contains(name)) return false;
    }
  }
  return true;
}

std::pair<int, int> walker::calls_in(cursor s) const {
  if (!is_null(call_in(s))) return {1, 1};
  if (!has_call(s)) return {0, 0};
  const std::vector<cursor> parts = children_of(s);
  if (kind_of(s) == CXCursor_CompoundStmt) {
    std::pair<int, int> sum{0, 0};
    for (const cursor p : parts) {
      const auto [least, most] = calls_in(p);
      sum.first += least;
      sum.second += most;
    }
    return sum;
  }
  if (kind_of(s) == CXCursor_IfStmt && parts.size() == 3 && !has_call(parts[0])) {
    const auto yes = calls_in(parts[1]);
    const auto no = calls_in(parts[2]);
    return {std::min(yes.first, no.first), std::max(yes.second, no.second)};
  }
  return {0, 2};
}

}  // namespace splicec

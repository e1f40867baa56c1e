// SPDX-License-Identifier: Apache-2.0
#include "tools/splicec/translate.hpp"

#include "tools/splicec/continuation.hpp"
#include "tools/splicec/edits.hpp"
#include "tools/splicec/program.hpp"
#include "tools/splicec/tries.hpp"
#include "tools/splicec/walk.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace splicec {

namespace {

std::string without_spaces(const std::optional<std::string>& s) {
  std::string result = s.value_or("");
  std::erase(result, ' ');
  return result;
}

// Writes the library's constructs around what it comes to.
class writer : public visitor {
 public:
  writer(program& of, walker& in, const spliced_function& f, edits& to) : of_(of), in_(in), f_(f), to_(to) {}

  void write() {
    const source& all = of_.all;
    for (const cursor c : children_of(f_.definition)) {
      if (kind_of(c) != CXCursor_CompoundStmt) continue;
      if (!all.is_plain(c)) {
        all.fault(all.extent_of(f_.definition).begin,
                  "a spliced function that a macro makes is not translated");
        return;
      }
      std::vector<std::string> parts{effects_of(*f_.says)};
      if (!is_nothing(f_.inferred))
        parts.push_back(effects_of(f_.inferred, all.extent_of(f_.definition).begin));
      to_.insert(all.extent_of(c).begin + 1,
                 fmt::format(" [[maybe_unused]] const sennit::call_effects {}{{{}}};", whole_effects,
                             joined(parts)));
    }
    changed_ = in_.touched_in(f_.definition).changed;
    in_.walk_function(*this);
  }

  void run(extent statements, const step_effects& does, bool returns) override {
    warn(does);
    const std::string fx = words_of(does, statements.begin);
    const std::string captures = captures_in(statements, does.seen);
    if (returns) {
      to_.insert(statements.begin,
                 fmt::format("if (sennit::splicec::value({}, [{}]() -> bool {{ ", fx, captures));
      for (const extent r : returns_in(statements)) to_.replace(r.begin, r.end, "return true");
      to_.close(statements.end, " return false; })) return;");
    } else {
      to_.insert(statements.begin, fmt::format("sennit::step({}, [{}] {{ ", fx, captures));
      to_.close(statements.end, " });");
    }
  }

  void value(cursor expression, const step_effects& does, bool update) override {
    warn(does);
    const extent e = of_.all.extent_of(expression);
    if (!of_.all.is_delimited(e) && !of_.all.require_plain(expression)) return;
    const std::string fx = words_of(does, e.begin);
    to_.insert(e.begin, update ? fmt::format("sennit::step({}, [&] {{ ", fx)
                               : fmt::format("sennit::splicec::value({}, [&] {{ return ", fx));
    to_.close(e.end, "; })");
  }

  void calls(const std::vector<cursor>& list, const pragma* says, const follow* after) override {
    const unsigned offset = of_.all.extent_of(list.front()).begin;
    const std::string rest = continuation(in_, of_, after, offset);
    const bool alone = list.size() == 1;
    std::string before;
    std::string behind;
    if (alone) take_arguments(list.front(), says, before);
    if (!before.empty()) {
      before = "{ " + before;
      behind = " }";
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const extent e = of_.all.extent_of(list[i]);
      if (!of_.all.require_plain(list[i])) return;
      std::string text = i == 0 ? before + "sennit::sequence(" : "";
      if (i == 0 && !rest.empty()) text += fmt::format("sennit::followed_by({}), ", rest);
      to_.insert(e.begin, text + "sennit::call([&] { ");
      to_.close(of_.all.end_with_semicolon(e), i + 1 < list.size() ? " })," : " }));" + behind);
    }
  }

  void loop_of_calls(const counted_loop& loop, const std::vector<cursor>& list,
                     const follow* after) override {
    const extent e = of_.all.extent_of(loop.statement);
    const std::string rest = continuation(in_, of_, after, e.begin);
    // A call that consists of the loop, where more follows.
    std::string before;
    std::string behind;
    if (!rest.empty()) {
      before = fmt::format("sennit::sequence(sennit::followed_by({}), sennit::call([&] {{ "
                           "const sennit::call_effects sennit_loop{{sennit::effects({})}}; ",
                           rest, whole_effects);
      behind = " }));";
    }
    if (!of_.all.require_plain(loop.statement)) return;
    write_counted(of_.all, to_, loop, list, before + "sennit::sequence_of(",
                  fmt::format(" return sennit::call([&, {0}, sennit_k] {{ static_cast<void>({0}), "
                              "static_cast<void>(sennit_k);",
                              loop.name),
                  " }); });" + behind);
  }

  void fault(unsigned offset, std::string text) override { of_.all.fault(offset, std::move(text)); }

 private:
  void warn(const step_effects& does) {
    if (does.stale) {
      of_.all.warn(
          does.says->begin,
          fmt::format("a variable that is named here changes before the code that this speaks of: that is "
                      "taken to be all that '{}' reads and writes; put the pragma after the change",
                      f_.name));
    }
    if (does.says != nullptr) return;
    if (does.seen.unknown) {
      for (const auto& [offset, what] : does.seen.all_unknown) {
        of_.all.warn(
            offset, fmt::format("nothing is known of {}: it is taken to read and write everything, and so is "
                                "each call of '{}'; say what it does in a '#pragma splice step' before it",
                                what, f_.name));
      }
    } else if (does.seen.pointed) {
      of_.all.warn(
          does.seen.pointed_at,
          fmt::format(
              "data of others is used outside a step that says which: it is taken to be all that '{}' "
              "reads and writes; put a '#pragma splice step' before it",
              f_.name));
    }
  }

  // The very effects of the call cost least.
  std::string words_of(const step_effects& does, unsigned offset) const {
    if (does.says != nullptr && !does.stale && is_nothing(f_.inferred) &&
        without_spaces(does.says->reads) == without_spaces(f_.says->reads) &&
        without_spaces(does.says->writes) == without_spaces(f_.says->writes) &&
        std::none_of(does.says->names.begin(), does.says->names.end(),
                     [&](const std::string& n) { return changed_.contains(n) || in_.is_doubtful(n); })) {
      return std::string(whole_effects);
    }
    return of_step(does, offset);
  }

  // Copies of what does not change are as good as registers; the rest is referred to.
  std::string captures_in(extent statements, const touched& t) const {
    std::string result = "&";
    for (const std::string& name : t.used) {
      if (t.changed.contains(name) || in_.is_doubtful(name) || t.exposed.contains(name)) continue;
      if (in_.in_scope(name, statements.begin)) result += ", " + name;
    }
    return result;
  }

  // Those of the function itself, without their semicolons.
  std::vector<extent> returns_in(extent within) const {
    std::vector<extent> result;
    const auto look = [&](cursor around, const auto& again) -> void {
      for (const cursor c : children_of(around)) {
        if (kind_of(c) == CXCursor_LambdaExpr) continue;
        const extent e = of_.all.extent_of(c);
        if (kind_of(c) == CXCursor_ReturnStmt && within.begin <= e.begin && e.end <= within.end)
          result.push_back(e);
        again(c, again);
      }
    };
    look(f_.definition, look);
    return result;
  }

  // Arguments that read data of others do so in a step before the call.
  void take_arguments(cursor statement, const pragma* says, std::string& before) {
    const cursor call = in_.call_in(statement);
    const CXType type = clang_getCursorType(clang_getCursorReferenced(call));
    for (int i = 0; i < clang_Cursor_getNumArguments(call); ++i) {
      const cursor a = clang_Cursor_getArgument(call, static_cast<unsigned>(i));
      const CXType parameter = clang_getArgType(type, static_cast<unsigned>(i));
      const touched t = of_.reach.of_argument(a, parameter);
      if (t.local()) continue;
      const extent e = of_.all.extent_of(a);
      const CXTypeKind kind = clang_getCanonicalType(parameter).kind;
      if (kind == CXType_LValueReference || kind == CXType_RValueReference) {
        of_.all.fault(
            e.begin, "what this argument refers to is found in data of others: find it in a step before, and "
                     "keep a pointer to it");
        continue;
      }
      const step_effects does = in_.does(t, says, e.begin);
      warn(does);
      const std::string name = fmt::format("sennit_argument_{}", i);
      before += fmt::format("auto {} = sennit::splicec::value({}, [&] {{ return {}; }}); ", name,
                            words_of(does, e.begin), of_.all.words(e));
      to_.replace(e.begin, e.end, name);
    }
  }

  program& of_;
  walker& in_;
  const spliced_function& f_;
  edits& to_;
  std::set<std::string> changed_{};
};

// What each function does outside annotated steps, with what it calls.
void infer(program& of, std::map<const spliced_function*, walker>& walkers) {
  std::map<spliced_function*, std::vector<spliced_function*>> callees;
  for (auto& f : of.functions()) {
    const auto at = walkers.find(&f);
    if (at != walkers.end()) f.inferred = inferred_in(at->second, of, callees[&f]);
  }
  for (bool more = true; more;) {
    more = false;
    for (auto& [f, called] : callees) {
      const auto size = [&] {
        return f->inferred.reads.size() + f->inferred.writes.size() + (f->inferred.unknown ? 1 : 0);
      };
      const std::size_t before = size();
      for (const spliced_function* const c : called) {
        f->inferred.reads.insert(c->inferred.reads.begin(), c->inferred.reads.end());
        f->inferred.writes.insert(c->inferred.writes.begin(), c->inferred.writes.end());
        f->inferred.unknown = f->inferred.unknown || c->inferred.unknown;
      }
      more = more || size() != before;
    }
  }
}

// Functions of a C program keep their linkage; its own headers are as C means them.
void keep_linkage(const source& all, edits& to) {
  for (const cursor c : children_of(all.root())) {
    if (kind_of(c) != CXCursor_FunctionDecl || !all.in_file(c) || !all.is_plain(c)) continue;
    if (clang_Cursor_getStorageClass(c) == CX_SC_Static || text_of(clang_getCursorSpelling(c)) == "main")
      continue;
    const extent e = all.extent_of(c);
    to.insert(e.begin, "extern \"C\" { ");
    to.close(clang_isCursorDefinition(c) != 0 ? e.end : all.end_with_semicolon(e), " }");
  }
  std::size_t line = 1;
  std::size_t begin = 0;
  const std::string& text = all.text();
  for (; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view words = std::string_view(text).substr(begin, end - begin);
    const auto skip = [&] { words.remove_prefix(std::min(words.find_first_not_of(" \t"), words.size())); };
    skip();
    if (words.starts_with("#")) {
      words.remove_prefix(1);
      skip();
      if (words.starts_with("include")) {
        words.remove_prefix(std::string_view("include").size());
        skip();
        if (words.starts_with('"')) {
          to.insert(static_cast<unsigned>(begin),
                    fmt::format("extern \"C\" {{\n#line {} \"{}\"\n", line, all.path()));
          to.insert(static_cast<unsigned>(end), fmt::format("\n}}\n#line {} \"{}\"", line + 1, all.path()));
        }
      }
    }
    begin = end + 1;
  }
}

// C converts a void* to any pointer, C++ does not.
void refuse_conversions(const source& all, cursor around) {
  for (const cursor c : children_of(around)) {
    const auto pointee = [](cursor p) {
      return clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(p)));
    };
    const std::vector<cursor> inner = children_of(c);
    const bool converts = kind_of(c) == CXCursor_UnexposedExpr && inner.size() == 1 && all.is_plain(c) &&
                          pointee(c).kind != CXType_Invalid && pointee(c).kind != CXType_Void &&
                          pointee(inner.front()).kind == CXType_Void;
    if (converts) {
      const std::string type = text_of(clang_getTypeSpelling(clang_getCursorType(c)));
      all.fault(all.extent_of(c).begin,
                fmt::format("C++ does not convert this 'void *' to '{0}': write ({0}) before it", type));
    }
    refuse_conversions(all, c);
  }
}

std::string heading(const source& all) {
  std::string result =
      fmt::format("// Made by sennit splicec from {}.\n#include <sennit/splicec.hpp>\n", all.path());
  if (all.is_c()) {
    for (const char* const name : {"cassert", "cmath", "cstdio", "cstdlib", "cstring", "ctime"}) {
      result += fmt::format("#include <{}>\n", name);
    }
    result += "#define restrict __restrict\n#define _Bool bool\n#define _Static_assert static_assert\n";
  }
  return result + fmt::format("#line 1 \"{}\"\n", all.path());
}

}  // namespace

bool translation::good() const noexcept {
  return std::none_of(messages.begin(), messages.end(),
                      [](const message& m) { return m.how_bad == severity::error; });
}

translation translate(const std::string& path, const std::vector<std::string>& arguments,
                      const std::string* text) {
  translation result;
  try {
    const source all(path, arguments, text, result.messages);
    result.files = all.files();
    program of(all);
    std::map<const spliced_function*, walker> walkers;
    for (const spliced_function& f : of.functions()) {
      if (!is_null(f.definition)) walkers.try_emplace(&f, of, f.definition);
    }
    infer(of, walkers);
    edits changes;
    for (const spliced_function& f : of.functions()) {
      const auto at = walkers.find(&f);
      if (at != walkers.end()) writer(of, at->second, f, changes).write();
    }
    write_tries(of, changes);
    for (const pragma& p : of.pragmas()) {
      changes.replace(p.begin, p.end, "");
      if (p.used) continue;
      switch (p.what) {
        case pragma::sort::func:
          all.fault(p.begin,
                    "what follows is no function: put '#pragma splice func' before the declaration of one");
          break;
        case pragma::sort::step:
          all.fault(p.begin,
                    "what follows is no statement of a spliced function: put '#pragma splice step' before a "
                    "statement, and '#pragma splice func' before the function");
          break;
        case pragma::sort::attempt:
          all.fault(p.begin, "what follows is no call of a spliced function, and no loop of such calls");
          break;
      }
    }
    if (all.is_c()) {
      for (const cursor c : children_of(all.root())) {
        if (all.in_file(c)) refuse_conversions(all, c);
      }
      keep_linkage(all, changes);
    }
    std::sort(result.messages.begin(), result.messages.end(), [](const message& a, const message& b) {
      return std::tie(a.line, a.column, a.text) < std::tie(b.line, b.column, b.text);
    });
    result.text = heading(all) + changes.applied_to(all.text());
  } catch (const given_up&) {
  }
  return result;
}

}  // namespace splicec

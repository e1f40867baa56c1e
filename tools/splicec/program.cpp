// SPDX-License-Identifier: Apache-2.0
#include "tools/splicec/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace splicec {

namespace {

bool is_function(cursor c) {
  switch (kind_of(c)) {
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
    case CXCursor_FunctionTemplate:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction: return true;
    default: return false;
  }
}

// Whether a declaration that begins at `begin` is what the pragma speaks of: only attributes and the like in between.
bool speaks_of(const pragma& p, std::string_view text, unsigned begin) {
  return p.what == pragma::sort::func && p.next <= begin &&
         text.substr(p.next, begin - p.next).find_first_of(";{}") == std::string_view::npos;
}

// Empty if calls of it can be spliced.
std::string why_not_spliced(cursor c, const std::string& name) {
  if (kind_of(c) == CXCursor_FunctionTemplate ||
      clang_Cursor_isNull(clang_getSpecializedCursorTemplate(c)) == 0 ||
      kind_of(clang_getCursorSemanticParent(c)) == CXCursor_ClassTemplate) {
    return fmt::format("'{}' is a template, which is not translated: write sennit::call_effects, step and "
                       "sequence in it",
                       name);
  }
  if (kind_of(c) != CXCursor_FunctionDecl && kind_of(c) != CXCursor_CXXMethod)
    return fmt::format("'{}' is no function that can be spliced", name);
  if (clang_getCanonicalType(clang_getCursorResultType(c)).kind != CXType_Void) {
    return fmt::format(
        "'{}' returns a value, which would not be known until after its call has been spliced: "
        "let it return void, and write the result where a parameter points",
        name);
  }
  if (clang_Cursor_isVariadic(c) != 0)
    return fmt::format("'{}' has '...' among its parameters, which cannot be spliced", name);
  return {};
}

}  // namespace

program::program(const source& file)
    : all(file),
      reach(file, [this](cursor f) { return find(f) != nullptr; }),
      pragmas_(pragmas_of(file, file.main_file())) {
  for (file_text& h : file.headers()) {
    header& made = headers_.emplace_back(header{std::move(h), {}});
    made.pragmas = pragmas_of(file, made.file);
  }
  visit(file.root());
  for (spliced_function& f : functions_) {
    if (overloads_[f.name] > 1) f.plain = false;
  }
  find_steady();
}

void program::visit(cursor around) {
  for (const cursor c : children_of(around)) {
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(c)) != 0) continue;
    if (is_function(c)) {
      declare(c);
    } else if (kind_of(c) == CXCursor_Namespace || kind_of(c) == CXCursor_LinkageSpec ||
               kind_of(c) == CXCursor_UnexposedDecl || kind_of(c) == CXCursor_ClassDecl ||
               kind_of(c) == CXCursor_StructDecl || kind_of(c) == CXCursor_ClassTemplate) {
      visit(c);
    }
  }
}

void program::declare(cursor c) {
  const std::string usr = usr_of(c);
  const std::string name = qualified_name(c);
  if (counted_.insert(usr).second) ++overloads_[name];
  const bool here = all.in_file(c);
  const bool defines = clang_isCursorDefinition(c) != 0;
  if (here && defines) definitions_.push_back(c);

  const unsigned begin = all.extent_of(c).begin;
  pragma* found = nullptr;
  const file_text* file = &all.main_file();
  const auto look = [&](std::vector<pragma>& said, std::string_view text) {
    for (pragma& p : said) {
      if (speaks_of(p, text, begin)) found = &p;
    }
  };
  if (here) {
    look(pragmas_, all.text());
  } else {
    CXFile handle = nullptr;
    clang_getExpansionLocation(clang_getCursorLocation(c), &handle, nullptr, nullptr, nullptr);
    for (header& h : headers_) {
      if (handle == nullptr || clang_File_isEqual(handle, h.file.handle) == 0) continue;
      file = &h.file;
      look(h.pragmas, h.file.text);
    }
  }
  const auto known = by_usr_.find(usr);
  spliced_function* f = known == by_usr_.end() ? nullptr : known->second;
  if (found != nullptr) {
    found->used = true;
    if (std::string why = why_not_spliced(c, name); !why.empty()) {
      return all.say(severity::error, *file, begin, std::move(why));
    }
    if (f == nullptr) {
      f = by_usr_[usr] = &functions_.emplace_back();
      f->usr = usr;
      f->name = name;
      f->declaration = c;
      f->definition = clang_getNullCursor();
      f->plain = kind_of(c) == CXCursor_FunctionDecl;
    }
    f->says = found;
    // The names that what is said uses.
    f->parameters.clear();
    for (int i = 0; i < clang_Cursor_getNumArguments(c); ++i) {
      f->parameters.push_back(
          text_of(clang_getCursorSpelling(clang_Cursor_getArgument(c, static_cast<unsigned>(i)))));
    }
  }
  if (f == nullptr || !defines) return;
  if (here) {
    f->definition = c;
  } else if (found != nullptr) {
    all.say(severity::error, *file, begin,
            fmt::format("'{}' is defined in a header, which is not translated: only declare it there, with "
                        "its '#pragma splice func', and define it in {}",
                        name, all.path()));
  }
}

void program::find_steady() {
  touched by_all;
  for (const cursor f : definitions_) {
    touched t = reach.of(f);
    if (text_of(clang_getCursorSpelling(f)) == "main") t.writes.clear();
    by_all.add(t);
  }
  const auto said = [&](const std::string& name) {
    return std::any_of(pragmas_.begin(), pragmas_.end(),
                       [&](const pragma& p) { return p.writes && p.names.contains(name); });
  };
  std::set<global> steady;
  const auto collect = [&](cursor around, const auto& again) -> void {
    for (const cursor c : children_of(around)) {
      if (kind_of(c) == CXCursor_Namespace) again(c, again);
      if (kind_of(c) != CXCursor_VarDecl || !all.in_file(c)) continue;
      if (clang_getCursorLinkage(c) != CXLinkage_Internal &&
          clang_getCursorLinkage(c) != CXLinkage_UniqueExternal) {
        continue;
      }
      const global g{qualified_name(c), all.extent_of(c).begin};
      if (by_all.writes.contains(g) || by_all.addressed.contains(g)) continue;
      if (!is_number_or_pointer(clang_getCursorType(c)) ||
          said(fmt::format("&{}", text_of(clang_getCursorSpelling(c)))))
        continue;
      steady.insert(g);
    }
  };
  collect(all.root(), collect);
  reach.keep(std::move(steady));
}

spliced_function* program::find(cursor function) {
  if (is_null(function)) return nullptr;
  const auto at = by_usr_.find(usr_of(function));
  return at == by_usr_.end() ? nullptr : at->second;
}

pragma* program::said_before(unsigned offset, pragma::sort what) {
  pragma* found = nullptr;
  for (pragma& p : pragmas_) {
    if (p.next == offset && p.what == what) found = &p;
  }
  if (found != nullptr) found->used = true;
  return found;
}

bool program::steps_in(extent e) const {
  return std::any_of(pragmas_.begin(), pragmas_.end(), [&](const pragma& p) {
    return p.what != pragma::sort::func && e.begin < p.begin && p.begin < e.end;
  });
}

}  // namespace splicec

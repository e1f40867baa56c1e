// SPDX-License-Identifier: Apache-2.0
#include "tools/splicec/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <system_error>

namespace splicec {

std::string to_string(const message& m) {
  constexpr const char* words[] = {"note", "warning", "error"};
  return fmt::format("{}:{}:{}: {}: {}", m.file, m.line, m.column, words[static_cast<int>(m.how_bad)],
                     m.text);
}

std::string text_of(CXString s) {
  const char* const text = clang_getCString(s);
  std::string result = text == nullptr ? "" : text;
  clang_disposeString(s);
  return result;
}

std::vector<cursor> children_of(cursor c) {
  std::vector<cursor> result;
  clang_visitChildren(
      c,
      [](CXCursor child, CXCursor, CXClientData data) {
        static_cast<std::vector<cursor>*>(data)->push_back(child);
        return CXChildVisit_Continue;
      },
      &result);
  return result;
}

CXCursorKind kind_of(cursor c) { return clang_getCursorKind(c); }
bool is_null(cursor c) { return clang_Cursor_isNull(c) != 0 || clang_isInvalid(clang_getCursorKind(c)) != 0; }

cursor stripped(cursor c) {
  while (kind_of(c) == CXCursor_ParenExpr || kind_of(c) == CXCursor_UnexposedExpr) {
    const std::vector<cursor> inner = children_of(c);
    if (inner.size() != 1) break;
    c = inner.front();
  }
  return c;
}

namespace {

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw std::runtime_error(fmt::format("cannot read {}: {}", path, std::generic_category().message(errno)));
  return {std::istreambuf_iterator<char>(in), {}};
}

unsigned offset_of(CXSourceLocation at) {
  unsigned offset = 0;
  clang_getExpansionLocation(at, nullptr, nullptr, nullptr, &offset);
  return offset;
}

}  // namespace

source::source(const std::string& path, const std::vector<std::string>& arguments, const std::string* text,
               std::vector<message>& messages)
    : main_{nullptr, path, text != nullptr ? *text : read(path), {}}, messages_(messages) {
  is_c_ = path.ends_with(".c");
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == "-x") is_c_ = arguments[i + 1] == "c";
  }
  std::vector<const char*> words;
  for (const std::string& a : arguments) words.push_back(a.c_str());
  CXUnsavedFile given{path.c_str(), main_.text.c_str(), main_.text.size()};
  index_ = clang_createIndex(0, 0);
  const CXErrorCode code =
      clang_parseTranslationUnit2(index_, path.c_str(), words.data(), static_cast<int>(words.size()), &given,
                                  1, CXTranslationUnit_DetailedPreprocessingRecord, &unit_);
  if (code != CXError_Success) {
    clang_disposeIndex(index_);
    throw std::runtime_error(
        fmt::format("clang cannot make anything of {} (code {}); are its arguments right?", path,
                    static_cast<int>(code)));
  }
  main_.handle = clang_getFile(unit_, path.c_str());
  bool broken = false;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit_); ++i) {
    const CXDiagnostic d = clang_getDiagnostic(unit_, i);
    if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
      broken = true;
      CXFile file = nullptr;
      unsigned line = 0;
      unsigned column = 0;
      clang_getExpansionLocation(clang_getDiagnosticLocation(d), &file, &line, &column, nullptr);
      messages_.push_back({severity::error, file != nullptr ? text_of(clang_getFileName(file)) : path, line,
                           column, text_of(clang_getDiagnosticSpelling(d))});
    }
    clang_disposeDiagnostic(d);
  }
  if (broken) {
    clang_disposeTranslationUnit(unit_);
    clang_disposeIndex(index_);
    throw given_up();
  }
  main_.tokens = tokens_of(main_.handle, main_.text.size());
}

std::vector<token> source::tokens_of(CXFile file, std::size_t size) const {
  const CXSourceRange whole =
      clang_getRange(clang_getLocationForOffset(unit_, file, 0),
                     clang_getLocationForOffset(unit_, file, static_cast<unsigned>(size)));
  CXToken* found = nullptr;
  unsigned count = 0;
  clang_tokenize(unit_, whole, &found, &count);
  std::vector<token> result;
  result.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    const CXSourceRange r = clang_getTokenExtent(unit_, found[i]);
    unsigned begin = 0;
    unsigned end = 0;
    clang_getSpellingLocation(clang_getRangeStart(r), nullptr, nullptr, nullptr, &begin);
    clang_getSpellingLocation(clang_getRangeEnd(r), nullptr, nullptr, nullptr, &end);
    result.push_back({clang_getTokenKind(found[i]), begin, end});
  }
  clang_disposeTokens(unit_, found, count);
  return result;
}

std::vector<file_text> source::headers() const {
  std::vector<file_text> result;
  for (const std::string& name : files()) {
    const CXFile handle = clang_getFile(unit_, name.c_str());
    if (handle == nullptr || clang_File_isEqual(handle, main_.handle) != 0) continue;
    if (clang_Location_isInSystemHeader(clang_getLocationForOffset(unit_, handle, 0)) != 0) continue;
    std::size_t size = 0;
    const char* const text = clang_getFileContents(unit_, handle, &size);
    if (text == nullptr || std::string_view(text, size).find("splice") == std::string_view::npos) continue;
    result.push_back({handle, name, std::string(text, size), tokens_of(handle, size)});
  }
  return result;
}

bool source::is_skipped(const file_text& file, unsigned offset) const {
  CXSourceRangeList* const skipped = clang_getSkippedRanges(unit_, file.handle);
  bool found = false;
  for (unsigned i = 0; i < skipped->count; ++i) {
    found = found || (offset_of(clang_getRangeStart(skipped->ranges[i])) <= offset &&
                      offset < offset_of(clang_getRangeEnd(skipped->ranges[i])));
  }
  clang_disposeSourceRangeList(skipped);
  return found;
}

bool source::declares(std::string_view name) const {
  if (declared_.empty()) {
    clang_visitChildren(
        root(),
        [](CXCursor c, CXCursor, CXClientData data) {
          const CXCursorKind kind = kind_of(c);
          if (clang_isDeclaration(kind) != 0 || kind == CXCursor_MacroDefinition)
            static_cast<decltype(declared_)*>(data)->insert(text_of(clang_getCursorSpelling(c)));
          return CXChildVisit_Recurse;
        },
        &declared_);
  }
  return declared_.contains(name);
}

source::~source() {
  clang_disposeTranslationUnit(unit_);
  clang_disposeIndex(index_);
}

cursor source::root() const { return clang_getTranslationUnitCursor(unit_); }

std::vector<std::string> source::files() const {
  std::vector<std::string> result;
  clang_getInclusions(
      unit_,
      [](CXFile file, CXSourceLocation*, unsigned, CXClientData data) {
        static_cast<std::vector<std::string>*>(data)->push_back(text_of(clang_getFileName(file)));
      },
      &result);
  return result;
}

extent source::extent_of(cursor c) const {
  const CXSourceRange r = clang_getCursorExtent(c);
  return {offset_of(clang_getRangeStart(r)), offset_of(clang_getRangeEnd(r))};
}

unsigned source::name_of(cursor c) const { return offset_of(clang_getCursorLocation(c)); }

bool source::in_file(cursor c) const {
  CXFile file = nullptr;
  clang_getExpansionLocation(clang_getCursorLocation(c), &file, nullptr, nullptr, nullptr);
  return file != nullptr && clang_File_isEqual(file, main_.handle) != 0;
}

bool source::is_plain(cursor c) const {
  const CXSourceRange r = clang_getCursorExtent(c);
  for (const CXSourceLocation at : {clang_getRangeStart(r), clang_getRangeEnd(r)}) {
    CXFile file = nullptr;
    unsigned spelled = 0;
    clang_getSpellingLocation(at, &file, nullptr, nullptr, &spelled);
    if (file == nullptr || clang_File_isEqual(file, main_.handle) == 0 || spelled != offset_of(at))
      return false;
  }
  return true;
}

bool source::require_plain(cursor c) const {
  if (is_plain(c)) return true;
  fault(extent_of(c).begin, "this comes from a macro, where it cannot be translated: write it out");
  return false;
}

bool source::is_delimited(extent e) const {
  const auto is_one_of = [&](const token& t, std::initializer_list<std::string_view> marks) {
    return std::find(marks.begin(), marks.end(), words(t)) != marks.end();
  };
  const std::size_t first = token_from(e.begin);
  const std::size_t next = token_from(e.end);
  std::size_t before = first;
  while (before > 0 && tokens()[--before].kind == CXToken_Comment) {
  }
  return first > 0 && next < tokens().size() &&
         is_one_of(tokens()[before], {"(", ",", ";", "=", "<", "<=", "+="}) &&
         is_one_of(tokens()[next], {")", ",", ";"});
}

std::size_t source::token_from(unsigned offset) const {
  auto at = std::lower_bound(tokens().begin(), tokens().end(), offset,
                             [](const token& t, unsigned o) { return t.begin < o; });
  while (at != tokens().end() && at->kind == CXToken_Comment) ++at;
  return static_cast<std::size_t>(at - tokens().begin());
}

unsigned source::end_with_semicolon(extent e) const {
  if (e.end > e.begin && text()[e.end - 1] == ';') return e.end;
  const std::size_t next = token_from(e.end);
  return next < tokens().size() && words(tokens()[next]) == ";" ? tokens()[next].end : e.end;
}

void source::say(severity how_bad, const file_text& file, unsigned offset, std::string text) const {
  unsigned line = 0;
  unsigned column = 0;
  clang_getExpansionLocation(clang_getLocationForOffset(unit_, file.handle, offset), nullptr, &line, &column,
                             nullptr);
  for (const message& other : messages_) {
    if (other.file == file.path && other.line == line && other.column == column && other.text == text) return;
  }
  messages_.push_back({how_bad, file.path, line, column, std::move(text)});
}

}  // namespace splicec

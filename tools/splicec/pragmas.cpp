// SPDX-License-Identifier: Apache-2.0
#include "tools/splicec/pragmas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

namespace splicec {

namespace {

constexpr std::string_view usage =
    "write '#pragma splice func Reads(...) Writes(...)', '#pragma splice step Reads(...) Writes(...)' "
    "or '#pragma splice try(n)'";

// Of C++, and what a translated program knows besides: the names of any file may be others.
constexpr std::array<std::string_view, 18> words_of_regions = {
    "RE",      "object", "memory_range", "memory_box",  "index_set",  "subtree",
    "range",   "sennit", "std",          "static_cast", "const_cast", "reinterpret_cast",
    "nullptr", "true",   "false",        "bool",        "auto",       "this"};

// What clang says of a number of calls; empty if nothing. Names in it stand for anything.
std::string fault_of_count(const std::string& count) {
  constexpr const char* file = "count.cpp";
  const std::string text = fmt::format("const long long count = ({}\n);\n", count);
  CXUnsavedFile given{file, text.data(), text.size()};
  const std::unique_ptr<void, decltype(&clang_disposeIndex)> index(clang_createIndex(0, 0),
                                                                   clang_disposeIndex);
  const std::unique_ptr<CXTranslationUnitImpl, decltype(&clang_disposeTranslationUnit)> unit(
      clang_parseTranslationUnit(index.get(), file, nullptr, 0, &given, 1, 0), clang_disposeTranslationUnit);
  if (unit == nullptr) return {};
  std::string fault;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit.get()); ++i) {
    const CXDiagnostic d = clang_getDiagnostic(unit.get(), i);
    if (fault.empty() && clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error &&
        text_of(clang_getDiagnosticCategoryText(d)) == "Parse Issue") {
      fault = text_of(clang_getDiagnosticSpelling(d));
    }
    clang_disposeDiagnostic(d);
  }
  if (!fault.empty()) return fault;
  for (const cursor c : children_of(clang_getTranslationUnitCursor(unit.get()))) {
    if (kind_of(c) != CXCursor_VarDecl) continue;
    const CXEvalResult value = clang_Cursor_Evaluate(c);
    if (value == nullptr) continue;
    if (clang_EvalResult_getKind(value) == CXEval_Int && clang_EvalResult_getAsLongLong(value) < 0)
      fault = "it is less than 0";
    clang_EvalResult_dispose(value);
  }
  return fault;
}

class reader {
 public:
  reader(const source& all, const file_text& file) : all_(all), file_(file) {}

  std::vector<pragma> read() {
    std::vector<pragma> result;
    while (at_ < file_.tokens.size()) {
      if (is(at_, "#") && is(at_ + 1, "pragma") && is(at_ + 2, "splice") && starts_line(at_)) {
        pragma_at(result);
      } else {
        ++at_;
      }
    }
    return result;
  }

 private:
  bool is(std::size_t i, std::string_view word) const {
    return i < file_.tokens.size() && file_.tokens[i].kind != CXToken_Comment &&
           file_.words(file_.tokens[i]) == word;
  }
  bool starts_line(std::size_t i) const {
    const std::string_view before = std::string_view(file_.text).substr(0, file_.tokens[i].begin);
    const std::size_t last = before.find_last_not_of(" \t");
    return last == std::string_view::npos || before[last] == '\n';
  }
  // A backslash lets a line go on.
  unsigned end_of_line(unsigned from) const {
    std::size_t end = from;
    do {
      end = std::min(file_.text.find('\n', end + (end > from ? 1 : 0)), file_.text.size());
    } while (end > from && end < file_.text.size() &&
             (file_.text[end - 1] == '\\' || file_.text.substr(end - 2, 2) == "\\\r"));
    return static_cast<unsigned>(end);
  }
  void fault(unsigned offset, std::string text) const {
    all_.say(severity::error, file_, offset, std::move(text));
  }

  void pragma_at(std::vector<pragma>& result) {
    const std::size_t first = at_;
    pragma p{pragma::sort::step, file_.tokens[first].begin, end_of_line(file_.tokens[first].begin), 0};
    std::size_t last = first;
    while (last < file_.tokens.size() && file_.tokens[last].begin < p.end) ++last;
    std::size_t next = last;
    for (; next < file_.tokens.size(); ++next) {
      if (file_.tokens[next].kind == CXToken_Comment) continue;
      if (!is(next, "#") || !starts_line(next)) break;
      // Another directive.
      const unsigned end = end_of_line(file_.tokens[next].begin);
      while (next + 1 < file_.tokens.size() && file_.tokens[next + 1].begin < end) ++next;
    }
    p.next = next < file_.tokens.size() ? file_.tokens[next].begin : static_cast<unsigned>(file_.text.size());
    at_ = last;
    if (all_.is_skipped(file_, p.begin)) return;
    if (parse(p, first + 3, last)) result.push_back(std::move(p));
  }

  // The tokens [i, last) are those after "splice".
  bool parse(pragma& p, std::size_t i, std::size_t last) {
    const auto offset = [&](std::size_t k) { return k < last ? file_.tokens[k].begin : p.begin; };
    if (i < last && is(i, "func")) {
      p.what = pragma::sort::func;
    } else if (i < last && is(i, "try")) {
      p.what = pragma::sort::attempt;
    } else if (i >= last || !is(i, "step")) {
      fault(offset(i), fmt::format("this says nothing of splicing: {}", usage));
      return false;
    }
    ++i;
    if (p.what == pragma::sort::attempt) {
      const auto [text, after] = in_parentheses(i, last);
      if (!text || text->empty()) {
        fault(offset(i), "say how many calls are to be spliced: '#pragma splice try(n)'");
        return false;
      }
      if (const std::string wrong = fault_of_count(*text); !wrong.empty()) {
        fault(offset(i + 1), fmt::format("this is no number of calls: {}", wrong));
        return false;
      }
      p.together = *text;
      i = after;
    }
    for (; i < last && file_.tokens[i].kind == CXToken_Comment; ++i) {
    }
    while (i < last && p.what != pragma::sort::attempt && (is(i, "Reads") || is(i, "Writes"))) {
      std::optional<std::string>& list = is(i, "Reads") ? p.reads : p.writes;
      const std::string word(file_.words(file_.tokens[i]));
      if (list) {
        fault(offset(i), fmt::format("there are two {0}(...) here: make one of them, as in {0}(a, b)", word));
        return false;
      }
      const std::size_t list_begin = i + 2;
      for (std::size_t k = list_begin; k < last; ++k) {
        if (file_.tokens[k].kind != CXToken_Identifier) continue;
        const std::string name(file_.words(file_.tokens[k]));
        if (is(k - 1, "&") || (is(k - 1, "(") && is(k - 2, "object"))) p.names.insert("&" + name);
        p.names.insert(name);
      }
      const auto [text, after] = in_parentheses(i + 1, last);
      if (!text) {
        fault(offset(i),
              fmt::format("{}( is not closed on this line; a backslash at its end lets it go on", word));
        return false;
      }
      if (!names_are_known(list_begin, after)) return false;
      list = *text;
      i = after;
      for (; i < last && file_.tokens[i].kind == CXToken_Comment; ++i) {
      }
    }
    if (i < last) {
      fault(offset(i), fmt::format("'{}' is not expected here: {}", file_.words(file_.tokens[i]), usage));
      return false;
    }
    if (p.what == pragma::sort::func && !p.says_effects()) {
      fault(p.begin,
            "say what a call of the function reads and writes: Reads(...) and Writes(...), or Reads() if "
            "it is nothing that others use");
      return false;
    }
    return true;
  }

  // The compiler would speak of the function that the region's words have gone to.
  bool names_are_known(std::size_t first, std::size_t last) const {
    for (std::size_t k = first; k < last; ++k) {
      if (file_.tokens[k].kind != CXToken_Identifier) continue;
      const std::string_view name = file_.words(file_.tokens[k]);
      const bool member = is(k - 1, ".") || is(k - 1, "->") || is(k - 1, "::");
      if (member || std::ranges::find(words_of_regions, name) != words_of_regions.end() ||
          all_.declares(name))
        continue;
      fault(file_.tokens[k].begin,
            fmt::format("'{}' is declared nowhere: name what can be named where the pragma stands", name));
      return false;
    }
    return true;
  }

  // What stands between ( at token i and its ), and the token after that.
  std::pair<std::optional<std::string>, std::size_t> in_parentheses(std::size_t i, std::size_t last) const {
    if (i >= last || !is(i, "(")) return {std::nullopt, i};
    int depth = 0;
    for (std::size_t k = i; k < last; ++k) {
      if (is(k, "(")) ++depth;
      if (!is(k, ")") || --depth > 0) continue;
      std::string text;
      for (std::size_t word = i + 1; word < k; ++word) {
        if (file_.tokens[word].kind == CXToken_Comment) continue;
        if (!text.empty() && file_.tokens[word].begin != file_.tokens[word - 1].end) text += ' ';
        text += file_.words(file_.tokens[word]);
      }
      return {text, k + 1};
    }
    return {std::nullopt, i};
  }

  const source& all_;
  const file_text& file_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<pragma> pragmas_of(const source& all, const file_text& file) { return reader(all, file).read(); }

}  // namespace splicec

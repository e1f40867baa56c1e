// SPDX-License-Identifier: Apache-2.0
// The file that is translated: its text, its tokens, and what is said of them.
#pragma once

#include <clang-c/Index.h>

#include <cstddef>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace splicec {

enum class severity { note, warning, error };

struct message {
  severity how_bad;
  std::string file;
  unsigned line;
  unsigned column;
  std::string text;
};

// "file:line:column: error: text"
std::string to_string(const message& m);

// The file cannot be translated; what is wrong is among the messages.
struct given_up : std::runtime_error {
  given_up() : std::runtime_error("given up") {}
};

struct token {
  CXTokenKind kind;
  unsigned begin;  // offsets
  unsigned end;
};

using cursor = CXCursor;

struct extent {
  unsigned begin = 0;
  unsigned end = 0;
};

std::string text_of(CXString s);
std::vector<cursor> children_of(cursor c);
CXCursorKind kind_of(cursor c);
// Without parentheses and implicit conversions.
cursor stripped(cursor c);
bool is_null(cursor c);

// A file that was read, which may be a header.
struct file_text {
  CXFile handle = nullptr;
  std::string path;
  std::string text;
  std::vector<token> tokens;

  std::string_view words(const token& t) const {
    return std::string_view(text).substr(t.begin, t.end - t.begin);
  }
};

class source {
 public:
  // Parses `path`, with the arguments of a compiler. If `text` is not null it is what the file is taken to hold. Throws
  // given_up with messages of clang's in `messages` if it is no C or C++, and std::runtime_error if there is no such file.
  source(const std::string& path, const std::vector<std::string>& arguments, const std::string* text,
         std::vector<message>& messages);
  source(const source&) = delete;
  source& operator=(const source&) = delete;
  ~source();

  const std::string& path() const noexcept { return main_.path; }
  const std::string& text() const noexcept { return main_.text; }
  const std::vector<token>& tokens() const noexcept { return main_.tokens; }
  const file_text& main_file() const noexcept { return main_; }
  // Those with `#pragma splice` in them.
  std::vector<file_text> headers() const;
  // Whether the preprocessor leaves it out.
  bool is_skipped(const file_text& file, unsigned offset) const;
  // Whether anything in what was read has this name, macros included.
  bool declares(std::string_view name) const;
  bool is_c() const noexcept { return is_c_; }
  CXTranslationUnit unit() const noexcept { return unit_; }
  cursor root() const;
  // All files that were read.
  std::vector<std::string> files() const;

  std::string_view words(extent e) const {
    return std::string_view(main_.text).substr(e.begin, e.end - e.begin);
  }
  std::string_view words(const token& t) const { return words({t.begin, t.end}); }
  // In terms of the file itself; macros count as where they are used.
  extent extent_of(cursor c) const;
  // Of its name.
  unsigned name_of(cursor c) const;
  bool in_file(cursor c) const;
  // Written in the file as it stands, and not in a macro.
  bool is_plain(cursor c) const;
  // Says so if it is not.
  bool require_plain(cursor c) const;
  // All that stands between two commas, semicolons, parentheses or the like: macros in it do not matter.
  bool is_delimited(extent e) const;
  // Of the first token that is no comment and begins at `offset` or later.
  std::size_t token_from(unsigned offset) const;
  // The end of the statement, with its semicolon.
  unsigned end_with_semicolon(extent e) const;

  void say(severity how_bad, const file_text& file, unsigned offset, std::string text) const;
  void warn(unsigned offset, std::string text) const {
    say(severity::warning, main_, offset, std::move(text));
  }
  // Goes on, so that more may be found.
  void fault(unsigned offset, std::string text) const {
    say(severity::error, main_, offset, std::move(text));
  }

 private:
  std::vector<token> tokens_of(CXFile file, std::size_t size) const;

  file_text main_;
  mutable std::set<std::string, std::less<>> declared_{};  // once somebody has asked
  std::vector<message>& messages_;
  CXIndex index_ = nullptr;
  CXTranslationUnit unit_ = nullptr;
  bool is_c_ = false;
};

}  // namespace splicec

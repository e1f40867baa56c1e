// SPDX-License-Identifier: Apache-2.0
#include "gallery/file.hpp"
#include "gallery/input_error.hpp"
#include "gallery/sparse_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace gallery {
namespace {

using words = std::vector<std::string_view>;

constexpr std::string_view blanks = " \t\r\f\v";

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

struct entry {
  std::size_t row;
  std::size_t column;
  double value;
  std::size_t line;
};

class reader {
 public:
  explicit reader(const std::filesystem::path& path)
      : path_(path.string()), bytes_(read_file(path)), rest_(bytes_.data(), bytes_.size()) {}

  sparse_matrix read() {
    read_banner();
    read_size();
    read_entries();
    return compress();
  }

 private:
  [[noreturn]] void fail(std::size_t line, std::string_view what) const {
    throw input_error(fmt::format("'{}', line {}: {}", path_, line, what));
  }
  [[noreturn]] void fail(std::string_view what) const { fail(line_, what); }

  // The next line's words, which point into the file; false at its end.
  bool next_line(words& found) {
    if (rest_.empty()) return false;
    ++line_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    found.clear();
    for (;;) {
      line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
      if (line.empty()) return true;
      const std::size_t length = std::min(line.find_first_of(blanks), line.size());
      found.push_back(line.substr(0, length));
      line.remove_prefix(length);
    }
  }

  bool next_filled_line(words& found) {
    while (next_line(found)) {
      if (!found.empty()) return true;
    }
    return false;
  }

  template <class Number>
  Number number(std::string_view word, std::string_view what, std::string_view remedy) const {
    const std::string_view digits =
        word.size() > 1 && word[0] == '+' && word[1] != '-' ? word.substr(1) : word;
    Number result{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
    if (error == std::errc::result_out_of_range)
      fail(fmt::format("the {} '{}' is too large or too small; {}", what, word, remedy));
    if (error != std::errc{} || end != digits.data() + digits.size()) {
      fail(fmt::format("'{}' is no {}; {}", word, what, remedy));
    }
    return result;
  }

  // "%%MatrixMarket matrix coordinate FIELD SYMMETRY"
  void read_banner() {
    words found;
    next_line(found);
    if (found.empty() || lower_case(found[0]) != "%%matrixmarket") {
      fail("this is not a MatrixMarket file, which begins with '%%MatrixMarket'; convert the matrix to that "
           "format");
    }
    if (found.size() != 5) {
      fail("the first line has to be five words; write '%%MatrixMarket matrix coordinate real general', or "
           "what it is");
    }
    const auto expect = [&](std::size_t i, std::string_view what,
                            std::initializer_list<std::string_view> known) {
      std::string word = lower_case(found[i]);
      if (std::find(known.begin(), known.end(), word) == known.end()) {
        fail(fmt::format("cannot read the {} '{}'; convert the file to '{}'", what, found[i],
                         fmt::join(known, "' or '")));
      }
      return word;
    };
    expect(1, "object", {"matrix"});
    expect(2, "format", {"coordinate"});
    field_ = expect(3, "field", {"real", "integer", "pattern"});
    symmetric_ = expect(4, "symmetry", {"general", "symmetric"}) == "symmetric";
  }

  // "ROWS COLUMNS ENTRIES", after any number of comments
  void read_size() {
    words found;
    do {
      if (!next_filled_line(found)) {
        fail("the file ends before the line with its size; copy it again");
      }
    } while (found[0].starts_with('%'));
    constexpr std::string_view remedy = "give the numbers of rows, columns and entries here";
    if (found.size() != 3) fail(fmt::format("{} words where there have to be 3; {}", found.size(), remedy));
    size_line_ = line_;
    rows_ = number<std::size_t>(found[0], "number of rows", remedy);
    columns_ = number<std::size_t>(found[1], "number of columns", remedy);
    count_ = number<std::size_t>(found[2], "number of entries", remedy);
    if (rows_ == 0 || columns_ == 0)
      fail("the matrix has no cells; give one with a row and a column at least");
    if (std::max(rows_, columns_) > most_sparse_rows) {
      fail(fmt::format("{} x {} cells are too many; give a matrix of at most {} rows and columns", rows_,
                       columns_, most_sparse_rows));
    }
    if (symmetric_ && rows_ != columns_) {
      fail(fmt::format("{} x {} cells cannot be symmetric; call the matrix general in line 1", rows_,
                       columns_));
    }
  }

  // "ROW COLUMN VALUE", counted from 1; no value if the field is "pattern"
  void read_entries() {
    // An entry takes four bytes at least: so a wrong number of them costs no memory.
    entries_.reserve(std::min(count_, rest_.size() / 4 + 1));
    const std::size_t expected = field_ == "pattern" ? 2 : 3;
    words found;
    while (next_filled_line(found)) {
      if (entries_.size() == count_) {
        fail(fmt::format("there are more entries than the {} of line {}; correct that number", count_,
                         size_line_));
      }
      if (found.size() != expected) {
        fail(fmt::format("{} words where an entry has {}; give {}", found.size(), expected,
                         expected == 2 ? "row and column" : "row, column and value"));
      }
      const std::size_t row = index(found[0], "row", rows_);
      const std::size_t column = index(found[1], "column", columns_);
      if (symmetric_ && column > row) {
        fail(fmt::format(
            "row {}, column {} is above the diagonal, which a symmetric matrix leaves out; give the cell "
            "below instead, or call the matrix general in line 1",
            row, column));
      }
      entries_.push_back({row - 1, column - 1, expected == 2 ? 1.0 : value(found[2]), line_});
    }
    if (entries_.size() < count_) {
      fail(fmt::format(
          "the file ends after {} entries, and line {} says {}; copy it again or correct that number",
          entries_.size(), size_line_, count_));
    }
  }

  std::size_t index(std::string_view word, std::string_view what, std::size_t most) const {
    const std::string remedy = fmt::format("give a number from 1 to {}, as line {} says", most, size_line_);
    const auto result = number<std::size_t>(word, what, remedy);
    if (result == 0 || result > most) fail(fmt::format("there is no {} {}; {}", what, result, remedy));
    return result;
  }

  double value(std::string_view word) const {
    if (field_ == "integer") {
      return static_cast<double>(
          number<std::int64_t>(word, "integer", "call the matrix real in line 1, or give a whole number"));
    }
    constexpr std::string_view remedy = "give a number such as -1.5e10";
    const auto result = number<double>(word, "number", remedy);
    if (!std::isfinite(result)) fail(fmt::format("'{}' is no finite number; {}", word, remedy));
    return result;
  }

  sparse_matrix compress() {
    const auto before = [](const entry& a, const entry& b) {
      return std::tie(a.row, a.column, a.line) < std::tie(b.row, b.column, b.line);
    };
    std::sort(entries_.begin(), entries_.end(), before);
    const auto twice =
        std::adjacent_find(entries_.begin(), entries_.end(), [](const entry& a, const entry& b) {
          return a.row == b.row && a.column == b.column;
        });
    if (twice != entries_.end()) {
      fail(twice[1].line, fmt::format("row {}, column {} has been given in line {}; keep one of the two",
                                      twice->row + 1, twice->column + 1, twice->line));
    }
    if (symmetric_) {
      for (std::size_t i = 0; i < count_; ++i) {
        const entry e = entries_[i];
        if (e.row != e.column) entries_.push_back({e.column, e.row, e.value, e.line});
      }
      std::sort(entries_.begin(), entries_.end(), before);
    }

    sparse_matrix result{rows_, columns_, {}, {}, {}};
    result.starts.reserve(rows_ + 1);
    result.indices.reserve(entries_.size());
    result.values.reserve(entries_.size());
    for (const entry& e : entries_) {
      while (result.starts.size() <= e.row) result.starts.push_back(result.indices.size());
      result.indices.push_back(static_cast<std::uint32_t>(e.column));
      result.values.push_back(e.value);
    }
    while (result.starts.size() <= rows_) result.starts.push_back(result.indices.size());
    return result;
  }

  const std::string path_;
  const std::vector<char> bytes_;
  std::string_view rest_;
  std::size_t line_ = 0;  // the one read last

  std::string field_;
  bool symmetric_ = false;
  std::size_t size_line_ = 0;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t count_ = 0;
  std::vector<entry> entries_;
};

}  // namespace

sparse_matrix read_matrix_market(const std::filesystem::path& path) { return reader(path).read(); }

}  // namespace gallery

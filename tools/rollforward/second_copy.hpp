// SPDX-License-Identifier: Apache-2.0
// A procedure once more, in which promotion points are jumps. docs/design/rollforward.md says why it looks as it does.
#pragma once

#include "tools/rollforward/arrivals.hpp"
#include "tools/rollforward/lexer.hpp"
#include "tools/rollforward/outline.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rollforward {

enum class place_kind {
  code,                // a thread goes on here, having been interrupted or having jumped
  behind_call,         // a thread returns here
  behind_latent_call,  // the same, and the promotion point that comes next can be met before
  padding,             // the addresses from here to the next place are padding
};

// A place where the program counter may be, in both copies.
struct place {
  std::size_t number;  // of the labels in both copies
  place_kind kind;
};

std::string first_label(std::size_t number);
std::string second_label(std::size_t number);

// Text to put into the first copy. It adds labels, never bytes.
struct insertion {
  std::size_t at;
  std::string text;
};

// A promotion point as the second copy has it, with a count.
struct point {
  std::size_t number;
  std::string line;  // in the source; empty if it is not known
};

std::string point_label(std::size_t number);

struct second_copy {
  std::string text;
  std::size_t begin = 0;      // the number of the labels where the procedure begins
  std::vector<place> places;  // by address; the last one is the procedure's end
  std::vector<point> points;
};

// What the names of the second copy end in.
inline constexpr std::string_view copy_suffix = ".rollforward";

// What a unit's copies have one each of.
struct label_set {
  std::set<std::string, std::less<>> all;
  std::set<std::string, std::less<>>
      names;  // those that other functions know: a call or a jump goes to the first copy
};

class copier {
 public:
  copier(std::string_view source, const std::vector<statement>& statements, const arrivals& arriving)
      : source_(source), statements_(statements), arrivals_(arriving) {}

  // Throws `fault` for a directive that is not known.
  second_copy copy(const procedure& p, const label_set& labels);
  std::string copy(const exception_table& t, const label_set& labels) const;

  // For the first copies of all that has been copied.
  const std::vector<insertion>& insertions() const noexcept { return insertions_; }

 private:
  friend class procedure_copier;

  std::string_view text_of(const statement& s) const { return source_.substr(s.begin, s.end - s.begin); }

  std::string_view source_;
  const std::vector<statement>& statements_;
  const arrivals& arrivals_;
  std::vector<insertion> insertions_;
  std::size_t next_number_ = 0;
  std::size_t next_point_ = 0;
};

}  // namespace rollforward

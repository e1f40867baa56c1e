// SPDX-License-Identifier: Apache-2.0
// Changes to a text that leave its lines where they are.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace splicec {

class edits {
 public:
  // Before what is at `offset`. What is inserted first at a place comes first; of what closes, last.
  void insert(unsigned offset, std::string text) {
    all_.push_back({offset, offset, next_++, false, std::move(text)});
  }
  void close(unsigned offset, std::string text) {
    all_.push_back({offset, offset, -next_++, true, std::move(text)});
  }
  // Line ends that are replaced come after the new text.
  void replace(unsigned begin, unsigned end, std::string text) {
    all_.push_back({begin, end, next_++, false, std::move(text)});
  }

  std::string applied_to(std::string_view text) {
    // What closes at a place stands before what is inserted there.
    std::sort(all_.begin(), all_.end(), [](const edit& a, const edit& b) {
      if (a.begin != b.begin) return a.begin < b.begin;
      if (a.closes != b.closes) return a.closes;
      return a.rank < b.rank;
    });
    std::string result;
    std::size_t at = 0;
    for (const edit& e : all_) {
      if (e.begin > at) {
        result += text.substr(at, e.begin - at);
        at = e.begin;
      }
      result += e.text;
      if (e.end > at) {
        const std::string_view gone = text.substr(at, e.end - at);
        result.append(static_cast<std::size_t>(std::count(gone.begin(), gone.end(), '\n')), '\n');
        at = e.end;
      }
    }
    return result += text.substr(at);
  }

 private:
  struct edit {
    unsigned begin;
    unsigned end;
    int rank;
    bool closes;
    std::string text;
  };
  std::vector<edit> all_;
  int next_ = 0;
};

}  // namespace splicec

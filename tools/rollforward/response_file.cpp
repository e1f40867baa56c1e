// SPDX-License-Identifier: Apache-2.0
#include "tools/rollforward/response_file.hpp"

#include "tools/rollforward/files.hpp"

#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace rollforward {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Words are separated by white space. Quotes of both kinds keep it, a backslash keeps any character.
class word_reader {
 public:
  explicit word_reader(std::string_view text) : text_(text) {}

  std::vector<std::string> run() {
    for (; at_ < text_.size(); ++at_) take(text_[at_]);
    end_word();
    return std::move(words_);
  }

 private:
  void take(char c) {
    if (c == '\\' && at_ + 1 < text_.size()) {
      add(text_[++at_]);
    } else if (quote_ != '\0' ? c == quote_ : c == '"' || c == '\'') {
      quote_ = quote_ == '\0' ? c : '\0';
      open_ = true;
    } else if (quote_ == '\0' && is_space(c)) {
      end_word();
    } else {
      add(c);
    }
  }

  void add(char c) {
    word_ += c;
    open_ = true;
  }

  void end_word() {
    if (open_) words_.push_back(std::move(word_));
    word_.clear();
    open_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  char quote_ = '\0';
  bool open_ = false;  // a word has begun, perhaps an empty one
  std::string word_;
  std::vector<std::string> words_;
};

void add(const std::string& word, int depth, std::vector<std::string>& to) {
  constexpr int deepest = 20;
  if (!word.starts_with('@') || !std::filesystem::is_regular_file(word.substr(1))) {
    to.push_back(word);
    return;
  }
  if (depth == deepest) throw std::runtime_error(word + ": response files that name each other");
  for (const std::string& inner : word_reader(read_file(word.substr(1))).run()) add(inner, depth + 1, to);
}

}  // namespace

std::vector<std::string> with_response_files(const std::vector<std::string>& command) {
  std::vector<std::string> words;
  for (const std::string& word : command) add(word, 0, words);
  return words;
}

}  // namespace rollforward

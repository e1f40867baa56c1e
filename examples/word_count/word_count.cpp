// SPDX-License-Identifier: Apache-2.0
// word_count [FILE...]: how often each word is in the files; of texts of its own, if none is given.
//
// Files are small and large, so a file is no good part of the work. All texts are cut to pieces that end between words, and the
// pieces are folded: each worker counts some of them, and the counts are added.
#include <sennit/sennit.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using counts = std::unordered_map<std::string, std::size_t>;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string(path) + ": cannot be opened");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw std::runtime_error(std::string(path) + ": cannot be read");
  return text;
}

std::vector<std::string_view> pieces_of(const std::vector<std::string>& texts) {
  constexpr std::size_t usual = 64 * 1024;
  std::vector<std::string_view> pieces;
  for (const std::string_view text : texts) {
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t end = std::min(text.size(), begin + usual);
      while (end < text.size() && is_letter(text[end])) ++end;
      pieces.push_back(text.substr(begin, end - begin));
      begin = end;
    }
  }
  return pieces;
}

void count(counts& found, std::string_view piece) {
  std::string word;
  for (auto at = piece.begin(); at != piece.end();) {
    at = std::find_if(at, piece.end(), is_letter);
    const auto end = std::find_if_not(at, piece.end(), is_letter);
    if (at == end) break;
    word.assign(at, end);
    std::ranges::transform(word, word.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    ++found[word];
    at = end;
  }
}

void add(counts& to, counts&& more) {
  if (to.size() < more.size()) std::swap(to, more);
  for (const auto& [word, times] : more) to[word] += times;
}

// Short ones and a long one, of words that get rarer and rarer.
std::vector<std::string> texts_of_its_own() {
  const std::vector<std::string> words{"strand", "cord", "Braid", "rope", "sail", "knot", "mast", "Anchor"};
  std::mt19937 random(1);
  std::geometric_distribution<std::size_t> rank(0.4);
  std::vector<std::string> texts;
  for (const std::size_t length : {100, 1'000, 500'000, 10}) {
    std::string& text = texts.emplace_back();
    for (std::size_t i = 0; i < length; ++i)
      text += words[std::min(rank(random), words.size() - 1)] + (i % 12 == 0 ? ".\n" : " ");
  }
  return texts;
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> texts(static_cast<std::size_t>(argc - 1));
  // Whoever waits for a disk says so, and another thread takes its place meanwhile.
  sennit::parallel_for(1, argc, [&](int i) {
    texts[static_cast<std::size_t>(i - 1)] = sennit::blocking([&] { return read(argv[i]); });
  });
  if (argc == 1) texts = texts_of_its_own();

  const counts found = sennit::parallel_fold(pieces_of(texts), counts(), count, add);

  std::vector<std::pair<std::string, std::size_t>> by_number(found.begin(), found.end());
  std::ranges::sort(by_number, [](const auto& a, const auto& b) {
    return std::pair(b.second, a.first) < std::pair(a.second, b.first);
  });
  for (std::size_t i = 0; i < std::min<std::size_t>(by_number.size(), 10); ++i)
    std::printf("%8zu %s\n", by_number[i].second, by_number[i].first.c_str());

  counts serial;
  for (const std::string& text : texts) count(serial, text);
  if (found != serial) throw std::runtime_error("the serial program has another result");
} catch (const std::exception& e) {
  std::fprintf(stderr, "word_count: %s\n", e.what());
  return EXIT_FAILURE;
}

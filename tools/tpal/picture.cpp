// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace tpal {
namespace {

constexpr double width = 1200;
constexpr double left_margin = 20;
constexpr double top_margin = 70;
constexpr double bottom_margin = 50;

constexpr std::string_view style = R"(<style>
svg { --ground: #ffffff; --ink: #1f2328; --faint: #d0d7de; --run: #4c8dd9; --beat: #d97706; --fork: #15803d; --join: #a21caf; }
@media (prefers-color-scheme: dark) {
  svg { --ground: #0d1117; --ink: #e6edf3; --faint: #3d444d; --run: #3f7cc4; --beat: #f5a524; --fork: #4ade80; --join: #e879f9; }
}
.ground { fill: var(--ground); }
text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.title { font-size: 15px; font-weight: 600; }
.grid { stroke: var(--faint); }
.run { fill: var(--run); }
.wait { stroke: var(--run); stroke-dasharray: 2 3; }
.beat { stroke: var(--beat); stroke-width: 2; }
.fork { stroke: var(--fork); stroke-width: 1.5; fill: none; }
.join { stroke: var(--join); stroke-width: 1.5; fill: none; }
</style>
)";

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      default: safe += c;
    }
  }
  return safe;
}

// 1, 2 or 5 times a power of ten, so that there are five to twelve of it.
std::uint64_t tick_of(std::uint64_t whole) {
  std::uint64_t power = 1;
  while (power * 10 <= whole / 5) power *= 10;
  for (const std::uint64_t factor : {5U, 2U}) {
    if (power * factor <= whole / 5) return power * factor;
  }
  return power;
}

class drawing {
 public:
  drawing(const timeline& t, std::string_view title) : lives_(t.lives()), rows_(t.rows()), title_(title) {
    for (const timeline::life& l : lives_) end_ = std::max({end_, l.over, l.pieces.back().end});
    count_ = *std::max_element(rows_.begin(), rows_.end()) + 1;
    pitch_ = std::clamp(900.0 / static_cast<double>(count_), 6.0, 24.0);
  }

  std::string str() {
    const double height = top_margin + pitch_ * static_cast<double>(count_) + bottom_margin;
    text_ = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" "
                        "height=\"{1:.0f}\">\n{2}"
                        "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n"
                        "<text class=\"title\" x=\"{3}\" y=\"26\">{4}</text>\n",
                        width, height, style, left_margin, escaped(title_));
    legend();
    axis();
    for (std::size_t id = 0; id < lives_.size(); ++id) links(id);
    for (std::size_t id = 0; id < lives_.size(); ++id) bars(id);
    return std::move(text_) + "</svg>\n";
  }

 private:
  double x(std::uint64_t time) const {
    return left_margin + (width - 2 * left_margin) * static_cast<double>(time) /
                             static_cast<double>(std::max<std::uint64_t>(end_, 1));
  }
  double y(std::size_t row) const { return top_margin + pitch_ * (static_cast<double>(row) + 0.5); }

  void line(std::string_view kind, double x1, double y1, double x2, double y2, const std::string& tip = "") {
    text_ += fmt::format("<line class=\"{}\" x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"", kind,
                         x1, y1, x2, y2);
    text_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></line>\n", tip);
  }

  void legend() {
    double at = left_margin;
    for (const std::string_view kind : {"run", "wait", "beat", "fork", "join"}) {
      const std::string_view meaning = kind == "run"    ? "at work"
                                       : kind == "wait" ? "waits for a child"
                                       : kind == "beat" ? "beat: a handler is entered"
                                       : kind == "fork" ? "promotion: a task is forked"
                                                        : "join: the parent goes on with both results";
      if (kind == "run") {
        text_ += fmt::format("<rect class=\"run\" x=\"{:.0f}\" y=\"42\" width=\"16\" height=\"8\"/>\n", at);
      } else if (kind == "wait") {
        line(kind, at, 46, at + 16, 46);
      } else {
        line(kind, at + 8, 40, at + 8, 52);
      }
      text_ += fmt::format("<text x=\"{:.0f}\" y=\"50\">{}</text>\n", at + 22, meaning);
      at += 50 + 7.0 * static_cast<double>(meaning.size());
    }
  }

  void axis() {
    const double bottom = top_margin + pitch_ * static_cast<double>(count_);
    const std::uint64_t tick = tick_of(end_);
    for (std::uint64_t time = 0; time <= end_; time += tick) {
      line("grid", x(time), top_margin, x(time), bottom);
      text_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n", x(time),
                           bottom + 16, time == 0 ? "start" : "middle", time);
    }
    text_ +=
        fmt::format("<text x=\"{}\" y=\"{:.2f}\">instructions since the start, if each task has a processor "
                    "of its own</text>\n",
                    left_margin, bottom + 36);
  }

  // Forks and joins, below the bars.
  void links(std::size_t id) {
    const timeline::life& l = lives_[id];
    if (!l.parent) return;
    const double own = y(rows_[id]);
    const double other = y(rows_[*l.parent]);
    const std::uint64_t born = l.pieces.front().begin;
    line("fork", x(born), other, x(born), own,
         fmt::format("task {} forks task {} at {}", *l.parent, id, born));
    if (!l.combined) return;
    const std::uint64_t ended = l.pieces.back().end;
    if (ended != l.over) line("wait", x(ended), own, x(l.over), own);
    line("join", x(l.over), own, x(l.over), other,
         fmt::format("task {} combines with task {} at {}", *l.parent, id, l.over));
  }

  void bars(std::size_t id) {
    const timeline::life& l = lives_[id];
    const double middle = y(rows_[id]);
    const double half = pitch_ * 0.32;
    for (std::size_t i = 0; i < l.pieces.size(); ++i) {
      const auto [begin, end] = l.pieces[i];
      if (i > 0) line("wait", x(l.pieces[i - 1].end), middle, x(begin), middle);
      text_ += fmt::format(
          "<rect class=\"run\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" rx=\"1.5\">"
          "<title>task {}: {} to {}</title></rect>\n",
          x(begin), middle - half, std::max(x(end) - x(begin), 0.8), 2 * half, id, begin, end);
    }
    for (const std::uint64_t time : l.beats) {
      line("beat", x(time), middle - half, x(time), middle + half,
           fmt::format("task {}: a beat at {}", id, time));
    }
  }

  const std::vector<timeline::life>& lives_;
  const std::vector<std::size_t> rows_;
  const std::string title_;
  std::uint64_t end_ = 0;
  std::size_t count_ = 0;
  double pitch_ = 0;
  std::string text_;
};

}  // namespace

std::string picture(const timeline& t, const std::string& title) {
  if (t.lives().size() > most_tasks_drawn) {
    throw std::invalid_argument(fmt::format(
        "the run has {} tasks, and a picture has room for {}; choose a larger --heart or smaller inputs",
        t.lives().size(), most_tasks_drawn));
  }
  return drawing(t, title).str();
}

}  // namespace tpal

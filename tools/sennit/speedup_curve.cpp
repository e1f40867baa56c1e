// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/speedup_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace command {
namespace {

constexpr double width = 720;
constexpr double height = 400;
constexpr double left = 56;
constexpr double right = 116;
constexpr double top = 34;
constexpr double bottom = 46;
constexpr double least_shown = 0.125;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string shown(double value) {
  if (value < 0.95) return fmt::format("{:.2g}", value);
  return value < 9.95 && value != std::floor(value) ? fmt::format("{:.1f}", value)
                                                    : fmt::format("{:.0f}", value);
}

// Both scales double.
class plot {
 public:
  explicit plot(const std::vector<curve_point>& points)
      : points_(points), widest_(std::max(1.0, std::log2(points.back().workers))) {
    double most = 2;
    for (const curve_point& p : points) most = std::max({most, p.most, p.simulated.value_or(1)});
    highest_ = std::ceil(std::log2(most) + 0.15);
    for (const curve_point& p : points)
      lowest_ = std::min(
          lowest_, std::floor(std::log2(std::max(std::min(p.least, p.simulated.value_or(1)), least_shown))));
  }

  double x(double workers) const { return left + (width - left - right) * std::log2(workers) / widest_; }
  double y(double speedup) const {
    const double at = std::clamp(std::log2(std::max(speedup, least_shown)), lowest_, highest_);
    return top + (height - top - bottom) * (highest_ - at) / (highest_ - lowest_);
  }

  std::string grid() const {
    std::string out;
    for (double power = 0; power <= widest_ + 1e-9; ++power) {
      const double workers = std::exp2(power);
      out += fmt::format(
          "<text class=\"quiet\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.0f}</text>\n",
          x(workers), height - bottom + 18, workers);
    }
    const double step = std::max(1.0, std::ceil((highest_ - lowest_) / 8));
    for (double power = lowest_; power <= highest_; power += step) {
      const double speedup = std::exp2(power);
      out +=
          fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n"
                      "<text class=\"quiet\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                      left, width - right, y(speedup), y(speedup), left - 8, y(speedup) + 4, shown(speedup));
    }
    out +=
        fmt::format("<text class=\"quiet\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">workers</text>\n",
                    (left + width - right) / 2, height - 10);
    return out;
  }

  std::string line(const char* name, const std::function<std::optional<double>(const curve_point&)>& value,
                   bool dots = false) const {
    std::string way;
    std::string marks;
    for (const curve_point& p : points_) {
      const std::optional<double> v = value(p);
      if (!v) continue;
      way += fmt::format("{}{:.1f},{:.1f}", way.empty() ? "" : " ", x(p.workers), y(*v));
      if (dots)
        marks += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>\n", name,
                             x(p.workers), y(*v));
    }
    return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n{}", name, way, marks);
  }

  // As many times as fast as there are workers, as far as that is within the plot.
  std::string perfect() const {
    const double end = std::exp2(std::min(highest_, widest_));
    return fmt::format("<polyline class=\"perfect\" points=\"{:.1f},{:.1f} {:.1f},{:.1f}\"/>\n", x(1), y(1),
                       x(end), y(end));
  }

  std::string between() const {
    std::string way;
    for (const curve_point& p : points_) way += fmt::format("{:.1f},{:.1f} ", x(p.workers), y(p.most));
    for (auto p = points_.rbegin(); p != points_.rend(); ++p)
      way += fmt::format("{:.1f},{:.1f} ", x(p->workers), y(p->least));
    return fmt::format("<polygon class=\"between\" points=\"{}\"/>\n", way);
  }

  // Names at the ends of the lines, apart from each other.
  std::string names() const {
    struct label {
      double at;
      std::string text;
      const char* kind;
    };
    const curve_point& last = points_.back();
    std::vector<label> all{{y(last.most), fmt::format("at most {}", shown(last.most)), "bound"},
                           {y(last.least), fmt::format("at least {}", shown(last.least)), "bound"}};
    if (last.simulated)
      all.push_back({y(*last.simulated), fmt::format("simulated {}", shown(*last.simulated)), "simulated"});
    std::ranges::sort(all, {}, &label::at);
    constexpr double apart = 15;
    for (std::size_t i = 1; i < all.size(); ++i) all[i].at = std::max(all[i].at, all[i - 1].at + apart);
    std::string out;
    for (const label& l : all)
      out += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", l.kind, width - right + 10,
                         l.at + 4, l.text);
    return out;
  }

 private:
  const std::vector<curve_point>& points_;
  double widest_;
  double highest_ = 1;
  double lowest_ = 0;
};

constexpr std::string_view style =
    ".speedup-curve{--ink:#1b2330;--quiet:#566173;--line:#d9dee5;--bound:#1f6fd1;--simulated:#b45f06;"
    "font:13px system-ui,sans-serif}"
    "@media "
    "(prefers-color-scheme:dark){.speedup-curve{--ink:#e6ebf2;--quiet:#9ba8b9;--line:#2d3745;--bound:#5ba3f7;"
    "--simulated:#f0a04b}}"
    ".speedup-curve text{fill:var(--ink)}.speedup-curve .quiet{fill:var(--quiet);font-size:12px}"
    ".speedup-curve .grid{stroke:var(--line)}"
    ".speedup-curve polyline{fill:none;stroke-width:2}.speedup-curve polyline.bound{stroke:var(--bound)}"
    ".speedup-curve text.bound{fill:var(--bound)}.speedup-curve .between{fill:var(--bound);opacity:.13}"
    ".speedup-curve polyline.simulated{stroke:var(--simulated)}.speedup-curve "
    "circle.simulated{fill:var(--simulated)}"
    ".speedup-curve text.simulated{fill:var(--simulated)}"
    ".speedup-curve polyline.perfect{stroke:var(--quiet);stroke-width:1;stroke-dasharray:3 4}";

}  // namespace

std::string speedup_curve(const std::vector<curve_point>& points, std::string_view title) {
  const plot p(points);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"speedup-curve\" viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"Speed-up by number of workers\">\n<style>{}</style>\n<text x=\"{}\" y=\"18\">{}</text>\n",
      width, height, style, left, escaped(title));
  out += p.grid() + p.between();
  out += p.perfect();
  out += p.line("bound", [](const curve_point& at) { return at.most; });
  out += p.line("bound", [](const curve_point& at) { return at.least; });
  out += p.line("simulated", [](const curve_point& at) { return at.simulated; }, true);
  return out + p.names() + "</svg>\n";
}

}  // namespace command

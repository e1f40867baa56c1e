// SPDX-License-Identifier: Apache-2.0
#include "topology/cgroup.hpp"

#include "system/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <vector>

namespace sennit::topology {

namespace {

using quota = std::optional<double>;

quota tighter(quota a, quota b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

quota ratio(std::string_view microseconds, std::string_view period) {
  const auto allowed = text::parse<long long>(microseconds);
  const auto each = text::parse<long long>(period);
  // For no limit, v1 has -1 and v2 has "max".
  if (!allowed || !each || *allowed <= 0 || *each <= 0) return std::nullopt;
  return static_cast<double>(*allowed) / static_cast<double>(*each);
}

quota quota_v1(const std::string& group) {
  const auto microseconds = text::read_text(group + "/cpu.cfs_quota_us");
  const auto period = text::read_text(group + "/cpu.cfs_period_us");
  if (!microseconds || !period) return std::nullopt;
  return ratio(*microseconds, *period);
}

quota quota_v2(const std::string& group) {
  const auto both = text::read_text(group + "/cpu.max");
  if (!both) return std::nullopt;
  const auto parts = text::split(*both, ' ');
  if (parts.size() != 2) return std::nullopt;
  return ratio(parts[0], parts[1]);
}

// A hierarchy that can limit CPU time, and the process's group in it.
struct membership {
  bool v2;
  std::string_view group;
};

// Reads lines such as "4:cpu,cpuacct:/user.slice" (v1) and "0::/user.slice" (v2).
std::vector<membership> memberships(std::string_view text) {
  std::vector<membership> found;
  for (const std::string_view line : text::split(text, '\n')) {
    const std::size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool v2 = line.substr(0, first) == "0" && controllers.empty();
    if (v2 || text::contains(text::split(controllers, ','), "cpu"))
      found.push_back({v2, line.substr(second + 1)});
  }
  return found;
}

// A mounted hierarchy: `top` is the group that the directory shows.
struct mount {
  bool v2;
  std::string top;
  std::string folder;
};

// The kernel writes space, tab, line break and backslash as \040 and similar codes.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 4, code, 8).ptr == text.data() + i + 4) {
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// Reads lines such as "32 31 0:29 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu".
std::vector<mount> mounts(std::string_view text) {
  std::vector<mount> found;
  for (const std::string_view line : text::split(text, '\n')) {
    const auto fields = text::split(line, ' ');
    const auto dash =
        std::find(fields.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(6, fields.size())),
                  fields.end(), "-");
    if (fields.end() - dash < 4) continue;
    const bool v2 = dash[1] == "cgroup2";
    const bool v1 = dash[1] == "cgroup" && text::contains(text::split(dash[3], ','), "cpu");
    if (v1 || v2) found.push_back({v2, unescape(fields[3]), unescape(fields[4])});
  }
  return found;
}

// The path from `top` down to `group`; nothing if `top` is not known to be above `group`.
std::optional<std::string_view> below(std::string_view group, std::string_view top) {
  if (top.ends_with('/')) top.remove_suffix(1);
  if (group.ends_with('/')) group.remove_suffix(1);
  if (group.starts_with(top) && (group.size() == top.size() || group[top.size()] == '/')) {
    const std::string_view rest = group.substr(top.size());
    // ".." leads out of the process's cgroup namespace. Nothing that is mounted here describes groups
    // outside.
    if (text::contains(text::split(rest, '/'), "..")) return std::nullopt;
    return rest;
  }
  // A mount from outside the namespace: its top is above the namespace, on a path that cannot be known
  // inside.
  const auto steps = text::split(top, '/');
  const bool above =
      std::all_of(steps.begin() + 1, steps.end(), [](std::string_view step) { return step == ".."; });
  if (above && !text::contains(text::split(group, '/'), "..")) return std::string_view();
  return std::nullopt;
}

}  // namespace

quota cgroup_cpu_quota(const std::string& root) {
  const auto groups = text::read_text(root + "/proc/self/cgroup");
  const auto table = text::read_text(root + "/proc/self/mountinfo");
  if (!groups || !table) return std::nullopt;
  const std::vector<mount> mounted = mounts(*table);

  quota tightest;
  for (const membership& own : memberships(*groups)) {
    for (const mount& at : mounted) {
      const auto path = at.v2 == own.v2 ? below(own.group, at.top) : std::nullopt;
      if (!path) continue;
      const std::string top = root + at.folder;
      for (std::string group = top + std::string(*path);; group.resize(group.rfind('/'))) {
        tightest = tighter(tightest, own.v2 ? quota_v2(group) : quota_v1(group));
        if (group.size() <= top.size()) break;
      }
    }
  }
  return tightest;
}

}  // namespace sennit::topology

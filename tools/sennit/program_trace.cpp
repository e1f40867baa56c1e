// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/program_trace.hpp"

#include "tools/sennit/graph_view.hpp"
#include "tools/sennit/progress.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <unordered_map>
#include <utility>

namespace command {
namespace {

namespace sim = sennit::sim;
using sennit::detail::code_sites;

constexpr std::size_t most_of_a_name = 60;

code_sites places_of(const sim::trace& t) {
  code_sites found;
  std::unordered_map<std::string, std::uint64_t> modules;
  for (const sim::trace_site& s : t.sites) {
    if (s.module.empty() || modules.size() >= sennit::detail::most_modules) continue;
    const auto [module, is_new] = modules.try_emplace(s.module, modules.size() + 1);
    if (is_new) found.modules.push_back({s.module, {}});
    const std::uint64_t place = sennit::detail::site_in_module(module->second, s.offset);
    if (found.numbers.try_emplace(place, static_cast<std::uint32_t>(found.places.size() + 1)).second)
      found.places.push_back(place);
  }
  return found;
}

}  // namespace

site program_trace::named(std::uint32_t site_of_program) const {
  const auto shown = [](const std::string& text) { return shown_key(text, most_of_a_name); };
  const sim::site_origin& origin = made.origins[site_of_program];
  site found = sites[origin.site];
  found.line = shown(found.line);
  if (origin.name != 0) {
    found.function = events.names[origin.name];
  } else if (found.function.empty()) {
    found.function = shown(made.what.site_name(site_of_program));
  } else {
    found.function = shown(found.function);
  }
  return found;
}

program_trace load_program_trace(const std::string& file) {
  program_trace t;
  progress shown;
  shown.detail("reading " + file);
  t.events = sim::read_trace(file);
  shown.clear();
  t.events.program = shown_key(std::filesystem::path(t.events.program).filename().string());
  for (std::string& name : t.events.names) name = shown_key(name, most_of_a_name);
  const sites found = sites_of(places_of(t.events));
  t.sites.resize(t.events.sites.size());
  std::vector<std::string> names(t.events.sites.size());
  std::unordered_map<std::string, std::uint64_t> modules;
  for (std::size_t m = 0; m < found.code.modules.size(); ++m)
    modules.emplace(found.code.modules[m].file, m + 1);
  for (std::size_t i = 0; i < t.sites.size(); ++i) {
    const sim::trace_site& s = t.events.sites[i];
    if (const auto module = modules.find(s.module); module != modules.end()) {
      const std::uint32_t n = found.number(sennit::detail::site_in_module(module->second, s.offset));
      if (n != 0) t.sites[i] = found.named[n - 1];
    }
    if (t.sites[i].function.empty()) t.sites[i].function = shown_key(s.function, most_of_a_name);
    names[i] = t.sites[i].line.empty() ? t.sites[i].function : t.sites[i].line;
  }
  t.made = sim::program_of(t.events, names);
  t.remarks = t.made.remarks;
  if (!found.remark.empty()) t.remarks.push_back(found.remark);
  if (t.events.events.empty()) {
    t.remarks.emplace_back(
        "The trace is empty: the program has run no region, fork, loop or task of the library.");
  }
  return t;
}

}  // namespace command

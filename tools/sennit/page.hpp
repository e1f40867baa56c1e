// SPDX-License-Identifier: Apache-2.0
// A schedule as a complete page for a browser, and what the pages of other files are made from.
#pragma once

#include "tools/sennit/moved.hpp"

#include <sennit/schedule.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace command {

// `against`: null if there is no comparison.
std::string page(const sennit::schedule& s, std::string_view name, const comparison* against = nullptr);

// The templates of the pages: page.html, graph.html, lanes.html, scale.html and splice.html of this directory, with {{data}}
// in place of the data.
extern const std::string_view page_template;
extern const std::string_view graph_page_template;
extern const std::string_view lanes_page_template;
extern const std::string_view scale_page_template;
extern const std::string_view splice_page_template;
std::string page_with(std::string_view page_template, const nlohmann::json& data);

}  // namespace command

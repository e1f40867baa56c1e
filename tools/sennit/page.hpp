// A schedule as a page for a browser, whole in itself.
#pragma once

#include <sennit/schedule.hpp>

#include <string>
#include <string_view>

namespace command {

std::string page(const sennit::schedule& s, std::string_view name);

// What the page fills itself in from: tools/sennit/page.html, with {{data}} in the data's place.
extern const std::string_view page_template;

}  // namespace command

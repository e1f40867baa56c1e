// A schedule as a page for a browser, whole in itself.
#pragma once

#include "tools/sennit/moved.hpp"

#include <sennit/schedule.hpp>

#include <string>
#include <string_view>

namespace command {

// `against`: null if there is nothing to compare it with.
std::string page(const sennit::schedule& s, std::string_view name, const comparison* against = nullptr);

// What the page fills itself in from: tools/sennit/page.html, with {{data}} in the data's place.
extern const std::string_view page_template;

}  // namespace command

#include "tools/sennit/view.hpp"

#include "gallery/file.hpp"
#include "tools/sennit/moved.hpp"
#include "tools/sennit/page.hpp"
#include "tools/sennit/trace_events.hpp"

#include <sennit/schedule.hpp>

#include <fmt/format.h>

#include <optional>
#include <string>

namespace command {

void view(const view_options& options) {
  const sennit::schedule s = sennit::schedule::load(options.file.string());
  const std::string name = options.file.filename().string();
  std::optional<comparison> compared;
  if (!options.against.empty()) {
    compared = compare(s, sennit::schedule::load(options.against.string()),
                       options.against.filename().string(), options.nodes);
  }
  std::filesystem::path output = options.output;
  if (output.empty() && !options.text && options.trace.empty()) output = options.file.string() + ".html";
  if (options.text) fmt::print("{}{}", s.text(), compared ? text(*compared) : "");
  if (!options.trace.empty()) write_trace(s, name, options.trace);
  if (!output.empty()) {
    gallery::write_file(output, page(s, name, compared ? &*compared : nullptr));
    fmt::print("Wrote {}; open it in a browser.\n", output.string());
  }
}

}  // namespace command

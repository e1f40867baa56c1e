// SPDX-License-Identifier: Apache-2.0
// What packages install beside a command, made of its parser: its page for man(1), and its words for shells.
#pragma once

#include <string_view>

namespace CLI {
class App;
}

namespace tools {

// What a manual page says besides the parser's words. Each text is paragraphs, with an empty line between them.
struct manual {
  std::string_view summary;      // what the command is, in a few words
  std::string_view exit_status;  // what its statuses mean
  std::string_view examples;     // a line each
  std::string_view also;         // other pages, as in "sennit(1)"
};

// Gives the command options that print them: `--completion bash`, `zsh` or `fish`, and `--man`, which --help does not show.
// The command's name is that of its program. Both texts have what the parser knows when it parses.
void add_manual_and_completion(CLI::App& app, std::string_view program, const manual& says);

}  // namespace tools

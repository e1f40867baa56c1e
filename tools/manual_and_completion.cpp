// SPDX-License-Identifier: Apache-2.0
#include "tools/manual_and_completion.hpp"

#include <sennit/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace tools {
namespace {

using words = std::vector<std::string>;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// In single quotes of a shell.
std::string in_quotes(const std::string& text) { return "'" + replaced(text, "'", R"('\'')") + "'"; }

struct option {
  words names;  // with their dashes; none: an operand
  std::string operand;
  std::string type;   // of its value, such as FILE; empty: it has no value
  std::string range;  // of the value, as in "1 to 1024"
  words choices;      // if the value is one of some words
  std::string initial;
  std::string what;
  bool is_required = false;
  bool is_many = false;

  bool is_help() const { return std::find(names.begin(), names.end(), "--help") != names.end(); }
  bool takes_number() const { return type == "UINT" || type == "INT" || type == "FLOAT" || type == "NUMBER"; }
  friend bool operator==(const option& a, const option& b) { return a.names == b.names && a.what == b.what; }
};

// A command, or a word behind it that has options of its own.
struct command {
  std::string name;
  std::string what;
  std::vector<option> options;
  std::vector<command> commands;

  bool has_operands() const {
    return std::any_of(options.begin(), options.end(), [](const option& o) { return o.names.empty(); });
  }
};

// "ask, barrier, fence" are choices; "1 to 1024" is not.
words choices_of(const std::string& range) {
  words all;
  std::size_t from = 0;
  while (from <= range.size()) {
    const std::size_t to = std::min(range.find(", ", from), range.size());
    all.push_back(range.substr(from, to - from));
    const bool plain = std::all_of(all.back().begin(), all.back().end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '-' || c == '_';
    });
    if (!plain || all.back().empty()) return {};
    from = to + 2;
  }
  return all.size() > 1 ? all : words();
}

// "UINT in [1 - 1024]", as CLI11 says it, is 1 to 1024. Of several ranges the last one counts.
std::string in_words(std::string range) {
  range.erase(0, range.rfind(':') + 1);
  const std::size_t from = range.find(" in [");
  if (range.starts_with("FLOAT ") && from == std::string::npos) return "";
  if (from == std::string::npos || !range.ends_with(']')) return range;
  return replaced(range.substr(from + 5, range.size() - from - 6), " - ", " to ");
}

option option_of(const CLI::Option& o) {
  option made;
  for (const std::string& name : o.get_snames()) made.names.push_back("-" + name);
  for (const std::string& name : o.get_lnames()) made.names.push_back("--" + name);
  if (made.names.empty()) made.operand = o.get_name(true);
  if (o.get_type_size() != 0) {
    const std::string type = o.get_type_name();
    const std::size_t colon = type.find(':');
    made.type = type.substr(0, colon);
    if (colon != std::string::npos) made.range = in_words(type.substr(colon + 1));
    made.choices = choices_of(made.range);
  }
  made.initial = o.get_default_str();
  made.what = o.get_description();
  // CLI11's own words begin with a capital, ours do not.
  if (o.check_name("--help") || o.check_name("--version"))
    made.what[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(made.what[0])));
  made.is_required = o.get_required();
  made.is_many = o.get_items_expected_max() > 1;
  return made;
}

command command_of(const CLI::App& app, const std::string& name) {
  command made{name, app.get_description(), {}, {}};
  for (const CLI::Option* o :
       app.get_options([](const CLI::Option* one) { return !one->get_group().empty(); }))
    made.options.push_back(option_of(*o));
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_name().empty()) {
      made.commands.push_back(command_of(*sub, sub->get_name()));
      continue;
    }
    for (option& o : command_of(*sub, "").options) {  // a group of options
      if (!o.is_help()) made.options.push_back(std::move(o));
    }
  }
  return made;
}

// Calls `each` for the command and all below it, with the words that lead there, as in "/run/fib".
template <class Each>
void walk(const command& c, const std::string& path, const Each& each) {
  each(c, path);
  for (const command& sub : c.commands) walk(sub, path + "/" + sub.name, each);
}

words names_of(const std::vector<command>& commands) {
  words all;
  for (const command& c : commands) all.push_back(c.name);
  return all;
}

words flags_of(const command& c) {
  words all;
  for (const option& o : c.options) all.insert(all.end(), o.names.begin(), o.names.end());
  return all;
}

// --- A page for man(1)

std::string roff(std::string_view text) {
  std::string made;
  for (const char c : text) made += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  if (made.starts_with('.') || made.starts_with('\'')) made.insert(0, "\\&");
  return replaced(made, "\n", "\n.br\n");
}

// What follows a command, as in " PROGRAM [INPUT...]".
std::string operands_of(const command& c) {
  std::string all;
  for (const option& o : c.options) {
    if (!o.names.empty()) continue;
    const std::string shown = "\\fI" + roff(o.operand) + "\\fR" + (o.is_many ? "..." : "");
    all += o.is_required ? " " + shown : " [" + shown + "]";
  }
  return all;
}

void print_option(std::string& page, const option& o) {
  words shown;
  for (const std::string& name : o.names) shown.push_back("\\fB" + roff(name) + "\\fR");
  if (shown.empty()) shown.push_back("\\fI" + roff(o.operand) + "\\fR");
  page += fmt::format(".TP\n{}", fmt::join(shown, ", "));
  if (!o.names.empty() && !o.type.empty())
    page +=
        " \\fI" + roff(o.choices.empty() ? o.type : fmt::format("{}", fmt::join(o.choices, "|"))) + "\\fR";
  page += "\n" + roff(o.what);
  if (!o.range.empty() && o.choices.empty()) page += roff("; " + o.range);
  if (!o.initial.empty()) page += roff("; " + o.initial + " if not given");
  page += "\n";
}

// What all of some commands have is said once.
std::vector<option> common(const std::vector<command>& commands) {
  std::vector<option> all;
  if (commands.size() < 3) return all;
  for (const option& o : commands.front().options) {
    const auto has = [&](const command& c) {
      return std::find(c.options.begin(), c.options.end(), o) != c.options.end();
    };
    if (!o.is_help() && std::all_of(commands.begin(), commands.end(), has)) all.push_back(o);
  }
  return all;
}

void print_commands(std::string& page, const command& above, const std::string& program) {
  const std::vector<option> shared = common(above.commands);
  for (const command& c : above.commands) {
    const std::string name = program + " " + c.name;
    page += fmt::format(".SS \"{}{}\"\n{}\n", roff(name), operands_of(c), roff(c.what));
    for (const option& o : c.options) {
      if (!o.is_help() && std::find(shared.begin(), shared.end(), o) == shared.end()) print_option(page, o);
    }
    if (!c.commands.empty()) print_commands(page, c, name);
  }
  if (shared.empty()) return;
  page += fmt::format(".SS \"All of {}\"\n", roff(program));
  for (const option& o : shared) print_option(page, o);
}

void print_section(std::string& page, const char* title, std::string_view text, const char* between) {
  if (text.empty()) return;
  page += fmt::format(".SH {}\n", title);
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    page += fmt::format("{}{}\n", from == 0 ? "" : between, roff(text.substr(from, to - from)));
    from = to + 1;
  }
}

std::string manual_page(const command& all, const manual& says) {
  std::string page = fmt::format(
      ".TH {} 1 \"\" \"Sennit {}.{}.{}\" \"Sennit\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", roff(all.name),
      SENNIT_VERSION_MAJOR, SENNIT_VERSION_MINOR, SENNIT_VERSION_PATCH, roff(all.name), roff(says.summary));
  page += fmt::format("\\fB{}\\fR [\\fIOPTIONS\\fR]", roff(all.name));
  if (!all.commands.empty()) page += " \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIOPERANDS\\fR]";
  page += operands_of(all);
  page += fmt::format("\n.SH DESCRIPTION\n{}\n.SH OPTIONS\n", roff(all.what));
  for (const option& o : all.options) print_option(page, o);
  if (!all.commands.empty()) {
    page += ".SH COMMANDS\nEach of them has \\fB\\-\\-help\\fR, too.\n";
    print_commands(page, all, all.name);
  }
  print_section(page, "EXIT STATUS", says.exit_status, ".br\n");
  print_section(page, "EXAMPLES", says.examples, ".br\n");
  print_section(page, "SEE ALSO", says.also, ".br\n");
  page.pop_back();  // whoever prints it ends the line
  return page;
}

// --- Words for shells

std::string function_of(const std::string& program, const std::string& path = "") {
  return "_" + replaced(replaced(program + path, "-", "_"), "/", "_");
}

std::string for_bash(const command& all) {
  std::string paths;
  std::string values;
  std::string others;
  walk(all, "", [&](const command& c, const std::string& path) {
    if (!path.empty()) paths += (paths.empty() ? "" : "|") + path;
    for (const option& o : c.options) {
      if (o.type.empty() || o.names.empty()) continue;
      words cases;
      for (const std::string& name : o.names) cases.push_back(path + ":" + name);
      values += o.choices.empty() ? fmt::format("    {}) return ;;\n", fmt::join(cases, "|"))
                                  : fmt::format("    {}) words=\"{}\" ;;\n", fmt::join(cases, "|"),
                                                fmt::join(o.choices, " "));
    }
    // Options where the word begins as one does: otherwise a command or a file is meant.
    const bool files =
        c.has_operands() && !c.commands.empty();  // bash has them itself where no word is proposed
    others += fmt::format("    {}:*) words=\"{}\"{}; if [[ $current == -* ]]; then words=\"{}\"; fi ;;\n",
                          path, fmt::join(names_of(c.commands), " "), files ? " files=-f" : "",
                          fmt::join(flags_of(c), " "));
  });
  const std::string known =
      paths.empty()
          ? ""
          : fmt::format("    case $path/$word in\n      {}) path=$path/$word ;;\n    esac\n", paths);
  // Where nothing is proposed, bash proposes files. It takes "--name=value" for three words.
  return fmt::format("# Made by '{0} --completion bash'.\n"
                     "{1}() {{\n"
                     "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} path= "
                     "word words= files=\n"
                     "  if [[ $current == = ]]; then current=; elif [[ $before == = ]]; then "
                     "before=${{COMP_WORDS[COMP_CWORD-2]}}; fi\n"
                     "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n{2}    :\n  done\n"
                     "  case $path:$before in\n{3}{4}  esac\n"
                     "  COMPREPLY=($(compgen $files -W \"$words\" -- \"$current\"))\n"
                     "}}\n"
                     "complete -o bashdefault -o default -F {1} {0}",
                     all.name, function_of(all.name), known, values, others);
}

std::string for_zsh(const command& all) {
  std::string functions;
  walk(all, "", [&](const command& c, const std::string& path) {
    std::string specs;
    const auto escaped = [](std::string text) {
      for (const char* special : {"\\", "[", "]", ":"})
        text = replaced(text, special, std::string("\\") + special);
      return text;
    };
    for (const option& o : c.options) {
      const std::string value = !o.choices.empty()
                                    ? fmt::format(":{}:({})", o.type, fmt::join(o.choices, " "))
                                : o.takes_number() ? fmt::format(":{}:", o.type)
                                : !o.type.empty()  ? fmt::format(":{}:_files", o.type)
                                                   : std::string();
      for (const std::string& name : o.names)
        specs += fmt::format(" \\\n    {}", in_quotes(name + "[" + escaped(o.what) + "]" + value));
    }
    const std::string own = function_of(all.name, path);
    if (c.commands.empty()) {
      const std::string operands = c.has_operands() ? " \\\n    '*:file:_files'" : "";
      functions += fmt::format("{}() {{\n  _arguments{}{}\n}}\n", own, specs, operands);
      return;
    }
    std::string list;
    std::string cases;
    for (const command& sub : c.commands) {
      list += fmt::format(" {}", in_quotes(sub.name + ":" + escaped(sub.what)));
      cases += fmt::format("    {}) {} ;;\n", sub.name, function_of(all.name, path + "/" + sub.name));
    }
    functions += fmt::format("{0}() {{\n  local -a commands=({1})\n  local state\n"
                             "  _arguments -C{2} \\\n    '1: :->command' \\\n    '*:: :->rest' && return\n"
                             "  case $state in\n    command) _describe command commands{3} ;;\n"
                             "    rest) case $words[1] in\n{4}    esac ;;\n  esac\n}}\n",
                             own, list, specs, c.has_operands() ? "; _files" : "", cases);
  });
  return fmt::format("#compdef {0}\n# Made by '{0} --completion zsh'.\n{1}{2} \"$@\"", all.name, functions,
                     function_of(all.name));
}

std::string for_fish(const command& all) {
  std::string lines = fmt::format("# Made by '{} --completion fish'.", all.name);
  walk(all, "", [&](const command& c, const std::string& path) {
    std::string where = "__fish_use_subcommand";
    if (!path.empty())
      where = "__fish_seen_subcommand_from " +
              replaced(path.substr(1), "/", "; and __fish_seen_subcommand_from ");
    if (!path.empty() && !c.commands.empty())
      where += fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(names_of(c.commands), " "));
    const std::string begin =
        fmt::format("\ncomplete -c {}", all.name) + (all.commands.empty() ? "" : " -n " + in_quotes(where));
    for (const command& sub : c.commands)
      lines += begin + (c.has_operands() ? "" : " -f") +
               fmt::format(" -a {} -d {}", sub.name, in_quotes(sub.what));
    for (const option& o : c.options) {
      if (o.names.empty()) continue;
      lines += begin;
      for (const std::string& name : o.names)
        lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!o.choices.empty())
        lines += fmt::format(" -x -a {}", in_quotes(fmt::format("{}", fmt::join(o.choices, " "))));
      else if (!o.type.empty())
        lines += o.takes_number() ? " -x" : " -r";
      lines += " -d " + in_quotes(o.what);
    }
  });
  return lines;
}

}  // namespace

void add_manual_and_completion(CLI::App& app, std::string_view program, const manual& says) {
  const auto all = [&app, name = std::string(program)] { return command_of(app, name); };
  // As --version: CLI11 prints the text, and the command is not asked for more.
  app.add_option_function<std::string>(
         "--completion",
         [all](const std::string& shell) {
           throw CLI::CallForVersion(shell == "bash"  ? for_bash(all())
                                     : shell == "zsh" ? for_zsh(all())
                                                      : for_fish(all()),
                                     0);
         },
         "print the command's words for a shell")
      ->check(CLI::Validator(
          [](const std::string& shell) {
            return shell == "bash" || shell == "zsh" || shell == "fish" ? ""
                                                                        : "the shell is bash, zsh or fish";
          },
          "bash, zsh, fish"))
      ->type_name("SHELL");
  app.add_flag_callback("--man", [all, says] { throw CLI::CallForVersion(manual_page(all(), says), 0); })
      ->group("");
}

}  // namespace tools

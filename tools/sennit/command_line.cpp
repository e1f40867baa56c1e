// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/command_line.hpp"

#include "tools/manual_and_completion.hpp"
#include "tools/sennit/demo.hpp"
#include "tools/sennit/doctor.hpp"
#include "tools/sennit/measure.hpp"
#include "tools/sennit/on_ranks.hpp"
#include "tools/sennit/run.hpp"
#include "tools/sennit/scale.hpp"
#include "tools/sennit/simulate.hpp"
#include "tools/sennit/splicec.hpp"
#include "tools/sennit/table.hpp"
#include "tools/sennit/tune.hpp"
#include "tools/sennit/view.hpp"

#include <sennit/runtime.hpp>
#include <sennit/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace command {
namespace {

using gallery::content;
using gallery::kernel;
using kernel_list = std::vector<std::unique_ptr<kernel>>;

constexpr double most_repeats = 1000;

CLI::Validator between(double least, double most) {
  const std::string range = fmt::format("{} to {}", least, most);
  return {[=](std::string& word) -> std::string {
            double value = 0;
            if (CLI::detail::lexical_cast(word, value) && value >= least && value <= most) return {};
            return fmt::format("'{}' is no number from {}", word, range);
          },
          range};
}

std::string format_of(content c) {
  switch (c) {
    case content::text: return "text";
    case content::picture: return "PNG";
    case content::matrix: return "MatrixMarket";
    case content::graph: return "MatrixMarket or edge list";
    case content::sequences: return "FASTA";
    case content::none: break;
  }
  return "";
}

void add_workers(CLI::App& app, unsigned& workers) {
  app.add_option("--workers", workers, "workers of the runtime; as many as the machine allows if not given")
      ->check(between(1, sennit::runtime_options::most_workers));
}

void add_repeat(CLI::App& app, plan& p) {
  app.add_option("--repeat", p.repeat, "runs of each side, interleaved")
      ->check(between(1, most_repeats))
      ->capture_default_str();
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  const std::string list = fmt::format("{}", fmt::join(words, ", "));
  return {[=](std::string& word) -> std::string {
            if (std::find(words.begin(), words.end(), word) != words.end()) return {};
            return fmt::format("'{}' is none of {}", word, list);
          },
          list};
}

// An option whose values have names.
template <class Value>
void add_choice(CLI::App& app, const char* name, Value& chosen, const char* what,
                const std::vector<std::pair<std::string, Value>>& values) {
  std::vector<std::string> words;
  for (const auto& [word, value] : values) words.push_back(word);
  app.add_option_function<std::string>(
         name,
         [&chosen, values](const std::string& given) {
           for (const auto& [word, value] : values) {
             if (word == given) chosen = value;
           }
         },
         what)
      ->check(one_of(words));
}

void add_parameters(CLI::App& app, kernel& k) {
  std::string names_of_size = ",--size";
  for (const gallery::parameter& p : k.parameters()) {
    std::visit(
        [&](auto* value) {
          app.add_option(fmt::format("--{}{}", p.name, names_of_size), *value, std::string(p.meaning))
              ->check(p.words.empty() ? between(p.least, p.most) : one_of(p.words))
              ->capture_default_str()
              ->group("Parameters");
        },
        p.value);
    names_of_size.clear();
  }
}

void add_run_options(CLI::App& app, kernel& k, run_options& options) {
  add_workers(app, options.measuring.workers);
  add_repeat(app, options.measuring);
  app.add_flag_callback(
      "--no-forks", [&options] { options.measuring.count_forks = false; },
      "leave out the run that counts the forks");
  app.add_option("--json", options.json, "write the measurements to this file")->type_name("FILE");
  app.add_option("--record", options.record, "run once more, and write that run's schedule for sennit view")
      ->type_name("FILE");
  CLI::Option* const replay =
      app.add_option("--replay", options.replay,
                     "follow this schedule in one more run for each, and say what that cost and what moved")
          ->type_name("FILE");
  CLI::Option_group* const how = app.add_option_group("How a schedule is followed");
  const auto add_fidelity = [&](const char* flag, sennit::fidelity fidelity, const char* meaning) {
    how->add_flag_callback(
           flag, [&options, fidelity] { options.measuring.how = fidelity; }, meaning)
        ->needs(replay);
  };
  add_fidelity("--relaxed", sennit::relaxed, "idle workers steal from late ones; this is so if not given");
  add_fidelity("--unordered", sennit::strict_unordered, "each worker runs what the schedule says");
  add_fidelity("--ordered", sennit::strict_ordered, "and in the order of the schedule");
  how->require_option(0, 1);
  app.add_option("--trace-events", options.trace_events,
                 "run once more, and write that run as trace events for Perfetto")
      ->type_name("JSON");
  if (k.trace_graph(nullptr)) {
    app.add_option(
           "--trace-graph", options.trace_graph,
           "run once more, and write when each node of that run's graph was computed, for sennit view")
        ->type_name("FILE");
  }
  if (k.trace_splice(nullptr)) {
    app.add_option(
           "--splice", options.splice,
           "run once more, and write in which order that run's splice took its steps, for sennit view")
        ->type_name("FILE");
  }
  const gallery::description& about = k.about();
  if (about.reads != content::none) {
    const std::string otherwise =
        about.input.empty() ? "a generated one" : fmt::format("the bundled {}", about.input);
    app.add_option("--input", options.input,
                   fmt::format("{} file to read; {} if not given", format_of(about.reads), otherwise))
        ->type_name("FILE");
  }
  if (about.writes != content::none) {
    app.add_option("--output", options.output,
                   fmt::format("{} file to write; none if not given", format_of(about.writes)))
        ->type_name("FILE");
  }
  add_parameters(app, k);
}

void add_filter(CLI::App& app, graph_filter& filter) {
  constexpr const char* group = "Which nodes of a graph";
  const auto time = [] {
    return CLI::AsNumberWithUnit(
        std::map<std::string, double>{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}},
        CLI::AsNumberWithUnit::UNIT_REQUIRED, "TIME");
  };
  app.add_option("--key", filter.key, "nodes whose key has this text in it")->group(group);
  app.add_option("--matching", filter.matching, "nodes of whose key a part fits this regular expression")
      ->type_name("PATTERN")
      ->group(group);
  app.add_option("--worker", filter.worker, "nodes that this worker computed")
      ->type_name("NUMBER")
      ->group(group);
  app.add_option("--color", filter.color, "nodes that have this color")->type_name("NUMBER")->group(group);
  app.add_flag("--chain", filter.chain, "nodes of the longest chain")->group(group);
  app.add_option("--from", filter.from, "nodes that ended at this time of the run or later, such as 2.5ms")
      ->transform(time())
      ->type_name("TIME")
      ->group(group);
  app.add_option("--to", filter.to, "nodes that began at this time of the run or earlier")
      ->transform(time())
      ->type_name("TIME")
      ->group(group);
}

void add_view_options(CLI::App& app, view_options& options) {
  app.add_option_function<std::vector<std::filesystem::path>>(
         "FILE",
         [&options](const std::vector<std::filesystem::path>& given) {
           given.size() == 1 ? void(options.file = given.front()) : void(options.ranks = given);
         },
         "what schedule::save(), graph::trace::save(), splice_schedule::save() or SENNIT_TRACE wrote; of a "
         "program on ranks the traces of all")
      ->type_name("");
  app.add_option("--output", options.output, "HTML page to write; FILE.html if nothing else is asked for")
      ->type_name("PAGE");
  app.add_flag("--text", options.text,
               "print the tree, or what each worker did of a graph, and what nodes waited for");
  CLI::Option* const against = app.add_option("--against", options.against,
                                              "an earlier schedule: show what has moved since; or an earlier "
                                              "trace of a graph: show what differs")
                                   ->type_name("FILE");
  app.add_option("--nodes", options.nodes, "count what has moved to another of so many NUMA nodes")
      ->check(between(1, sennit::runtime_options::most_workers))
      ->needs(against);
  app.add_option("--trace-events", options.trace_events, "write the run as trace events for Perfetto")
      ->type_name("JSON");
  app.add_option("--dot", options.dot,
                 "write the graph that was traced, or the chosen nodes of it, for Graphviz")
      ->type_name("FILE");
  add_filter(app, options.filter);
}

void add_splice_view_options(CLI::App& app, view_options& options) {
  app.add_option("FILE", options.file, "what splice_schedule::save() or sennit run --splice wrote")
      ->required();
  app.add_option("--output", options.output, "HTML page to write; FILE.html if not given and without --text")
      ->type_name("PAGE");
  app.add_flag("--text", options.text, "print when each block of each call is run, as letters");
  constexpr std::uint64_t least_cache = 256;
  constexpr std::uint64_t most_cache = std::uint64_t{1} << 40;
  app.add_option("--cache", options.cache,
                 "count what one core fetches with a cache of so many bytes, such as 1048576 or 1MiB; that "
                 "of the machine for "
                 "which the order was found, if not given")
      ->transform(CLI::AsSizeValue(false))
      ->check(between(least_cache, most_cache))
      ->type_name("BYTES");
}

void add_tune_options(CLI::App& app, tune_options& options) {
  constexpr double least_share = 0.1;
  constexpr double most_share = 50;
  constexpr double least_seconds = 0.1;
  constexpr double most_seconds = 600;
  add_workers(app, options.workers);
  app.add_option("--share", options.share, "percent of the time that promotions may take")
      ->check(between(least_share, most_share))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "about how long to measure")
      ->check(between(least_seconds, most_seconds))
      ->capture_default_str();
  app.add_option("--json", options.json, "write the measurements to this file")->type_name("FILE");
}

void add_trace(CLI::App& app, std::string& file) {
  app.add_option("TRACE", file, "what the program wrote that ran with SENNIT_TRACE=TRACE")->required();
}

constexpr double most_seed = 9007199254740992.0;

void add_scale_options(CLI::App& app, scale_options& options) {
  add_trace(app, options.file);
  app.add_option("--machine", options.machine, "the machine to simulate, by its name or its file")
      ->type_name("MACHINE")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the simulated workers' random numbers")
      ->check(between(0, most_seed))
      ->capture_default_str();
  app.add_flag_callback(
      "--no-simulation", [&options] { options.simulate = false; }, "bounds only, from work and span");
  app.add_option("--json", options.json, "write all of it to this file")->type_name("FILE");
  app.add_option("--html", options.html, "write it as a page for a browser")->type_name("PAGE");
  app.add_option("--svg", options.svg, "write the curve of the speed-up as a picture")->type_name("FILE");
}

void add_simulate_options(CLI::App& app, simulate_options& options) {
  namespace sim = sennit::sim;
  add_trace(app, options.file);
  app.add_option("--machine", options.machines,
                 "the machine, by its name or its file; of several, each is a row of the table")
      ->type_name("MACHINE")
      ->required();
  app.add_option("--workers", options.engine.workers, "workers; one for each core if not given")
      ->check(between(1, sennit::runtime_options::most_workers));
  app.add_option("--seed", options.engine.seed, "of the workers' random numbers")
      ->check(between(0, most_seed))
      ->capture_default_str();
  add_choice<sim::promotion>(app, "--promotion", options.engine.how,
                             "when a latent frame becomes work for others",
                             {{"on-demand", sim::promotion::on_demand},
                              {"paced", sim::promotion::paced},
                              {"heartbeat", sim::promotion::heartbeat},
                              {"eager", sim::promotion::eager}});
  add_choice<sim::steal>(
      app, "--steal", options.engine.by, "how a thief gets a frame",
      {{"ask", sim::steal::ask}, {"barrier", sim::steal::barrier}, {"fence", sim::steal::fence}});
  add_choice<sim::victims>(app, "--victims", options.engine.from, "where a thief looks",
                           {{"random", sim::victims::random},
                            {"nearest", sim::victims::nearest},
                            {"colored", sim::victims::colored}});
  add_choice<sim::loops>(app, "--loops", options.engine.cut, "how loops are cut",
                         {{"split", sim::loops::split},
                          {"split-only", sim::loops::split_only},
                          {"places", sim::loops::places},
                          {"halves", sim::loops::halves}});
  app.add_flag("--compare", options.compare, "add a row for each of some other policies");
  app.add_option("--trace-events", options.trace_events,
                 "write who did what when, as trace events for Perfetto")
      ->type_name("JSON");
  app.add_option("--html", options.html, "write who did what when, as a page for a browser")
      ->type_name("PAGE");
  app.add_option("--json", options.json, "write the figures to this file")->type_name("FILE");
}

// The option that asks for a machine file.
const CLI::Option* add_doctor_options(CLI::App& app, doctor_options& options) {
  constexpr double least_seconds = 0.1;
  constexpr double most_seconds = 600;
  CLI::Option* const machine =
      app.add_option("--write-machine", options.machine,
                     "measure this machine instead, and write a machine file for sennit sim --machine; to "
                     "standard output if no FILE is named")
          ->expected(0, 1)
          ->type_name("FILE");
  app.add_option("--seconds", options.seconds, "about how long to measure")
      ->check(between(least_seconds, most_seconds))
      ->capture_default_str()
      ->needs(machine);
  app.add_flag("--force", options.force, "measure even if other programs take part of the machine")
      ->needs(machine);
  return machine;
}

std::string variants_of(kernel& k) {
  for (const gallery::parameter& p : k.parameters()) {
    if (p.name == "variant") return fmt::format("{}", fmt::join(p.words, ", "));
  }
  return "";
}

void list(const kernel_list& kernels) {
  table lines({"kernel", "what it computes", "reads", "writes", "variants"},
              {table::left, table::left, table::left, table::left, table::left});
  for (const auto& k : kernels) {
    const gallery::description& about = k->about();
    const bool may_read = about.reads != content::none && about.input.empty();
    lines.add(
        {std::string(about.name), std::string(about.summary),
         may_read ? fmt::format("a {} file, if given", format_of(about.reads)) : std::string(about.input),
         format_of(about.writes), variants_of(*k)});
  }
  fmt::print("{}\nsennit run KERNEL --help shows the parameters of one of them, --variant among them.\n",
             lines.str());
}

// The innermost known word of the command, and where the user finds help.
std::string help_for(const CLI::App& app) {
  std::string words = "sennit";
  const CLI::App* current = &app;
  while (!current->get_subcommands().empty()) {
    current = current->get_subcommands().front();
    words += " " + current->get_name();
  }
  return words + " --help";
}

int complain(const CLI::App& app, const CLI::App& run, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining(true);
  if (app.get_subcommands().empty() && unknown.empty()) {
    fmt::print(stderr, "{}", app.help());
    return bad_usage;
  }
  if (app.get_subcommands().empty()) {
    fmt::print(stderr, "sennit: there is no '{}' to do; see 'sennit --help'\n", unknown.front());
    return bad_usage;
  }
  const bool no_kernel = app.got_subcommand(&run) && run.get_subcommands().empty();
  if (no_kernel && !unknown.empty()) {
    fmt::print(stderr, "sennit: there is no kernel '{}'; 'sennit list' shows those there are\n",
               unknown.front());
  } else if (no_kernel) {
    fmt::print(stderr, "sennit: run which kernel? 'sennit list' shows those there are\n");
  } else {
    fmt::print(stderr, "sennit: {}; see '{}'\n", error.what(), help_for(app));
  }
  return bad_usage;
}

// Output may still be in a buffer, and the disk may be full.
int flush(int code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  fmt::print(stderr, "sennit: cannot write the output: {}; give it a place with room\n",
             std::generic_category().message(errno));
  return bad_usage;
}

int dispatch(int argc, const char* const* argv, kernel_list kernels) {
  CLI::App app("Parallel programs with nearly free forks: run some, and see what the machine offers them.",
               "sennit");
  app.set_version_flag("--version", std::string("sennit ") + sennit::version());
  app.require_subcommand(1);
  tools::add_manual_and_completion(
      app, "sennit",
      {.summary = "run parallel programs, look at what they did, and see what the machine offers them",
       .exit_status = "0: all went well\n1: a result is wrong\n2: the arguments, the inputs or the "
                      "outputs do not allow what was asked for\n3: tune proposes no period",
       .examples = "sennit run mandelbrot --output mandelbrot.png\nsennit doctor\nsennit view heat.sched",
       .also = "tpal(1), rollforward(1), sennit-splicec(1)"});

  CLI::App* run =
      app.add_subcommand("run", "run a kernel on the runtime and as its serial elision, and compare");
  run->require_subcommand(1);
  std::vector<run_options> options(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const gallery::description& about = kernels[i]->about();
    add_run_options(*run->add_subcommand(std::string(about.name), std::string(about.summary)), *kernels[i],
                    options[i]);
    if (is_on_ranks(about.name)) {
      run->get_subcommand(std::string(about.name))
          ->footer(fmt::format(
              "mpirun -n 4 sennit run {0} --ranks runs {0} on ranks of MPI; with --help, it shows its own "
              "options.",
              about.name));
    }
  }
  const CLI::App* listing = app.add_subcommand("list", "show the kernels");
  CLI::App* demo = app.add_subcommand("demo", "run the kernels on real input, in a few minutes on two cores");
  demo_options demonstration;
  add_workers(*demo, demonstration.measuring.workers);
  add_repeat(*demo, demonstration.measuring);
  demo->add_option("--output", demonstration.folder, "folder for pictures; none are written if not given")
      ->type_name("FOLDER");
  CLI::App* viewing = app.add_subcommand("view", "show a schedule, the trace of a graph or of a program, or "
                                                 "the schedule of a splice: who ran what when");
  view_options viewed;
  add_view_options(*viewing, viewed);
  CLI::App* viewing_splice = viewing->add_subcommand(
      "splice", "show the schedule of a splice, as 'sennit view FILE' does if that is in FILE");
  add_splice_view_options(*viewing_splice, viewed);
  viewing->parse_complete_callback([&] {
    if (viewed.file.empty() && viewed.ranks.empty()) throw CLI::RequiredError("FILE");
  });
  CLI::App* doctor =
      app.add_subcommand("doctor", "show what the runtime sees of this machine, and what is missing");
  doctor_options examined;
  const CLI::Option* machine = add_doctor_options(*doctor, examined);

  CLI::App* scaling = app.add_subcommand(
      "scale", "say how a traced program would run on more workers, and which of its constructs limit it");
  scale_options scaled;
  add_scale_options(*scaling, scaled);
  CLI::App* simulating = app.add_subcommand("sim", "run a traced program on a simulated machine");
  simulate_options simulated;
  add_simulate_options(*simulating, simulated);

  CLI::App* tuning = app.add_subcommand(
      "tune", "measure what beats and promotions cost on this machine, and say which period suits");
  tune_options tuned;
  add_tune_options(*tuning, tuned);
  app.add_subcommand("splicec",
                     "translate a C or C++ program with '#pragma splice' to C++ that uses the library");

  // These programs parse their own arguments.
  if (argc > 1 && std::string_view(argv[1]) == "splicec") become_splicec(argc, argv);
  if (runs_on_ranks(argc, argv)) become_program_on_ranks(argc, argv);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help or --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    return complain(app, *run, error);
  }

  if (app.got_subcommand(listing)) {
    list(kernels);
  } else if (app.got_subcommand(doctor)) {
    machine->empty() ? print_doctor() : write_machine(examined);
  } else if (app.got_subcommand(tuning)) {
    return tune(tuned) ? success : nothing_proposed;
  } else if (app.got_subcommand(viewing)) {
    viewed.splice = viewing->got_subcommand(viewing_splice);
    view(viewed);
  } else if (app.got_subcommand(scaling)) {
    show_scale(scaled);
  } else if (app.got_subcommand(simulating)) {
    simulate_program(simulated);
  } else if (app.got_subcommand(demo)) {
    return run_demo(std::move(kernels), demonstration) ? success : wrong_result;
  } else {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (run->got_subcommand(std::string(kernels[i]->about().name))) {
        return run_kernel(*kernels[i], options[i]) ? success : wrong_result;
      }
    }
  }
  return success;
}

}  // namespace

int command_line(int argc, const char* const* argv, std::vector<std::unique_ptr<kernel>> kernels) {
  try {
    return flush(dispatch(argc, argv, std::move(kernels)));
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "sennit: there is not enough memory; choose smaller parameters or a smaller input\n");
  } catch (const std::exception& error) {
    // The library's own messages already begin with the name.
    const std::string_view what = error.what();
    fmt::print(stderr, "{}{}\n", what.starts_with("sennit: ") ? "" : "sennit: ", what);
  }
  return bad_usage;
}

}  // namespace command

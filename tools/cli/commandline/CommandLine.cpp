// Parses the command line: subcommands, help, errors in one line with exit code 2.
// SPDX-License-Identifier: Apache-2.0
#include "Command.h"
#include "report/Printable.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <new>
#include <utility>

namespace gpuinstr::cli {

namespace {

int fail(const std::string &text) {
  std::string line = text.substr(0, text.find('\n'));
  std::cerr << "gpuinstr: " << report::printable(line) << "\n";
  return UsageError;
}

/// The subcommand that was named, for its help; the program itself otherwise.
const CLI::App *chosen(const CLI::App &app) {
  std::vector<CLI::App *> subs = const_cast<CLI::App &>(app).get_subcommands();
  return subs.empty() ? &app : chosen(*subs.back());
}

int parse(CLI::App &app, std::vector<std::string> arguments, int &code) {
  std::reverse(arguments.begin(), arguments.end()); // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp &) {
    const CLI::App *command = chosen(app);
    std::cout << command->help(command->get_parent() ? "gpuinstr " + command->get_name() : "");
    return 0;
  } catch (const CLI::CallForAllHelp &) {
    std::cout << app.help("", CLI::AppFormatMode::All);
    return 0;
  } catch (const CLI::CallForVersion &) {
    std::cout << "gpuinstr " GPUINSTR_VERSION "\n";
    return 0;
  } catch (const CLI::ParseError &error) {
    std::string name = chosen(app)->get_parent() ? " " + chosen(app)->get_name() : "";
    return fail(std::string(error.what()) + " (gpuinstr" + name + " --help)");
  }
  return code;
}

} // namespace

int runCommandLine(const std::vector<std::string> &arguments) {
  // What follows -- belongs to the program that `run` starts, whatever it looks like.
  auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> own(arguments.begin(), dashes), program;
  if (dashes != arguments.end())
    program.assign(dashes + 1, arguments.end());
  if (!program.empty() && (own.empty() || own[0] != "run"))
    own.insert(own.end(), dashes, arguments.end());

  CLI::App app("Runs programs that were compiled with gpuinstr, and reads their profiles.",
               "gpuinstr");
  app.set_version_flag("--version", "gpuinstr " GPUINSTR_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  int code = 0;
  addRun(app, code, program);
  addReport(app, code);
  addDiff(app, code);
  addMerge(app, code);
  addAnnotate(app, code);
  addHtml(app, code);
  addTrace(app, code);
  addSarif(app, code);
  addSuppress(app, code);
  addSites(app, code);
  addExplain(app, code);
  addDoctor(app, code);
  addCompletion(app, code);
  addMan(app, code);
  if (arguments.empty()) {
    std::cout << app.help();
    return UsageError;
  }
  bool named = own.empty() || own[0].rfind('-', 0) == 0;
  for (const CLI::App *command :
       std::as_const(app).get_subcommands([](const CLI::App *) { return true; }))
    named |= !own.empty() && command->get_name() == own[0];
  if (!named) // CLI11 would say that a subcommand is required
    return fail("no command is called '" + own[0] + "' (gpuinstr --help)");
  try {
    return parse(app, own, code);
  } catch (const Failure &failure) {
    return fail(failure.what());
  } catch (const std::bad_alloc &) {
    return fail("out of memory");
  } catch (const std::exception &error) {
    return fail(error.what());
  }
}

} // namespace gpuinstr::cli

// The one table of commands.
// SPDX-License-Identifier: Apache-2.0
#include "Commands.h"
#include "commandline/CommandLine.h"
#include "io/Files.h"

namespace gpuinstr::cli {

// In the order of the help. commands/NameCommand.cpp defines makeName() for COMMAND(Name, ...).
#define GPUINSTR_COMMANDS(COMMAND)                                                                 \
  COMMAND(Run, "run",                                                                              \
          "Runs a program: gpuinstr run [options] ./app ...; the exit code is the program's")      \
  COMMAND(Report, "report", "Profiles as text, JSON or CSV")                                       \
  COMMAND(Diff, "diff", "What changed between two profiles; exit code 1 when --fail-on is met")    \
  COMMAND(Merge, "merge",                                                                          \
          "One profile of many processes: sums, spread over the ranks, union of findings")         \
  COMMAND(Annotate, "annotate",                                                                    \
          "The source with calls, bytes, host time and findings beside each line")                 \
  COMMAND(Html, "html",                                                                            \
          "One HTML file: findings with their source, where the time went, tables, a timeline")    \
  COMMAND(Trace, "trace",                                                                          \
          "A timeline for Perfetto, chrome://tracing, SQL: from the files of option trace=PATH")   \
  COMMAND(Sarif, "sarif", "Findings as SARIF 2.1.0, for code hosts; several files as one")         \
  COMMAND(Suppress, "suppress", "A suppressions file that covers the findings of today")           \
  COMMAND(Sites, "sites", "The call sites embedded in a binary")                                   \
  COMMAND(Explain, "explain", "What a finding means and how to fix it; without ID: all ids")       \
  COMMAND(Doctor, "doctor",                                                                        \
          "What could keep a program from being watched here; exit code 1 if something does")      \
  COMMAND(Completion, "completion", "A completion script for a shell")                             \
  COMMAND(Man, "man", "The manual page, for man -l")

#define DECLARE(Name, name, help) std::unique_ptr<Command> make##Name();
GPUINSTR_COMMANDS(DECLARE)
#undef DECLARE

int runCommandLine(const std::vector<std::string> &arguments) {
#define ROW(Name, name, help) {name, help, make##Name},
  static const std::vector<CommandRow> table = {GPUINSTR_COMMANDS(ROW)};
#undef ROW
  int code = runCommandLine(table, arguments);
  forgetInputs();
  return code;
}

} // namespace gpuinstr::cli
